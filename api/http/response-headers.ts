/** What answers carry beside their body, as the document describes it. */
export const RESPONSE_HEADERS = {
  'x-request-id': {
    description: 'Which request this answers: yours when it was acceptable, else a new one.',
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11',
  },
  'RateLimit-Limit': {
    description: 'Requests permitted in the window closest to exhaustion.',
    schema: { type: 'integer', minimum: 1 },
    example: 500,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in that window.',
    schema: { type: 'integer', minimum: 0 },
    example: 498,
  },
  'RateLimit-Reset': {
    description: 'Seconds until that window is free again; not a time of day.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  'RateLimit-Policy': {
    description: 'Every policy in force, `<limit>;w=<window seconds>`, commas between.',
    schema: { type: 'string' },
    example: '500;w=60, 50000;w=86400',
  },
  'X-RateLimit-Limit': {
    description: 'The same as `RateLimit-Limit`, under its older name.',
    schema: { type: 'integer', minimum: 1 },
    example: 500,
  },
  'X-RateLimit-Remaining': {
    description: 'The same as `RateLimit-Remaining`, under its older name.',
    schema: { type: 'integer', minimum: 0 },
    example: 498,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try. On a 409: only when waiting helps.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  'WWW-Authenticate': {
    description: 'What is missing (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer error="insufficient_scope", scope="send"',
  },
  'Idempotency-Replayed': {
    description: '`true`: this is what the first request with this `Idempotency-Key` answered.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'X-Event-Limit': {
    description: 'Events that your plan allows a month; -1: unlimited.',
    schema: { type: 'integer', minimum: -1 },
    example: 50000,
  },
  'X-Event-Current': {
    description: 'Events accepted this month (UTC).',
    schema: { type: 'integer', minimum: 0 },
    example: 12500,
  },
  'X-Event-Remaining': {
    description: 'Events until the limit; 25 % more are accepted. -1: unlimited.',
    schema: { type: 'integer', minimum: -1 },
    example: 37500,
  },
  'X-Event-Percent': {
    description: 'Part of the limit that is used, rounded down.',
    schema: { type: 'integer', minimum: 0 },
    example: 25,
  },
  'X-Event-Exceeded': {
    description: '`true`: events are refused until the 1st of next month (UTC).',
    schema: { type: 'string', enum: ['true', 'false'] },
    example: 'false',
  },
  Deprecation: {
    description: 'Since when this operation is deprecated (RFC 9745): `@` and Unix seconds.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1795219200',
  },
  Sunset: {
    description: 'When this operation ends (RFC 8594).',
    schema: { type: 'string' },
    example: 'Tue, 01 Jun 2027 00:00:00 GMT',
  },
  Link: {
    description: 'With `rel="deprecation"`: what to use instead.',
    schema: { type: 'string' },
    example: '<https://docs.example.com/changes>; rel="deprecation"; type="text/html"',
  },
} as const
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
  /** Takes an Idempotency-Key: a POST under `/v1`. */
  isIdempotent: boolean
  isDeprecated: boolean
  /** Takes events. */
  countsEvents: boolean
}

/** The headers that an answer may carry; which of them are there depends on the caller. */
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
