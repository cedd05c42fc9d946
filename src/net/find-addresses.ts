import { Resolver } from 'node:dns/promises'

/**
 * Resolves to all addresses of a name, IPv4 first, or to an empty list if it has none. Throws if no
 * server answers, and when `signal` ends.
 */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<string[]>

interface Options {
  servers?: readonly string[]
}

const TIMEOUT_MS = 2_000
const TRIES = 2
/** `localhost` is the machine itself and is never looked up (RFC 6761, 6.3). */
const LOCALHOST = /(?:^|\.)localhost\.?$/

/**
 * Queries only the machine's name servers: not its hosts file, no search domains, and not
 * `getaddrinfo`, since a slow name server would block its few threads for everything else.
 */
export function createAddressFinder({ servers }: Options = {}): FindAddresses {
  return async (name, signal) => {
    if (LOCALHOST.test(name)) return ['127.0.0.1', '::1']
    signal.throwIfAborted()
    // A resolver for each query, since cancelling is all or nothing.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers && servers.length > 0) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      signal.throwIfAborted()
      const addresses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      // A zone with one kind of address often answers questions for the other one badly.
      const failure = answers.find((each) => each.status === 'rejected' && !isAbsent(each.reason))
      if (addresses.length === 0 && failure?.status === 'rejected') throw failure.reason
      return addresses
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

const ABSENT = ['ENOTFOUND', 'ENODATA']

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))
