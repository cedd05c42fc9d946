import type { DnsAnswer, DnsFailed } from '../../net/dns.ts'
import type { Lookup } from '../../net/lookups.ts'
import { type Finding, unclear } from '../../domain/deliverability/report.ts'

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

/** A finding that `what` is unknown, and why. Our limits are not the domain's fault. */
export function unanswered(code: string, what: string, { reason }: DnsFailed): Finding {
  const message = `${what} could not be looked up`
  switch (reason) {
    case 'limit':
      return unclear(
        code,
        `${message}: this check has used all of its look-ups.`,
        'Check again in ten seconds: the answers so far are cached for a minute.',
      )
    case 'busy':
      return unclear(code, `${message}: too many look-ups are running.`, 'Try again in a minute.')
    case 'bad_name':
      return unclear(code, `${message}: the name is not valid in DNS.`, 'Correct the name.')
    default:
      return unclear(
        code,
        `${message}.`,
        'Check the name servers of the domain, and try again in a minute.',
      )
  }
}
