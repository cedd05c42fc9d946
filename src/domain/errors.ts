export const ERROR_CODES = [
  'BAD_REQUEST',
  'CONFLICT',
  'FORBIDDEN',
  'INTERNAL_ERROR',
  'MALFORMED_REQUEST',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'PAYMENT_REQUIRED',
  'RATE_LIMITED',
  'REQUEST_FAILED',
  'UNAUTHORIZED',
  'VALIDATION_FAILED',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/**
 * A problem of the input. `path` and `message` together form a sentence. Paths look like
 * `steps[0].config.url`; the path of the whole input is empty.
 */
export interface ErrorDetail {
  path: string
  message: string
  /** Set only on a contact's 409: the contact that already has the value. */
  contactId?: string
}

export interface AppErrorOptions {
  /** A stable snake_case word of an open set, for programs that need more than the code. */
  reason?: string
  details?: ErrorDetail[]
  /** Seconds until the next try. An INTERNAL_ERROR with it is temporary: see `unavailable`. */
  retryAfterSeconds?: number
}

/** An intended refusal with a message for the caller. Any other thrown error is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly reason: string | undefined
  readonly details: ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message)
    this.code = code
    this.reason = options.reason
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `${what} not found`)

export const forbidden = (message: string, options?: AppErrorOptions): AppError =>
  new AppError('FORBIDDEN', message, options)

export const conflict = (message: string, options?: AppErrorOptions): AppError =>
  new AppError('CONFLICT', message, options)

/** Refusal because a dependency cannot be reached, or is too busy, for a moment. */
export const unavailable = (
  message: string,
  options: { reason?: string; retryAfterSeconds: number },
): AppError => new AppError('INTERNAL_ERROR', message, options)

/** A rule that needs other fields, the clock or stored data refuses a body that fits the schema. */
export const badRequest = (message: string, details: ErrorDetail[], reason?: string): AppError =>
  new AppError('BAD_REQUEST', message, { details, ...(reason === undefined ? {} : { reason }) })

/** Limit of details in one sentence, since a row may name thousands of unknown topics. */
const MOST_TOLD = 10

export function sentence(details: readonly ErrorDetail[]): string {
  const sentences = details
    .slice(0, MOST_TOLD)
    .map(({ path, message }) => `${path === '' ? 'The body' : path} ${message}`)
  const remainingCount = details.length - sentences.length
  return [...sentences, ...(remainingCount > 0 ? [`and ${remainingCount} more`] : [])].join('; ')
}

/** Refusal of features that the API describes and this version does not have. */
export const NOT_YET = { message: 'is not available yet', reason: 'not_supported_yet' } as const

export function refuse(path: string, message: string, reason?: string): never {
  throw badRequest(`${path} ${message}`, [{ path, message }], reason)
}
