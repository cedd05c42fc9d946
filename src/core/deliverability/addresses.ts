import type { DnsAnswer } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'

/**
 * Resolves to the IPv4 addresses of a host, or its IPv6 addresses if it has no others. `failed`: it
 * may have addresses that no server told.
 */
export async function askAddresses(ask: Lookup, host: string): Promise<DnsAnswer> {
  const four = await ask(host, 'A')
  if (four.status === 'found' || four.status === 'no_name') return four
  const six = await ask(host, 'AAAA')
  return six.status === 'found' || four.status !== 'failed' ? six : four
}
