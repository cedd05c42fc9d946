import type { FastifyInstance } from 'fastify'
import { notFound } from '../../src/domain/errors.ts'
import { HttpError } from './http-error.ts'

interface KnownRoute {
  url: string
  method: string
  pattern: RegExp
}

/** Records the routes that are added after it. Returns which methods a path has. */
export function recordMethods(app: FastifyInstance): (path: string) => string[] {
  const known: KnownRoute[] = []
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat()) known.push({ url, method: each, pattern: toPattern(url) })
  })
  return (url) => {
    const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '')
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    return [...new Set(methods)].sort()
  }
}

/**
 * Tells "no such path" (404) from "not with this method" (405, with `Allow`). It comes after the
 * credentials: a known caller's 404 counts, and says so.
 */
export function answerUnknownRoutes(
  app: FastifyInstance,
  methodsOf: (path: string) => readonly string[],
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    const allowed = methodsOf(request.url)
    if (allowed.length === 0) {
      done(notFound('Route'))
      return
    }
    const allow = allowed.join(', ')
    done(
      new HttpError('REQUEST_FAILED', `This path answers ${allow} only`, {
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
