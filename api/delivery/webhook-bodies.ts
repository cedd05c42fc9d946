import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describeUnread, parseEvent, type UnreadBody } from '../../src/core/delivery/read-event.ts'

interface Read {
  bytes: Buffer
  isWhole: boolean
}

const reads = new WeakMap<FastifyRequest, Read>()
const unread = new WeakMap<FastifyRequest, UnreadBody>()

/**
 * Bodies of the routes of `app` are never refused for what they are: the event bus takes a 4xx for
 * the end of an event, which would look like silence. What is not JSON that can be stored has no
 * `request.body`; `unreadOf` says why. Texts that Postgres cannot store are replaced (U+FFFD), and
 * of a key that is there twice the last one counts: the sender cannot mend it.
 */
export function readEventBodies(app: FastifyInstance, mostBytes: number): void {
  app.removeAllContentTypeParsers()
  // What it is said to be does not matter, and Fastify refuses a type that it cannot parse.
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type']
    done()
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const read = await readBounded(payload, mostBytes)
    reads.set(request, read)
    const found = parse(read, request.raw.headers['content-encoding'])
    if ('value' in found) return found.value
    unread.set(request, describeUnread(found.reason, read.bytes))
    return undefined
  })
}

/** Why a request has no body that is an event; asked of one that has none. */
export function unreadOf(request: FastifyRequest): UnreadBody {
  const { bytes = Buffer.alloc(0) } = reads.get(request) ?? {}
  return unread.get(request) ?? describeUnread('no_envelope', bytes)
}

/** Up to the limit; what is beyond is not waited for, since the sender is to hear the answer. */
function readBounded(payload: IncomingMessage, mostBytes: number): Promise<Read> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    payload.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, mostBytes - length)))
      length += chunk.length
      if (length > mostBytes) finish(false)
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

function parse({ bytes, isWhole }: Read, encoding = 'identity'): ReturnType<typeof parseEvent> {
  if (encoding !== 'identity') return { reason: 'unsupported_encoding' }
  return isWhole ? parseEvent(bytes.toString('utf8')) : { reason: 'too_large' }
}
