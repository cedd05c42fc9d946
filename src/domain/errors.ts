/** The closed list of error codes on the wire (the specification, Errors). */
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
 * What is wrong with one place of the input. `path` is a JSON pointer without the leading slash,
 * dots between.
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
  /** Another status than the code's own, for REQUEST_FAILED (405, 415) and INTERNAL_ERROR (503). */
  status?: number
  headers?: Record<string, string>
  /** What the specification wants in the body beside, or instead of, what all refusals have. */
  fields?: Record<string, unknown>
}

/** A refusal that we mean, with words for the caller. Anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly reason: string | undefined
  readonly details: ErrorDetail[] | undefined
  readonly status: number | undefined
  readonly headers: Record<string, string>
  readonly fields: Record<string, unknown>

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message)
    this.code = code
    this.reason = options.reason
    this.details = options.details
    this.status = options.status
    this.headers = options.headers ?? {}
    this.fields = options.fields ?? {}
  }
}

export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `${what} not found`)

export const forbidden = (message: string, options?: AppErrorOptions): AppError =>
  new AppError('FORBIDDEN', message, options)

export const conflict = (message: string, options?: AppErrorOptions): AppError =>
  new AppError('CONFLICT', message, options)

/** A rule that needs other fields, the clock or stored data refuses a body that fits the schema. */
export const badRequest = (message: string, details: ErrorDetail[], reason?: string): AppError =>
  new AppError('BAD_REQUEST', message, { details, ...(reason === undefined ? {} : { reason }) })

/** Refuses a body for one of its fields: a 400 that names it. */
export function refuse(path: string, message: string, reason?: string): never {
  throw badRequest(`${path} ${message}`, [{ path, message }], reason)
}
