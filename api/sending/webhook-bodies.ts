import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../src/domain/errors.ts'
import { refuseUnstorable } from '../http/bodies.ts'
import { REQUEST_LIMITS } from '../http/request-limits.ts'

/** Of a body that could not be read; enough to see what it was. */
const KEPT_CHARACTERS = 64 * 1024

/** A body that was sent with a right secret and is not an event: why, and what is kept of it. */
export interface Unread {
  reason: 'too_large' | 'unsupported_encoding' | 'invalid_json' | 'unstorable_text' | 'no_envelope'
  /** Null: it could not be searched for a person's address, so nothing of it is kept. */
  text: string | null
  /** The same body again is the same event. */
  digest: string
}

interface Read {
  bytes: Buffer
  isWhole: boolean
}

const reads = new WeakMap<FastifyRequest, Read>()
const unread = new WeakMap<FastifyRequest, Unread>()

/**
 * Bodies of the routes of `app` are never refused for what they are: the event bus takes a 4xx for
 * the end of an event, which would look like silence. What is not JSON that can be stored has no
 * `request.body`; `unreadOf` says why. Texts that Postgres cannot store are replaced (U+FFFD), and
 * of a key that is there twice the last one counts: the sender cannot mend it.
 */
export function readEventBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  // What it is said to be does not matter, and Fastify refuses a type that it cannot parse.
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type']
    done()
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const read = await readBounded(payload)
    reads.set(request, read)
    const found = parse(read, request.raw.headers['content-encoding'])
    if ('value' in found) return found.value
    unread.set(request, describe(found.reason, read))
    return undefined
  })
}

/** Why a request has no body that is an event; asked of one that has none. */
export function unreadOf(request: FastifyRequest): Unread {
  const read = reads.get(request) ?? { bytes: Buffer.alloc(0), isWhole: true }
  return unread.get(request) ?? describe('no_envelope', read)
}

/** Up to the limit; what is beyond is not waited for, since the sender is to hear the answer. */
function readBounded(payload: IncomingMessage): Promise<Read> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    payload.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, REQUEST_LIMITS.deliveryEventBytes - length)))
      length += chunk.length
      if (length > REQUEST_LIMITS.deliveryEventBytes) finish(false)
    })
    const finish = (isWhole: boolean): void => {
      payload.removeAllListeners('data')
      // The rest is read and thrown away, or else the answer is lost behind it.
      payload.resume()
      resolve({ bytes: Buffer.concat(chunks), isWhole })
    }
    payload.once('end', () => finish(true))
    payload.once('error', reject)
    payload.once('close', () => reject(new Error('the request was cut short')))
  })
}

type Parsed = { value: unknown } | { reason: Unread['reason'] }

/** Only an escape can bring in a NUL or half of a surrogate pair: bytes are decoded as UTF-8. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

function parse({ bytes, isWhole }: Read, encoding = 'identity'): Parsed {
  if (encoding !== 'identity') return { reason: 'unsupported_encoding' }
  if (!isWhole) return { reason: 'too_large' }
  try {
    const text = bytes.toString('utf8')
    const isSuspicious = SUSPICIOUS_ESCAPE.test(text)
    const parsed: unknown = JSON.parse(text)
    const value = isSuspicious ? replaceTexts(parsed, 0) : parsed
    refuseUnstorable(value, isSuspicious)
    return { value }
  } catch (error) {
    return { reason: error instanceof AppError ? 'unstorable_text' : 'invalid_json' }
  }
}

const UNSTORABLE = /\p{Surrogate}|\0/gu
const storable = (text: string): string => text.replace(UNSTORABLE, '\ufffd')

function replaceTexts(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || depth > REQUEST_LIMITS.nesting) return value
  for (const [key, child] of Object.entries(value)) {
    Reflect.set(value, key, replaceTexts(child, depth + 1))
  }
  return value
}

const describe = (reason: Unread['reason'], { bytes }: Read): Unread => ({
  reason,
  text:
    reason === 'unsupported_encoding'
      ? null
      : storable(bytes.toString('utf8').slice(0, KEPT_CHARACTERS)),
  digest: createHash('sha256').update(bytes).digest('hex'),
})
