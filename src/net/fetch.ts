import { isIP } from 'node:net'
import { errors } from 'undici'
import { type AddressRules, createAddressCheck } from './addresses.ts'
import { dial } from './dial.ts'
import { FetchError } from './fetch-error.ts'
import { createAddressFinder, type FindAddresses } from './find-addresses.ts'
import { checkedHeaders, safeHeaders } from './headers.ts'
import { type Connection, connectionOf, createKeptConnections } from './connections.ts'
import { type Target, targetOf } from './target.ts'

export interface FetcherOptions extends AddressRules {
  findAddresses?: FindAddresses
  ca?: string
}

export interface Outgoing {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string | undefined
  /**
   * Limit for the whole exchange: names, connections, redirects and the last byte of the answer.
   */
  timeoutMs: number
  /** Bytes of the body that are read. The rest is dropped. */
  mostBytes: number
  /**
   * Redirects that are followed. Absent: none, and a redirect is returned like any other answer.
   */
  redirects?: number
  /**
   * Requests of this name may use each other's connections to the same origin. Absent: the
   * connection is used once.
   */
  keptBy?: string
  signal?: AbortSignal
}

export interface Incoming {
  url: string
  status: number
  headers: ReadonlyMap<string, string>
  body: Buffer
  isCut: boolean
}

export interface Fetcher {
  /**
   * Sends one request once and returns the answer, whatever its status. Throws a FetchError if
   * there is no answer, and the signal's reason if `signal` ended it.
   */
  send: (request: Outgoing) => Promise<Incoming>
}

const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * The only way to addresses that somebody else has chosen. For each hop the name is resolved once,
 * and the request is refused if any of its addresses is not public. The connection goes to an
 * address that was checked, so a name that resolves differently the next time changes nothing, and
 * the connected address is checked again. A connection is used again only by requests of one name
 * (`keptBy`), and for a minute at most: then the name is resolved and checked again. No proxies,
 * cookies or compression; HTTP/1.1.
 */
export function createFetcher(options: FetcherOptions): Fetcher {
  const { findAddresses = createAddressFinder(), ca } = options
  const isAllowed = createAddressCheck(options)
  const keptConnections = createKeptConnections()

  const addressesOf = async ({ host }: Target, signal: AbortSignal): Promise<string[]> => {
    if (isIP(host) !== 0) return [host]
    try {
      return await findAddresses(host, signal)
    } catch {
      signal.throwIfAborted()
      throw new FetchError('dns_unanswered')
    }
  }

  const opened = async (target: Target, signal: AbortSignal): Promise<Connection> => {
    const addresses = await addressesOf(target, signal)
    if (addresses.length === 0) throw new FetchError('dns_failed')
    if (!addresses.every(isAllowed)) throw new FetchError('address_refused')
    const socket = await dial({ target, addresses, isAllowed, ca, signal })
    return connectionOf(socket, target)
  }

  const hop = async (target: Target, request: Outgoing, signal: AbortSignal) => {
    const { keptBy } = request
    if (keptBy === undefined) {
      const connection = await opened(target, signal)
      return exchange(connection, target, request, signal).finally(connection.close)
    }
    const place = `${keptBy} ${target.url.origin}`
    const use = (connection: Connection): Promise<Incoming> =>
      keptConnections.use(place, connection, () => exchange(connection, target, request, signal))
    const idle = keptConnections.take(place)
    try {
      if (idle) return await use(idle)
    } catch (error) {
      // The receiver may have closed it while it was idle.
      if (!(error instanceof FetchError) || error.reason !== 'connection_lost') throw error
    }
    return use(await opened(target, signal))
  }

  const follow = async (first: Outgoing, signal: AbortSignal): Promise<Incoming> => {
    let request: Outgoing = { ...first, headers: checkedHeaders(first.headers ?? {}) }
    let target = targetOf(first.url)
    for (let remainingRedirects = first.redirects ?? 0; ; remainingRedirects--) {
      const answer = await hop(target, request, signal)
      const location = answer.headers.get('location')
      const isRedirect = REDIRECTS.includes(answer.status) && location !== undefined
      if (!isRedirect || first.redirects === undefined) return answer
      if (remainingRedirects === 0) throw new FetchError('redirect_refused')
      const next = targetOf(location, target.url)
      if (target.isSecure && !next.isSecure) throw new FetchError('redirect_refused')
      request = redirected(request, answer.status, target.url.origin === next.url.origin)
      target = next
    }
  }

  return { send: (request) => bounded(request, (signal) => follow(request, signal)) }
}

/** Returns the request that follows a redirect (fetch.spec.whatwg.org, "HTTP-redirect fetch"). */
function redirected(request: Outgoing, status: number, isSameOrigin: boolean): Outgoing {
  const { headers: given = {}, body, ...rest } = request
  const headers = isSameOrigin ? given : safeHeaders(given)
  const becomesGet = status === 303 || (request.method === 'POST' && status < 307)
  if (!becomesGet) return { ...rest, headers, body }
  const { 'content-type': _, ...contentFreeHeaders } = headers
  return { ...rest, method: 'GET', headers: contentFreeHeaders }
}

async function exchange(
  { client }: Connection,
  { url }: Target,
  { method, headers = {}, body, mostBytes, keptBy }: Outgoing,
  signal: AbortSignal,
): Promise<Incoming> {
  try {
    const answer = await client.request({
      method,
      path: url.pathname + url.search,
      headers: { 'accept-encoding': 'identity', ...headers },
      ...(body === undefined ? {} : { body }),
      reset: keptBy === undefined,
      signal,
    })
    const read = await readBody(answer.body, mostBytes)
    return { url: url.href, status: answer.statusCode, headers: toMap(answer.headers), ...read }
  } catch (error) {
    signal.throwIfAborted()
    throw toFetchError(error)
  }
}

async function readBody(
  stream: AsyncIterable<Buffer>,
  mostBytes: number,
): Promise<{ body: Buffer; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > mostBytes) break
  }
  return { body: Buffer.concat(chunks).subarray(0, mostBytes), isCut: length > mostBytes }
}

const toMap = (headers: Record<string, string | string[] | undefined>): Map<string, string> =>
  new Map(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')] as const],
    ),
  )

function toFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) {
    return new FetchError('request_refused')
  }
  const isWrong =
    error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError
  return new FetchError(isWrong ? 'bad_answer' : 'connection_lost')
}

/** Runs `work` with a signal that ends with the caller's, or at the time limit. */
async function bounded<T>(
  { timeoutMs, signal: callers }: Outgoing,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController()
  const { signal } = control
  const timer = setTimeout(() => control.abort(new FetchError('timeout')), timeoutMs)
  const stop = (): void => control.abort(callers?.reason)
  callers?.addEventListener('abort', stop, { once: true })
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    callers?.throwIfAborted()
    // Rejects whatever the work is waiting for.
    return await Promise.race([work(signal), over])
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    clearTimeout(timer)
    callers?.removeEventListener('abort', stop)
  }
}
