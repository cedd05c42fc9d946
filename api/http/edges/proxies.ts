import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'

/** In a list of proxies: whoever connects to us is one, as nobody but a proxy can. */
const PEER = 'peer'
/** Ranges that have a name: this machine, this link, private networks. */
const NAMED: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Returns a matcher of `proxies`: addresses, CIDR ranges, `loopback`, `linklocal`, `uniquelocal`,
 * or `peer`. Only they may say for whom they speak. `hop` is 0 for the address that is connected to
 * us. Throws an error that names an invalid entry.
 */
export function proxyMatcher(
  proxies: readonly string[],
): (address: string, hop: number) => boolean {
  const trustsPeer = proxies.includes(PEER)
  const ranges = proxies
    .filter((each) => each !== PEER)
    .flatMap((each) => (NAMED[each] ?? [each]).map(toRange))
  return (address, hop) => {
    if (trustsPeer && hop === 0) return true
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false
    // An IPv4 peer of an IPv6 socket is `::ffff:192.0.2.1`.
    const parsed = ipaddr.process(address)
    return ranges.some(
      ([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits),
    )
  }
}

function toRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  try {
    return ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`)
  } catch {
    throw new Error(
      `TRUSTED_PROXIES: "${text}" is not an address, a range, loopback, linklocal, uniquelocal, peer`,
    )
  }
}

const FORWARDED_HEADER = 'x-forwarded-for'
/** `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/

/**
 * Leaves addresses only in `X-Forwarded-For`, without the ports that some proxies write: a port
 * would make every connection somebody else. What is not an address, and whatever was said before
 * it, is dropped: the request then comes from the hop that passed it on. Add it before `request.ip`
 * is read.
 */
export function readForwarded(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const header = headers[FORWARDED_HEADER]
    if (header !== undefined) headers[FORWARDED_HEADER] = cleanForwarded(String(header))
    done()
  })
}

function cleanForwarded(text: string): string {
  const entries = text.split(',').map((entry) => {
    const [, v4, v6] = WITH_PORT.exec(entry.trim()) ?? []
    return v4 ?? v6 ?? entry.trim()
  })
  const last = entries.findLastIndex((entry) => !ipaddr.isValid(entry))
  return entries.slice(last + 1).join(', ')
}
