import { type Finding, unclear } from '../../domain/deliverability/report.ts'
import type { DnsFailed } from '../../net/dns.ts'

/** A finding that `what` is unknown, and why. Our limits are not the domain's fault. */
export function unanswered(code: string, what: string, { reason }: DnsFailed): Finding {
  const message = `${what} could not be looked up`
  switch (reason) {
    case 'limit':
      return unclear(
        code,
        `${message}: this check has used all of its look-ups.`,
        'Check again in ten seconds: what was found so far is remembered for a minute.',
      )
    case 'busy':
      return unclear(
        code,
        `${message}: too many look-ups are under way here.`,
        'Try again in a minute.',
      )
    case 'bad_name':
      return unclear(code, `${message}: no name server takes the name.`, 'Correct the name.')
    default:
      return unclear(
        code,
        `${message}.`,
        'Check the name servers of the domain, and try again in a minute.',
      )
  }
}
