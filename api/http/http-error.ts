import { AppError, type AppErrorOptions, type ErrorCode } from '../../src/domain/errors.ts'

interface HttpErrorOptions extends AppErrorOptions {
  /** Status that differs from that of the code, such as 405 or 415. */
  status?: number
  headers?: Record<string, string>
  fields?: Record<string, unknown>
}

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
