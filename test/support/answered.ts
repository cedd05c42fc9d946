import { until } from './engine.ts'

/**
 * Repeats a request while the answer is a 503: on a busy machine an API that has just started
 * reports overload, and one that starts a workflow may hear of it too late.
 */
export const answered = <T extends { status: number }>(ask: () => Promise<T>): Promise<T> =>
  until(async () => {
    const answer = await ask()
    return answer.status !== 503 && answer
  })
