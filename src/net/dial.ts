import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { FetchError } from './fetch-error.ts'
import type { Target } from './target.ts'

export interface Dialling {
  target: Target
  addresses: readonly string[]
  /** Called again with the address to which the socket is connected. */
  isAllowed: (address: string) => boolean
  ca: string | undefined
  signal: AbortSignal
}

const MOST_ADDRESSES = 4
const SHARE_MS = 3_000

/**
 * Opens a connection to one of the given addresses. Names are not resolved again, and the
 * certificate must match the URL's host. Throws a FetchError.
 */
export async function dial(dialling: Dialling): Promise<Socket> {
  const { target, isAllowed, signal } = dialling
  const addresses = dialling.addresses.slice(0, MOST_ADDRESSES)
  for (const [index, address] of addresses.entries()) {
    const isLast = index === addresses.length - 1
    const socket = connectTcp({ host: address, port: target.port, noDelay: true })
    try {
      await opened(socket, 'connect', isLast ? undefined : SHARE_MS, signal)
    } catch {
      signal.throwIfAborted()
      continue
    }
    if (!isAllowed(socket.remoteAddress ?? '')) {
      socket.destroy()
      throw new FetchError('address_refused')
    }
    return target.isSecure ? secure(socket, dialling) : socket
  }
  throw new FetchError('connect_failed')
}

async function secure(socket: Socket, { target, ca, signal }: Dialling): Promise<Socket> {
  const { host } = target
  const secured = connectTls({
    socket,
    host,
    // An IP address is not a valid server name (RFC 6066, 3).
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that no environment variable switches it off.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
  })
  try {
    await opened(secured, 'secureConnect', undefined, signal)
    return secured
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    throw new FetchError('tls_failed', tlsMessage(error))
  }
}

const UNKNOWN_AUTHORITY =
  'The certificate of the host is from an unknown authority; the chain may lack its intermediate certificate'
const TLS_MESSAGES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the host has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
}

/** Returns what is wrong with a certificate. Undefined: something else went wrong. */
const tlsMessage = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? TLS_MESSAGES[String(error.code)] : undefined

/**
 * Resolves when the socket emits the event. If it fails first, the socket is destroyed and the
 * promise rejects.
 */
async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  timeoutMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const give = (): unknown => socket.destroy(new Error('given up'))
  signal.addEventListener('abort', give, { once: true })
  const timer = timeoutMs === undefined ? undefined : setTimeout(give, timeoutMs)
  try {
    await new Promise<void>((resolve, reject) => {
      // The listener stays. Later errors are reported to the user of the socket.
      socket.on('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      socket.once(event, () => resolve())
      if (signal.aborted) give()
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', give)
  }
}
