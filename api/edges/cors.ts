import type { FastifyInstance } from 'fastify'

const MAX_AGE_SECONDS = '600'
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id'
/** What a browser's script may read of an answer besides its body. */
const EXPOSED = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Event-Limit',
  'X-Event-Remaining',
  'X-Event-Usage',
  'X-Event-Reset',
  'Retry-After',
  'X-Request-Id',
  'Idempotency-Replayed',
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
].join(', ')

interface Cors {
  /** `https://app.example.com`; none: browsers keep other pages' scripts out. */
  origins: readonly string[]
  /** The methods that a path answers; none where there is no route. */
  methodsOf: (path: string) => readonly string[]
}

/**
 * Lets scripts of the configured origins call the API with a token; never with cookies. A preflight
 * is answered before credentials are asked for, on paths that exist; elsewhere OPTIONS is refused
 * as any other method is.
 *
 * Our own instead of `@fastify/cors`: that one answers OPTIONS on every path, so that no path would
 * be unknown and none would refuse the method. Add it before whatever refuses requests, so that a
 * script can read refusals.
 */
export function allowOrigins(app: FastifyInstance, { origins, methodsOf }: Cors): void {
  if (origins.length === 0) return
  const allowed = new Set(origins)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined || !allowed.has(origin)) {
      done()
      return
    }
    reply.header('access-control-allow-origin', origin)
    reply.header('access-control-expose-headers', EXPOSED)
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const methods = isPreflight ? methodsOf(request.url) : []
    if (methods.length === 0) {
      done()
      return
    }
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': MAX_AGE_SECONDS,
      })
      .send()
  })
}
