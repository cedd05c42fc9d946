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
    'Which request this answers: yours when it was acceptable, else a new one.',
    '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
    { minLength: 1, maxLength: 128 },
  ),
  'RateLimit-Limit': count('Requests permitted in the window closest to exhaustion.', 500, 1),
  'RateLimit-Remaining': count('Requests left in that window.', 498),
  'RateLimit-Reset': count('Seconds until that window is free again; not a time of day.', 12),
  'RateLimit-Policy': text(
    'Every policy in force, `<limit>;w=<window seconds>`, commas between.',
    '500;w=60, 50000;w=86400',
  ),
  'X-RateLimit-Limit': count('The same as `RateLimit-Limit`, under its older name.', 500, 1),
  'X-RateLimit-Remaining': count('The same as `RateLimit-Remaining`, under its older name.', 498),
  'Retry-After': count(
    'Seconds to wait before the next try. On a 409: only when waiting helps.',
    12,
  ),
  'WWW-Authenticate': text(
    'What is missing (RFC 6750).',
    'Bearer error="insufficient_scope", scope="send"',
  ),
  'Idempotency-Replayed': text(
    '`true`: this is what the first request with this `Idempotency-Key` answered.',
    'true',
    { enum: ['true'] },
  ),
  'X-Event-Limit': count('Events that your plan allows a month; -1: unlimited.', 50000, -1),
  'X-Event-Current': count('Events accepted this month (UTC).', 12500),
  'X-Event-Remaining': count(
    'Events until the limit; 25 % more are accepted. -1: unlimited.',
    37500,
    -1,
  ),
  'X-Event-Percent': count('Part of the limit that is used, rounded down.', 25),
  'X-Event-Exceeded': text(
    '`true`: events are refused until the 1st of next month (UTC).',
    'false',
    { enum: ['true', 'false'] },
  ),
  Deprecation: text(
    'Since when this operation is deprecated (RFC 9745): `@` and Unix seconds.',
    '@1795219200',
    { pattern: '^@[0-9]+$' },
  ),
  Sunset: text('When this operation ends (RFC 8594).', 'Tue, 01 Jun 2027 00:00:00 GMT'),
  Link: text(
    'With `rel="deprecation"`: what to use instead.',
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
