import { Resolver } from 'node:dns/promises'

export type DnsType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'PTR' | 'TXT'

export type DnsAnswer =
  | { status: 'found'; values: readonly string[] }
  | { status: 'empty' | 'no_name' }
  | DnsFailed

export interface DnsFailed {
  status: 'failed'
  reason: DnsFailure
}

/**
 * Reasons:
 * - `timeout`: no answer in time
 * - `server`: SERVFAIL, REFUSED, or an answer that cannot be parsed
 * - `bad_name`: not a valid domain name
 * - `limit`: the request has used up its look-ups
 * - `busy`: the process has used up its look-ups
 */
type DnsFailure = 'timeout' | 'server' | 'bad_name' | 'limit' | 'busy'

interface Question {
  name: string
  type: DnsType
  servers?: readonly string[] | undefined
  signal: AbortSignal
}

const TIMEOUT_MS = 1_000
const TRIES = 2

/**
 * Sends one query to the name servers, over UDP, and over TCP if the answer was truncated. Never
 * throws. TXT strings are joined; MX values read `10 mail.example.com`.
 */
export async function askDns({ name, type, servers, signal }: Question): Promise<DnsAnswer> {
  if (signal.aborted) return { status: 'failed', reason: 'timeout' }
  // A resolver for each query, since cancelling is all or nothing.
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers && servers.length > 0) resolver.setServers(servers)
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const values = await resolve(resolver, name, type)
    return values.length === 0 ? { status: 'empty' } : { status: 'found', values }
  } catch (error) {
    return failureOf(error)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

async function resolve(resolver: Resolver, name: string, type: DnsType): Promise<string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name)
    case 'AAAA':
      return resolver.resolve6(name)
    case 'CNAME':
      return resolver.resolveCname(name)
    case 'PTR':
      return resolver.resolvePtr(name)
    case 'MX': {
      const exchanges = await resolver.resolveMx(name)
      return exchanges
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ priority, exchange }) => `${priority} ${exchange === '' ? '.' : exchange}`)
    }
    case 'TXT': {
      const records = await resolver.resolveTxt(name)
      return records.map((parts) => parts.join(''))
    }
  }
}

function failureOf(error: unknown): DnsAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENODATA':
      return { status: 'empty' }
    case 'ENOTFOUND':
      return { status: 'no_name' }
    case 'EBADNAME':
    case 'ERR_INVALID_ARG_VALUE':
      return { status: 'failed', reason: 'bad_name' }
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return { status: 'failed', reason: 'timeout' }
    default:
      return { status: 'failed', reason: 'server' }
  }
}
