import type { DnsAnswer } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'

/**
 * The addresses of a host: of IPv4, or of IPv6 if it has no other. `failed` when it may have some
 * that nobody could tell.
 */
export async function askAddresses(ask: Lookup, host: string): Promise<DnsAnswer> {
  const four = await ask(host, 'A')
  if (four.status === 'found' || four.status === 'no_name') return four
  const six = await ask(host, 'AAAA')
  return six.status === 'found' || four.status !== 'failed' ? six : four
}
