import { Resolver } from 'node:dns/promises'

/**
 * All addresses of a name, IPv4 first; none: it has none. Throws when nobody can say, and when
 * `signal` ends.
 */
export type FindAddresses = (name: string, signal: AbortSignal) => Promise<string[]>

interface Options {
  /** `127.0.0.1:5353`; absent: those of the machine. */
  servers?: readonly string[]
}

/** One question to one server; it is asked once more when it is silent. */
const TIMEOUT_MS = 2_000
const TRIES = 2
/** It names the machine itself, without being asked for (RFC 6761, 6.3). */
const LOCALHOST = /(?:^|\.)localhost\.?$/

/**
 * Asks the machine's name servers, and them only: not the file of hosts, no search domains, and not
 * `getaddrinfo`, whose few threads a slow name server would keep from everything else.
 */
export function createAddressFinder({ servers }: Options = {}): FindAddresses {
  return async (name, signal) => {
    if (LOCALHOST.test(name)) return ['127.0.0.1', '::1']
    signal.throwIfAborted()
    // One for each question: cancelling is all or nothing.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers && servers.length > 0) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      signal.throwIfAborted()
      const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
      // A zone with one kind of address often answers questions for the other one badly.
      const failure = answers.find((each) => each.status === 'rejected' && !isAbsent(each.reason))
      if (found.length === 0 && failure?.status === 'rejected') throw failure.reason
      return found
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

/** What the resolver says when the name, or a record of that type, is not there. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))
