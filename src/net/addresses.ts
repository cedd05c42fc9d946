import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AddressRules {
  /**
   * Addresses and ranges (`10.0.0.0/8`) that may be reached although they are not public
   * (`NET_ALLOW_PRIVATE`).
   */
  allowed: readonly string[]
  own?: () => readonly string[]
}

/** The first three bits of every public IPv6 address (IANA, "IPv6 Global Unicast"). */
const GLOBAL_UNICAST = 0b001
/** Addresses of this range carry an IPv4 address in their last 32 bits (RFC 6052, 2.1). */
const NAT64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Addresses of cloud platforms' own services (metadata, credentials, agents), the same in every
 * network of the cloud. Sources: Azure "What is IP address 168.63.129.16", AWS "Instance metadata",
 * "Task metadata", Google "Metadata server", Alibaba "Instance metadata", Oracle "Instance
 * metadata".
 */
const PLATFORM = [
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
].map((text) => ipaddr.parse(text).toNormalizedString())

/**
 * Returns a function that tells whether a connection may be made to a literal address. Only public
 * addresses are allowed: private, shared, loopback, link-local (which includes cloud metadata),
 * multicast, reserved, documentation and benchmark ranges are refused, and so is every IPv6 address
 * that stands for an IPv4 one (mapped, compatible, translated, NAT64, 6to4, Teredo). A cloud
 * platform's address is refused even inside an allowed range, unless that address itself is
 * allowed. A text that is not an address is refused.
 *
 * Sources: IANA's special-purpose registries (RFC 6890), as `ipaddr.js` has them, and IANA's global
 * unicast range for IPv6.
 */
export function createAddressCheck({ allowed, own = ownAddresses }: AddressRules) {
  const ranges = allowed.map(toRange)
  return (text: string): boolean => {
    // `fe80::1%eth0`: an address of one interface.
    if (isIP(text) === 0 || text.includes('%')) return false
    const address = ipaddr.parse(text)
    if (isPlatform(address) && !ranges.some((range) => isOnly(address, range))) return false
    if (!ranges.some((range) => isWithin(address, range))) {
      return isPublic(address) && !own().some((each) => isSame(address, each))
    }
    // Allowing a translator does not allow the addresses behind it.
    const carried = carriedBy(address)
    return (
      carried === undefined ||
      (isPublic(carried) && !isPlatform(carried)) ||
      ranges.some((each) => (isPlatform(carried) ? isOnly : isWithin)(carried, each))
    )
  }
}

/** Parses `10.0.0.0/8` or a single address. Throws on any other text. */
function toRange(text: string): [Address, number] {
  const [address = '', bits] = text.split('/')
  const allBits = address.includes(':') ? 128 : 32
  return ipaddr.parseCIDR(`${address}/${bits ?? allBits}`)
}

function isWithin(address: Address, [range, bits]: [Address, number]): boolean {
  return address.kind() === range.kind() && address.match(range, bits)
}

const isPlatform = (address: Address): boolean => PLATFORM.includes(address.toNormalizedString())

const isOnly = (address: Address, [range, bits]: [Address, number]): boolean =>
  bits === range.toByteArray().length * 8 && isWithin(address, [range, bits])

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || (address.parts[0] ?? 0) >> 13 === GLOBAL_UNICAST
}

const INTERNAL = ['private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal']

export function isInternal(text: string): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text.split('%', 1)[0] ?? text)
  return INTERNAL.includes(address.range()) || isPlatform(address)
}

/**
 * Returns the IPv4 form of an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`), and other addresses as
 * they are.
 */
export const unmapped = (text: string): string =>
  /^[0:]*:ffff:/i.test(text) && isIP(text) === 6 ? ipaddr.process(text).toString() : text

function carriedBy(address: Address): Address | undefined {
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64)) return undefined
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

const isSame = (address: Address, own: string): boolean =>
  isIP(own) !== 0 && address.toNormalizedString() === ipaddr.parse(own).toNormalizedString()

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
