import type { FastifyInstance } from 'fastify'
import { AppError, notFound } from '../src/domain/errors.ts'

interface Known {
  url: string
  method: string
  pattern: RegExp
}

/**
 * Tells "no such path" (404) from "not with this method" (405, with `Allow`), before anything else
 * is looked at. Add it before the routes it is to know.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const known: Known[] = []
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) known.push({ url, method: each, pattern: toPattern(url) })
  })

  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    const path = (request.raw.url ?? '').replace(/\?.*$/, '').replace(/(?<=.)\/$/, '')
    const allowed = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (allowed.length === 0) {
      done(notFound('Route'))
      return
    }
    const allow = [...new Set(allowed)].sort().join(', ')
    done(
      new AppError('REQUEST_FAILED', `This path answers ${allow} only`, {
        status: 405,
        reason: 'method_not_allowed',
        headers: { allow },
      }),
    )
  })
  // The hook above has answered already; without a handler Fastify would use its own words.
  app.setNotFoundHandler(() => {
    throw notFound('Route')
  })
}

/** `/v1/contacts/:id` → what its paths look like. */
function toPattern(url: string): RegExp {
  const parts = url.replace(/(?<=.)\/$/, '').split('/')
  const pattern = parts.map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    if (part === '*') return '.*'
    return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${pattern.join('/')}$`)
}
