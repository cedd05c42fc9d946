import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

export interface AddressRules {
  /**
   * Ranges (`10.0.0.0/8`) and addresses that may be reached although they are not public:
   * `NET_ALLOW_PRIVATE`.
   */
  allowed: readonly string[]
  /** The machine's own addresses: a service that listens on all of them is not a stranger's. */
  own?: () => readonly string[]
}

/** The first three bits of every public IPv6 address (IANA, "IPv6 Global Unicast"). */
const GLOBAL_UNICAST = 0b001
/** In addresses of this range the last 32 bits are an IPv4 address (RFC 6052, 2.1). */
const NAT64: [ipaddr.IPv6, number] = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Services of a cloud's own platform, at addresses that are the same in all its networks: metadata,
 * credentials, agents (Azure "What is IP address 168.63.129.16", AWS "Instance metadata", "Task
 * metadata", Google "Metadata server", Alibaba "Instance metadata", Oracle "Instance metadata").
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
 * Whether a connection may be made to an address, given as a literal. Only what is public: known
 * ranges of the internet at large, without private, shared, loopback, link-local (so the metadata
 * of a cloud), multicast, reserved, documentation and benchmark ranges, and without IPv6 addresses
 * that stand for an IPv4 one (mapped, compatible, translated, NAT64, 6to4, Teredo), whatever that
 * is. A cloud's platform is refused even within a range that is allowed: only its address itself
 * opens it. What is not an address is refused too.
 *
 * Sources: the special-purpose registries of IANA (RFC 6890), as `ipaddr.js` has them, and for IPv6
 * the range that is given out at all.
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
    // Allowing a translator does not allow what lies behind it.
    const carried = carriedBy(address)
    return (
      carried === undefined ||
      (isPublic(carried) && !isPlatform(carried)) ||
      ranges.some((each) => (isPlatform(carried) ? isOnly : isWithin)(carried, each))
    )
  }
}

/** `10.0.0.0/8`, or one address. Throws on what is neither. */
function toRange(text: string): [Address, number] {
  const [address = '', bits] = text.split('/')
  const whole = address.includes(':') ? 128 : 32
  return ipaddr.parseCIDR(`${address}/${bits ?? whole}`)
}

function isWithin(address: Address, [range, bits]: [Address, number]): boolean {
  return address.kind() === range.kind() && address.match(range, bits)
}

const isPlatform = (address: Address): boolean => PLATFORM.includes(address.toNormalizedString())

/** Whether the range is this address and no other. */
const isOnly = (address: Address, [range, bits]: [Address, number]): boolean =>
  bits === range.toByteArray().length * 8 && isWithin(address, [range, bits])

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 || (address.parts[0] ?? 0) >> 13 === GLOBAL_UNICAST
}

const INTERNAL = ['private', 'carrierGradeNat', 'linkLocal', 'uniqueLocal']

/** Whether an address is of somebody's own network: strangers are not told what it stands for. */
export function isInternal(text: string): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text.split('%', 1)[0] ?? text)
  return INTERNAL.includes(address.range()) || isPlatform(address)
}

/** An address as IPv4 where it is one that is written as IPv6 (`::ffff:192.0.2.1`). */
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
