import type { FastifyInstance } from 'fastify'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Of every answer that says nothing else: it is data, for nobody's cache, frame or guess. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * What every answer says to browsers. `Strict-Transport-Security` only where the public address has
 * TLS: on plain HTTP it is ignored, and on a machine of developers it would lock them out.
 */
export const securityHeaders = (publicUrl: string): Record<string, string> => ({
  ...HEADERS,
  ...(publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }
    : {}),
})

/** Begins every answer with them; pages put policies of their own in their place. */
export function secureAnswers(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
