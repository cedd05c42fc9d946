import ipaddr from 'ipaddr.js'

/**
 * Returns the caller that an address stands for: an IPv4 address itself, also if written as IPv6
 * (`::ffff:192.0.2.1`); the /64 of an IPv6 address, which is the least that one customer gets.
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
