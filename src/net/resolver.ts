import { Resolver } from 'node:dns/promises'
import type { Answer, RecordType } from '../domain/accounts/dns-records.ts'
import { isDomain } from '../domain/accounts/identity.ts'

/** One question to one server; it is asked once more when it is silent. */
const TIMEOUT_MS = 1_000
const TRIES = 2
/** Most answers that are looked at, and characters of each: a zone is somebody else's. */
const MOST_ANSWERS = 20
const LONGEST_ANSWER = 1_000
/** Names that are not public, or that no stranger has to do with (RFC 6761, 6762, 9476). */
const PRIVATE = /(?:^|\.)(?:alt|arpa|corp|home|internal|invalid|lan|local|localhost|onion)$/

/** Asks the domain name system. */
export interface DnsResolver {
  /**
   * The records of a name, MX with the preference in front. None: there is no such name or record.
   * `unknown`: no answer before `signal` or the resolver's own limit, or a name that is not public.
   */
  resolve(name: string, type: RecordType, signal: AbortSignal): Promise<Answer>
}

interface Options {
  /** `127.0.0.1:5353`; absent: those of the machine. */
  servers?: readonly string[]
}

/**
 * Asks the machine's resolvers, within limits: names of the public kind, three types, bounded time
 * and answers. Nothing is ever connected to what an answer says.
 */
export function createResolver({ servers }: Options = {}): DnsResolver {
  return {
    resolve: async (name, type, signal) => {
      if (!isDomain(name) || PRIVATE.test(name) || signal.aborted) return 'unknown'
      // One for each question: cancelling is all or nothing.
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
      if (servers) resolver.setServers(servers)
      const cancel = (): void => resolver.cancel()
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const found = await ask(resolver, name, type)
        return found.slice(0, MOST_ANSWERS).map((text) => text.slice(0, LONGEST_ANSWER))
      } catch (error) {
        return isAbsent(error) ? [] : 'unknown'
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
  }
}

async function ask(resolver: Resolver, name: string, type: RecordType): Promise<string[]> {
  switch (type) {
    case 'CNAME':
      return resolver.resolveCname(name)
    case 'MX': {
      const found = await resolver.resolveMx(name)
      return found.map(({ priority, exchange }) => `${priority} ${exchange}`)
    }
    case 'TXT': {
      const found = await resolver.resolveTxt(name)
      return found.map((parts) => parts.join(''))
    }
  }
}

/** What the resolver says when the name, or a record of that type, is not there. */
const ABSENT = ['ENOTFOUND', 'ENODATA']

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))
