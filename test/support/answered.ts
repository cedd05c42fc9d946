import { until } from './engine.ts'

/**
 * Asks again while the answer is a 503: on a busy machine an API that has just started says that
 * it is overloaded, and one that starts a workflow may hear too late of it.
 */
export const answered = <T extends { status: number }>(ask: () => Promise<T>): Promise<T> =>
  until(async () => {
    const answer = await ask()
    return answer.status !== 503 && answer
  })
