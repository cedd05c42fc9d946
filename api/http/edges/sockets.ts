import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../../src/domain/errors.ts'
import { networkOf } from '../network.ts'
import { answerClientError } from '../errors.ts'
import { HttpError } from '../http-error.ts'
import type { Metrics } from '../metrics.ts'
import { configOf } from '../route-config.ts'
import { REQUEST_LIMITS } from '../request-limits.ts'

/** Limit for the headers of a request. A slower client only holds a socket. */
const HEADERS_TIMEOUT_MS = 10_000
/** Time for the largest body except uploads, at 1 Mbit/s. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than load balancers keep idle connections (60 s), so that we never close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000
/** Silence after which a connection is closed, longer than the longest statement. */
const SILENCE_TIMEOUT_MS = 60_000
/** Time after which an unread answer is dropped, since it only holds memory. */
const READ_TIMEOUT_MS = 30_000
/** Interval of Node's and our search for slow clients. */
const LOOK_EVERY_MS = 1_000

/** Limit of connections. An idle one takes some 20 KB. */
const MOST_SOCKETS = 10_000
/** Limit for one address or IPv6 network, except for a proxy, so that others find room. */
const MOST_SOCKETS_PER_ADDRESS = 500

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body may take longer than others, and the route checks that it arrives. */
    isUpload?: boolean
  }
}

export const serverLimits = {
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  // Node knows one time for all requests, and an upload takes longer: `limitSockets` looks itself.
  requestTimeout: 0,
  connectionTimeout: SILENCE_TIMEOUT_MS,
  http: {
    maxHeaderSize: REQUEST_LIMITS.headerBytes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    // Node would answer in words of its own; `refuseOversized` does it.
    requireHostHeader: false,
  } satisfies ServerOptions,
}

export function refuseOversized(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if ((raw.url ?? '').length > REQUEST_LIMITS.urlCharacters) {
      done(refused(414, `The address is longer than ${REQUEST_LIMITS.urlCharacters} characters`))
    } else if (raw.rawHeaders.length > 2 * REQUEST_LIMITS.headers) {
      done(refused(431, `There are more than ${REQUEST_LIMITS.headers} headers`))
    } else if (raw.httpVersion === '1.1' && raw.headers.host === undefined) {
      done(new AppError('MALFORMED_REQUEST', 'The Host header is missing'))
    } else {
      const twice = repeatedHeader(raw)
      if (twice === undefined) done()
      else done(new AppError('MALFORMED_REQUEST', `The header ${twice} is repeated`))
    }
  })
}

/**
 * Headers that a request may have once (RFC 9110, 5.3; RFC 9112, 3.2). Node takes the first, and a
 * proxy before us may have taken the other.
 */
const ONCE = ['host', 'authorization', 'content-type']

function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const foundNames = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    if (!ONCE.includes(name)) continue
    if (foundNames.has(name)) return name
    foundNames.add(name)
  }
  return undefined
}

const refused = (status: number, words: string): AppError =>
  new HttpError('REQUEST_FAILED', words, { status })

interface Guard {
  metrics: Metrics
  isProxy: (address: string, hop: number) => boolean
}

/**
 * Prevents one address from taking all connections, and slow readers from holding answers in
 * memory.
 */
export function limitSockets(app: FastifyInstance, { metrics, isProxy }: Guard): void {
  const server: Server = app.server
  server.maxConnections = MOST_SOCKETS
  const counts = new Map<string, number>()

  // Before the server's own listener: of a socket that is refused nothing is read.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined || isProxy(address, 0)) return
    const network = networkOf(address)
    const count = (counts.get(network) ?? 0) + 1
    counts.set(network, count)
    socket.once('close', () => {
      const remainder = (counts.get(network) ?? 1) - 1
      if (remainder === 0) counts.delete(network)
      else counts.set(network, remainder)
    })
    if (count <= MOST_SOCKETS_PER_ADDRESS) return
    metrics.socketsRefused.inc()
    socket.destroy()
  })
  server.on('drop', () => metrics.socketsRefused.inc())

  const incoming = new Map<IncomingMessage, number>()
  server.prependListener('request', (request: IncomingMessage) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length !== '0' || encoding !== undefined) incoming.set(request, performance.now())
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (configOf(request).isUpload === true) incoming.delete(request.raw)
    done()
  })

  /** Finished answers, by the time at which they were first seen unread. */
  const unread = new WeakMap<object, number>()
  const look = setInterval(() => {
    const time = performance.now()
    for (const [request, since] of incoming) {
      if (!request.complete && time - since <= REQUEST_TIMEOUT_MS) continue
      incoming.delete(request)
      if (!request.complete) answerClientError(timedOut(), request.socket)
    }
    for (const response of app.traffic.inFlight) {
      if (!response.writableEnded) continue
      const since = unread.get(response)
      if (since === undefined) unread.set(response, time)
      else if (time - since > READ_TIMEOUT_MS) response.destroy()
    }
  }, LOOK_EVERY_MS).unref()
  app.addHook('onClose', async () => clearInterval(look))
}

const timedOut = () =>
  Object.assign(new Error('the body took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
