import { type AppError, unavailable } from '../../domain/errors.ts'
import type { Key } from '../../store/accounts/provider-readings.ts'

/** Asks providers: the API itself never talks to one. */
export interface Asker {
  /**
   * Puts a question, or waits for the same one that is open already. The answer is in Postgres, if
   * there was one before `until` (milliseconds since 1970). Throws 503 when the question cannot be
   * put: then it was not, or its answer is not awaited.
   */
  ask(question: Key, until: number): Promise<void>
}

const RETRY_AFTER_SECONDS = 5

/** Why a question was refused that no worker was there to ask. */
export const CANNOT_ASK = 'cannot_ask'

export const cannotAsk = (): AppError =>
  unavailable('Accounts cannot be asked at the moment', {
    reason: CANNOT_ASK,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
