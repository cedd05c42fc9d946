/** The closed list of error codes on the wire. */
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
 * What is wrong with one place of the input: `path` and `message` together are a sentence. A path
 * is spelled like `steps[0].config.url`; that of the whole input is empty.
 */
export interface ErrorDetail {
  path: string
  message: string
  /** Only on a contact's 409: the contact that has the value already. */
  contactId?: string
}

export interface AppErrorOptions {
  /** A stable snake_case word of an open set, for programs that need more than the code. */
  reason?: string
  details?: ErrorDetail[]
  /** When to try again. An INTERNAL_ERROR that says so passes by itself: see `unavailable`. */
  retryAfterSeconds?: number
}

/** A refusal that we mean, with words for the caller. Anything else that is thrown is a bug. */
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

/** Something that the answer needs cannot be reached, or is too busy, for a moment. */
export const unavailable = (
  message: string,
  options: { reason?: string; retryAfterSeconds: number },
): AppError => new AppError('INTERNAL_ERROR', message, options)

/** A rule that needs other fields, the clock or stored data refuses a body that fits the schema. */
export const badRequest = (message: string, details: ErrorDetail[], reason?: string): AppError =>
  new AppError('BAD_REQUEST', message, { details, ...(reason === undefined ? {} : { reason }) })

/** Details that one sentence tells: a row may name thousands of topics that do not exist. */
const MOST_TOLD = 10

/** What is wrong, as one sentence. */
export function sentence(details: readonly ErrorDetail[]): string {
  const told = details
    .slice(0, MOST_TOLD)
    .map(({ path, message }) => `${path === '' ? 'The body' : path} ${message}`)
  const left = details.length - told.length
  return [...told, ...(left > 0 ? [`and ${left} more`] : [])].join('; ')
}

/** What the interface has and this version does not do: said where it is refused. */
export const NOT_YET = { message: 'is not available yet', reason: 'not_supported_yet' } as const

/** Refuses a body for one of its fields: a 400 that names it. */
export function refuse(path: string, message: string, reason?: string): never {
  throw badRequest(`${path} ${message}`, [{ path, message }], reason)
}
