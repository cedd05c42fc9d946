const count = (description: string, example: number, minimum = 0) => ({
  description,
  schema: { type: 'integer', minimum },
  example,
})
const text = (description: string, example: string, schema: object = {}) => ({
  description,
  schema: { type: 'string', ...schema },
  example,
})

export const RESPONSE_HEADERS = {
  'x-request-id': text(
    'Id of the request: the one that you sent if it is valid, otherwise a new one.',
    '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
    { minLength: 1, maxLength: 128 },
  ),
  'RateLimit-Limit': count('Requests permitted in the window closest to exhaustion.', 500, 1),
  'RateLimit-Remaining': count('Requests left in that window.', 498),
  'RateLimit-Reset': count('Seconds until that window is free again.', 12),
  'RateLimit-Policy': text(
    'All policies that apply, as `<limit>;w=<seconds>`, separated by commas.',
    '500;w=60, 50000;w=86400',
  ),
  'X-RateLimit-Limit': count('Older name of `RateLimit-Limit`.', 500, 1),
  'X-RateLimit-Remaining': count('Older name of `RateLimit-Remaining`.', 498),
  'Retry-After': count(
    'Seconds to wait before the next try. A 409 has it only if a retry may succeed.',
    12,
  ),
  'WWW-Authenticate': text(
    'Missing credentials or scopes (RFC 6750).',
    'Bearer error="insufficient_scope", scope="send"',
  ),
  'Idempotency-Replayed': text(
    '`true`: the response is that of the first request with this `Idempotency-Key`.',
    'true',
    { enum: ['true'] },
  ),
  'X-Event-Limit': count('Monthly limit of events in your plan. -1: unlimited.', 50000, -1),
  'X-Event-Current': count('Events accepted this month (UTC).', 12500),
  'X-Event-Remaining': count(
    'Events left until the limit. Another 25 % are accepted. -1: unlimited.',
    37500,
    -1,
  ),
  'X-Event-Percent': count('Percentage of the limit that is used, rounded down.', 25),
  'X-Event-Exceeded': text(
    '`true`: events are refused until the first day of next month (UTC).',
    'false',
    { enum: ['true', 'false'] },
  ),
  Deprecation: text(
    'Time from which the operation is deprecated (RFC 9745): `@` and Unix seconds.',
    '@1795219200',
    { pattern: '^@[0-9]+$' },
  ),
  Sunset: text(
    'Time at which the operation is removed (RFC 8594).',
    'Tue, 01 Jun 2027 00:00:00 GMT',
  ),
  Link: text(
    'Page about the replacement, with `rel="deprecation"`.',
    '<https://docs.example.com/changes>; rel="deprecation"; type="text/html"',
  ),
}
export type ResponseHeader = keyof typeof RESPONSE_HEADERS

const RATE_LIMITS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
] as const

const EVENTS = [
  'X-Event-Limit',
  'X-Event-Current',
  'X-Event-Remaining',
  'X-Event-Percent',
  'X-Event-Exceeded',
] as const

interface Answer {
  status: string
  isIdempotent: boolean
  isDeprecated: boolean
  countsEvents: boolean
}

/** Returns the headers that an answer may carry. The caller decides which of them are present. */
export function headersOf({
  status,
  isIdempotent,
  isDeprecated,
  countsEvents,
}: Answer): ResponseHeader[] {
  const mayWait = ['409', '429', '503'].includes(status)
  return [
    'x-request-id',
    // Before credentials are known nobody is counted.
    ...(status === '401' ? [] : RATE_LIMITS),
    ...(countsEvents && status !== '401' ? EVENTS : []),
    ...(mayWait ? (['Retry-After'] as const) : []),
    ...(['401', '403'].includes(status) ? (['WWW-Authenticate'] as const) : []),
    ...(isIdempotent && status.startsWith('2') ? (['Idempotency-Replayed'] as const) : []),
    ...(isDeprecated ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ]
}
