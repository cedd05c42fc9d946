import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number] | 'identity'

interface Document {
  etag: string
  bodies: Record<Encoding, Buffer>
}

export function serveDocument(app: FastifyInstance): void {
  let document: Promise<Document> | undefined

  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { public: true, unlimited: true } },
    async ({ headers }, reply) => {
      // The routes are all known once the first request comes.
      const { etag, bodies } = await (document ??= makeDocument(JSON.stringify(app.swagger())))
      const encoding = encodingFor(headers['accept-encoding'])
      const tag = `"${etag}-${encoding}"`
      reply.headers({ etag: tag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
      if (isKnown(headers['if-none-match'], tag)) return reply.code(304).send()
      if (encoding !== 'identity') reply.header('content-encoding', encoding)
      return reply.type('application/json; charset=utf-8').send(bodies[encoding])
    },
  )
}

async function makeDocument(text: string): Promise<Document> {
  const identity = Buffer.from(text)
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity),
  ])
  const etag = createHash('sha256').update(identity).digest('base64url').slice(0, 22)
  return { etag, bodies: { identity, br, gzip: gzipped } }
}

/** Returns the best encoding that a client accepts (RFC 9110, 12.5.3). Weights are not compared. */
function encodingFor(accepted: string | string[] | undefined): Encoding {
  const weights = new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((part): [string, boolean] => {
        const [name = '', ...parameters] = part.split(';').map((each) => each.trim())
        return [name, !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each))]
      }),
  )
  return ENCODINGS.find((each) => weights.get(each) ?? weights.get('*') ?? false) ?? 'identity'
}

/** Returns whether `If-None-Match` names the tag by weak comparison (RFC 9110, 13.1.2). */
const isKnown = (header: string | undefined, tag: string): boolean =>
  (header ?? '').split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
