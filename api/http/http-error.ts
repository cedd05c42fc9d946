import { AppError, type AppErrorOptions, type ErrorCode } from '../../src/domain/errors.ts'

interface HttpErrorOptions extends AppErrorOptions {
  /** Another status than the code's own, such as 405 or 415. */
  status?: number
  headers?: Record<string, string>
  /** Fields of the body besides, or instead of, those that every refusal has. */
  fields?: Record<string, unknown>
}

/** A refusal that only HTTP knows: it has a status, headers or fields of its own. */
export class HttpError extends AppError {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string,
    { status, headers = {}, fields = {}, ...options }: HttpErrorOptions,
  ) {
    super(code, message, options)
    this.status = status
    this.headers = headers
    this.fields = fields
  }
}
