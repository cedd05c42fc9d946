import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Headers of every answer without its own: it is data, which nobody may cache, frame or guess. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Returns the headers of every answer for browsers. `Strict-Transport-Security` is sent only if the
 * public address has TLS: on plain HTTP it is ignored, and on a developer's machine it would lock
 * them out.
 */
export const securityHeaders = (publicUrl: string): Record<string, string> => ({
  ...HEADERS,
  ...(publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
    : {}),
})

export function secureAnswers(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
