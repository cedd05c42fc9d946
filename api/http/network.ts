import ipaddr from 'ipaddr.js'

/**
 * Whom an address stands for: an IPv4 address for itself, also written as IPv6
 * (`::ffff:192.0.2.1`); an IPv6 address for its /64, which is what one customer gets at least.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!('parts' in parsed)) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
