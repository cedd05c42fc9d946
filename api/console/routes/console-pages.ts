import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import fastifyStatic from '@fastify/static'
import { notFound } from '../../../src/domain/errors.ts'
import type { Deps } from '../../deps.ts'
import { framePolicy, shellPolicy } from '../policies.ts'

const NONCE = /__NONCE__/g
/** Names that Vite makes: a file directly in the folder. */
const ASSET = /^[\w-]+\.(?:js|css)$/
const HTML = 'text/html; charset=utf-8'
const JAVASCRIPT = 'text/javascript; charset=utf-8'

/** Files of the console are neither counted nor in the document, like those of `/docs`. */
const options = {
  config: { public: true, unlimited: true },
  schema: { hide: true },
} as const

/**
 * Serves the files of the web console. Every address under `/console/` is a page, which finds out
 * itself which one.
 */
export const consolePages: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  if (!deps.console) return
  const { folder, isDevelopment, inboxUrl, temporalUiUrl } = deps.console
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const [shell, theme, frame] = await Promise.all([
    read('index.html'),
    read('theme.js'),
    read('frame.html'),
  ])
  const assets = join(folder, 'assets')
  await app.register(fastifyStatic, { root: assets, serve: false, preCompressed: true })

  // Names are hashed: what is in a file never changes.
  app.get<{ Params: { '*': string } }>('/console/assets/*', options, (request, reply) => {
    const file = request.params['*']
    if (!ASSET.test(file)) throw notFound('Route')
    return reply.sendFile(file, { maxAge: '365d', immutable: true })
  })

  app.get('/console/theme.js', options, (_request, reply) => reply.type(JAVASCRIPT).send(theme))

  const policies = { all: framePolicy(frame, 'all'), embedded: framePolicy(frame, 'embedded') }
  app.get<{ Querystring: { pictures?: string } }>(
    '/console/frame.html',
    options,
    ({ query: { pictures } }, reply) => {
      const policy = pictures === 'embedded' ? policies.embedded : policies.all
      // It stands within a page of ours.
      const headers = { 'content-security-policy': policy, 'x-frame-options': 'SAMEORIGIN' }
      return reply.headers(headers).type(HTML).send(frame)
    },
  )

  app.get('/console/config.json', options, () => ({
    version: deps.version,
    isDevelopment,
    inboxUrl,
    temporalUiUrl,
    sendsNotices: deps.sendsNotices,
  }))

  for (const url of ['/console', '/console/*']) {
    app.get(url, options, (request, reply) => {
      if (request.url.startsWith('/console/assets')) throw notFound('Route')
      const nonce = randomBytes(16).toString('base64')
      return reply
        .headers({
          'content-security-policy': shellPolicy(nonce),
          'cross-origin-opener-policy': 'same-origin',
        })
        .type(HTML)
        .send(shell.replace(NONCE, nonce))
    })
  }
}
