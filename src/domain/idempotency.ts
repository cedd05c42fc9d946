import { AppError, conflict } from './errors.ts'

const RETRY_AFTER_SECONDS = 1

export const stillRunning = (): AppError =>
  conflict('A request with this Idempotency-Key is still running', {
    reason: 'idempotency_in_progress',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

export const anotherRequest = (): AppError =>
  new AppError('VALIDATION_FAILED', 'This Idempotency-Key was used for another request', {
    reason: 'idempotency_key_reused',
    details: [
      { path: 'idempotency-key', message: 'was used for another request in the last 24 hours' },
    ],
  })
