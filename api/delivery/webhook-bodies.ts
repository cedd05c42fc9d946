import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  describeUnread,
  parseEvent,
  type UnreadBody,
  type UnreadReason,
} from '../../src/core/delivery/read-event.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body, with the reason why it cannot be read as JSON. Undefined: there is none. */
    eventBody: (Bytes & { reason: UnreadReason | undefined }) | undefined
  }
}

interface Bytes {
  bytes: Buffer
  isWhole: boolean
}

/**
 * Reads bodies of the routes of `app`, and refuses none for its content: the event bus drops an
 * event after a 4xx, which would look like silence. A body that is not storable JSON leaves
 * `request.body` undefined, and `unreadOf` returns the reason. Texts that Postgres cannot store are
 * replaced (U+FFFD), and the last of duplicate keys counts: the sender cannot correct them.
 */
export function readEventBodies(app: FastifyInstance, mostBytes: number): void {
  app.decorateRequest('eventBody', undefined)
  app.removeAllContentTypeParsers()
  // What it is said to be does not matter, and Fastify refuses a type that it cannot parse.
  app.addHook('onRequest', (request, _reply, done) => {
    delete request.raw.headers['content-type']
    done()
  })
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const read = await readBounded(payload, mostBytes)
    const parsedBody = parse(read, request.raw.headers['content-encoding'])
    request.eventBody = { ...read, reason: 'reason' in parsedBody ? parsedBody.reason : undefined }
    return 'value' in parsedBody ? parsedBody.value : undefined
  })
}

/** Returns what is known of a body that is not an event. */
export function unreadOf({ eventBody }: FastifyRequest): UnreadBody {
  const { reason = 'no_envelope', bytes = Buffer.alloc(0) } = eventBody ?? {}
  return describeUnread(reason, bytes)
}

/** Reads up to the limit and no further, so that the sender gets the answer. */
function readBounded(payload: IncomingMessage, mostBytes: number): Promise<Bytes> {
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

function parse({ bytes, isWhole }: Bytes, encoding = 'identity'): ReturnType<typeof parseEvent> {
  if (encoding !== 'identity') return { reason: 'unsupported_encoding' }
  return isWhole ? parseEvent(bytes.toString('utf8')) : { reason: 'too_large' }
}
