import type { Answer, RecordType } from '../domain/accounts/dns-records.ts'
import { isDomain } from '../domain/accounts/identity.ts'
import { askDns } from './dns.ts'

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
      const answer = await askDns({ name, type, servers, signal })
      if (answer.status === 'failed') return 'unknown'
      if (answer.status !== 'found') return []
      return answer.values.slice(0, MOST_ANSWERS).map((text) => text.slice(0, LONGEST_ANSWER))
    },
  }
}
