/** An error answer of AWS. Its name is the code of the REST-JSON protocol. */
export interface Refusal extends Error {
  status: number
  code: string
}

export const refusal = (status: number, code: string, message: string): Refusal =>
  Object.assign(new Error(message), { status, code })

export const isRefusal = (error: unknown): error is Refusal =>
  error instanceof Error && 'status' in error && 'code' in error

export const badRequest = (message: string): Refusal => refusal(400, 'BadRequestException', message)
export const rejected = (message: string): Refusal => refusal(400, 'MessageRejected', message)
export const notFound = (message: string): Refusal => refusal(404, 'NotFoundException', message)
export const tooMany = (message: string): Refusal =>
  refusal(429, 'TooManyRequestsException', message)
export const denied = (message: string): Refusal => refusal(403, 'AccessDeniedException', message)

/** Codes of the same refusals in the query protocol (STS, IAM). */
const QUERY_CODES: Record<string, string> = {
  AccessDeniedException: 'AccessDenied',
  BadRequestException: 'ValidationError',
  ExpiredTokenException: 'ExpiredToken',
  IncompleteSignatureException: 'IncompleteSignature',
  InvalidSignatureException: 'SignatureDoesNotMatch',
  MissingAuthenticationTokenException: 'MissingAuthenticationToken',
  NotFoundException: 'NoSuchEntity',
  UnrecognizedClientException: 'InvalidClientTokenId',
}

export const queryCode = (code: string): string => QUERY_CODES[code] ?? code
