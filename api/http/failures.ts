import type { ErrorCode } from '../../src/domain/errors.ts'
import { ApiError } from '../../src/schemas/error.ts'
import { ResendError } from '../../src/schemas/mails/resend.ts'

interface Meaning {
  name: string
  description: string
  code: ErrorCode
  error: string
  reason?: string
  details?: ApiError['details']
}

/** Meaning of each error status. Every operation answers errors with the same body. */
const MEANINGS = {
  400: {
    name: 'BadRequest',
    description: 'The body cannot be parsed, a parameter is invalid, or a rule refuses the request',
    code: 'BAD_REQUEST',
    error: 'The query parameter limit must be at least 1',
    details: [{ path: 'limit', message: 'must be at least 1' }],
  },
  401: {
    name: 'Unauthorized',
    description: 'Credentials are missing, malformed, revoked or expired',
    code: 'UNAUTHORIZED',
    error: 'Credentials are missing or invalid',
  },
  402: {
    name: 'PaymentRequired',
    description: 'The organization’s plan lacks the feature or allows no more of it',
    code: 'PAYMENT_REQUIRED',
    error:
      'Your plan allows 1 connection. These plans allow more: starter (3), growth (unlimited), scale (unlimited), enterprise (unlimited)',
    reason: 'plan_limit',
  },
  403: {
    name: 'Forbidden',
    description: 'The resource belongs to another organization, or the key lacks the scope',
    code: 'FORBIDDEN',
    error: 'This key lacks the scope "send"',
    reason: 'insufficient_scope',
  },
  404: {
    name: 'NotFound',
    description: 'The resource or route does not exist',
    code: 'NOT_FOUND',
    error: 'Batch not found',
  },
  409: {
    name: 'Conflict',
    description:
      'The state of the resource does not allow the request, the resource is a duplicate or was changed meanwhile, or a request with the same Idempotency-Key is still running',
    code: 'CONFLICT',
    error: 'A request with this Idempotency-Key is still running',
    reason: 'idempotency_in_progress',
  },
  410: {
    name: 'Gone',
    description: 'The link was replaced or has expired',
    code: 'REQUEST_FAILED',
    error: 'This confirmation link no longer works',
    reason: 'link_over',
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is too large',
    code: 'PAYLOAD_TOO_LARGE',
    error: 'The body is larger than 1048576 bytes',
  },
  414: {
    name: 'UriTooLong',
    description: 'The address of the request is too long',
    code: 'REQUEST_FAILED',
    error: 'The address is longer than 8192 characters',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The media type is not supported',
    code: 'REQUEST_FAILED',
    error: 'This media type is not supported here. Send application/json',
    reason: 'unsupported_media_type',
  },
  422: {
    name: 'ValidationFailed',
    description:
      'The body does not match the schema, or the Idempotency-Key was used for another request',
    code: 'VALIDATION_FAILED',
    error: 'name is required',
    details: [{ path: 'name', message: 'is required' }],
  },
  429: {
    name: 'RateLimited',
    description: 'Too many requests. See Retry-After',
    code: 'RATE_LIMITED',
    error: 'Too many requests. Try again in 12 seconds.',
  },
  431: {
    name: 'RequestHeaderFieldsTooLarge',
    description: 'Address and headers of the request are too large together',
    code: 'REQUEST_FAILED',
    error: 'The address and headers of the request are larger than 16384 bytes',
  },
  500: {
    name: 'InternalError',
    description: 'Unexpected failure. Retry with backoff',
    code: 'INTERNAL_ERROR',
    error: 'Something went wrong on our side',
  },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unavailable. See Retry-After',
    code: 'INTERNAL_ERROR',
    error: 'The service is not available for a moment',
  },
} as const satisfies Record<number, Meaning>
type Failure = keyof typeof MEANINGS

const REQUEST_ID = '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11'

/**
 * Returns responses for a route's schema: `...failures(409)`. The responses that every route has
 * are added to it.
 */
export const failures = (...statuses: Failure[]) =>
  Object.fromEntries(statuses.map((status) => [status, failure(status)]))

export const sharedFailures = (): { name: string; response: object }[] =>
  Object.entries(MEANINGS).flatMap(([status, meaning]) => {
    const ofResend = resendFailures[status]
    return [
      { name: meaning.name, response: responseOf(meaning) },
      ...(ofResend ? [{ name: `Resend${meaning.name}`, response: ofResend }] : []),
    ]
  })

const failure = (status: Failure) => responseOf(MEANINGS[status])

export const resendFailures = Object.fromEntries(
  Object.entries(MEANINGS)
    .filter(([status]) => status !== '410')
    .map(([status, { description }]) => [
      status,
      { description, content: { 'application/json': { schema: ResendError } } },
    ]),
)

const responseOf = ({ name: _name, description, code, error, ...more }: Meaning) => ({
  description,
  content: {
    'application/json': {
      schema: ApiError,
      example: { error, code, requestId: REQUEST_ID, ...more },
    },
  },
})
