import type { FastifyInstance } from 'fastify'
import { notFound } from '../../src/domain/errors.ts'
import { HttpError } from './http-error.ts'

interface KnownRoute {
  url: string
  method: string
  pattern: RegExp
}

export function recordMethods(app: FastifyInstance): (path: string) => string[] {
  const knownRoutes: KnownRoute[] = []
  app.addHook('onRoute', ({ url, method }) => {
    for (const each of [method].flat())
      knownRoutes.push({ url, method: each, pattern: toPattern(url) })
  })
  return (url) => {
    const path = (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '')
    const methods = knownRoutes
      .filter(({ pattern }) => pattern.test(path))
      .map(({ method }) => method)
    return [...new Set(methods)].sort()
  }
}

/**
 * Responds to unknown paths (404) and methods (405, with `Allow`). It runs after the check of
 * credentials, so that a known caller's 404 is counted with their limit.
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
      new HttpError('REQUEST_FAILED', `This path supports ${allow} only`, {
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

function toPattern(url: string): RegExp {
  const parts = url.replace(/(?<=.)\/$/, '').split('/')
  const pattern = parts.map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    if (part === '*') return '.*'
    return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${pattern.join('/')}$`)
}
