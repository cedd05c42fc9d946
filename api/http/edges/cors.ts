import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RESPONSE_HEADERS } from '../response-headers.ts'

const MAX_AGE_SECONDS = '600'
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id'
/** Headers that a browser's script may read: all that the document names. */
const EXPOSED = [...Object.keys(RESPONSE_HEADERS), 'Allow'].join(', ')

interface Cors {
  /** Origins such as `https://app.example.com`. Empty: browsers keep scripts of other pages out. */
  origins: readonly string[]
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
  const admit = originAdmitter(origins)
  app.addHook('onRequest', (request, reply, done) => {
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    const methods = admit(request, reply) && isPreflight ? methodsOf(request.url) : []
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

/**
 * Lets a script of one of `origins` read any answer, and returns whether it is one. Without origins
 * no header is sent.
 */
export function originAdmitter(origins: readonly string[]) {
  const allowed = new Set(origins)
  return ({ headers: { origin } }: FastifyRequest, reply: FastifyReply): boolean => {
    if (allowed.size === 0) return false
    reply.header('vary', 'Origin')
    if (origin === undefined || !allowed.has(origin)) return false
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    })
    return true
  }
}
