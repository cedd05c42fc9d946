import type { Answer, RecordType } from '../domain/accounts/dns-records.ts'
import { isDomain } from '../domain/accounts/identity.ts'
import { askDns } from './dns.ts'

const MOST_ANSWERS = 20
const LONGEST_ANSWER = 1_000
const PRIVATE = /(?:^|\.)(?:alt|arpa|corp|home|internal|invalid|lan|local|localhost|onion)$/

export interface DnsResolver {
  /**
   * Resolves to the records of a name, MX with the preference in front, or to an empty list if
   * there are none. `unknown`: no answer before `signal` or the resolver's limit, or the name is
   * not public.
   */
  resolve(name: string, type: RecordType, signal: AbortSignal): Promise<Answer>
}

interface Options {
  servers?: readonly string[]
}

/**
 * Queries the machine's resolvers within limits: public names, three record types, bounded time and
 * answers. Nothing ever connects to an address from an answer.
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
