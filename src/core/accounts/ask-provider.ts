import { type AppError, unavailable } from '../../domain/errors.ts'
import type { Key } from '../../store/accounts/provider-readings.ts'

export interface Asker {
  /**
   * Asks a question, or waits for the open one that is equal. The answer is in Postgres, if there
   * was one before `until` (milliseconds since 1970). Throws a 503 if the question cannot be asked:
   * then it was not, or its answer is not awaited.
   */
  ask(question: Key, until: number): Promise<void>
}

const RETRY_AFTER_SECONDS = 5

export const CANNOT_ASK = 'cannot_ask'

export const cannotAsk = (): AppError =>
  unavailable('The connected accounts cannot be reached at the moment', {
    reason: CANNOT_ASK,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
