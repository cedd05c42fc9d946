/**
 * URLs that lead, or could be taken to lead, somewhere other than the public internet. `port` is
 * one where a server listens on all addresses of this machine, so that every request that gets
 * through is seen.
 */
export interface SsrfCase {
  what: string
  url: string
}

/** Addresses of every range that is not public. */
const IPV4: Record<string, string> = {
  '127.0.0.1': 'loopback',
  '127.255.255.254': 'the last of loopback',
  '0.0.0.0': 'this host',
  '0.1.2.3': 'this network',
  '10.0.0.1': 'private',
  '172.16.0.1': 'the first of a private range',
  '172.31.255.255': 'the last of a private range',
  '192.168.0.1': 'private',
  '169.254.169.254': 'metadata of clouds',
  '169.254.170.2': 'credentials of containers',
  '100.64.0.1': 'shared by a carrier',
  '100.100.100.200': 'metadata of another cloud',
  '198.18.0.1': 'benchmarks',
  '198.19.255.255': 'the last of benchmarks',
  '192.0.0.192': 'protocol assignments',
  '192.0.2.1': 'documentation',
  '198.51.100.1': 'documentation',
  '203.0.113.1': 'documentation',
  '192.88.99.1': 'a relay of 6to4',
  '224.0.0.1': 'multicast',
  '239.255.255.255': 'the last of multicast',
  '240.0.0.1': 'reserved',
  '255.255.255.255': 'broadcast',
}

const octets = (address: string): [number, number, number, number] => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [a, b, c, d]
}
const decimal = (address: string): number => octets(address).reduce((sum, n) => sum * 256 + n, 0)
const hex = (number: number): string => number.toString(16)

/** Other spellings of an IPv4 address in a URL. */
const SPELLINGS: Record<string, (address: string) => string> = {
  plain: (address) => address,
  'a number': (address) => String(decimal(address)),
  'a hexadecimal number': (address) => `0x${hex(decimal(address))}`,
  'an octal number': (address) => `0${decimal(address).toString(8)}`,
  'hexadecimal parts': (address) =>
    octets(address)
      .map((part) => `0x${hex(part)}`)
      .join('.'),
  'octal parts': (address) =>
    octets(address)
      .map((part) => `000${part.toString(8)}`)
      .join('.'),
  'two parts': (address) => {
    const [a, b, c, d] = octets(address)
    return `${a}.${b * 65_536 + c * 256 + d}`
  },
  'three parts, mixed': (address) => {
    const [a, b, c, d] = octets(address)
    return `0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}`
  },
  'a dot at the end': (address) => `${address}.`,
  'full-width digits': (address) =>
    address.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  'ideographic dots': (address) => address.replaceAll('.', '。'),
  'percent signs': (address) => address.replace(/\d/g, (digit) => `%3${digit}`),
}

/** IPv6 addresses that stand for an IPv4 one. */
const CARRIERS: Record<string, (a: string, b: string) => string> = {
  mapped: (a, b) => `::ffff:${a}:${b}`,
  compatible: (a, b) => `::${a}:${b}`,
  translated: (a, b) => `::ffff:0:${a}:${b}`,
  NAT64: (a, b) => `64:ff9b::${a}:${b}`,
  'local NAT64': (a, b) => `64:ff9b:1::${a}:${b}`,
  '6to4': (a, b) => `2002:${a}:${b}::1`,
  Teredo: (a, b) => `2001:0:${a}:${b}::1`,
}
const CARRIED = ['127.0.0.1', '10.0.0.1', '192.168.0.1', '169.254.169.254', '0.0.0.0', '192.0.2.2']

const IPV6: Record<string, string> = {
  '::1': 'loopback',
  '0:0:0:0:0:0:0:1': 'loopback, written out',
  '0000:0000:0000:0000:0000:0000:0000:0001': 'loopback, with all zeros',
  '::': 'unspecified',
  '::ffff:127.0.0.1': 'mapped, with dots',
  '::127.0.0.1': 'compatible, with dots',
  '64:ff9b::10.0.0.1': 'NAT64, with dots',
  '64:ff9b::8.8.8.8': 'NAT64 of a public address',
  '::ffff:8.8.8.8': 'mapped, of a public address',
  'fc00::1': 'unique local',
  'fd00:ec2::254': 'metadata of a cloud',
  'fd20:ce::254': 'metadata of another cloud',
  'fd00::2': 'unique local',
  'fe80::1': 'link-local',
  'febf::1': 'the last of link-local',
  'fec0::1': 'site-local',
  'ff02::1': 'multicast',
  'ff0e::1': 'multicast of the world',
  '100::1': 'discarded',
  '2001:2::1': 'benchmarks',
  '2001:10::1': 'hashes',
  '2001:20::1': 'hashes',
  '2001:db8::1': 'documentation',
  '3fff::1': 'documentation',
  '5f00::1': 'segment routing',
  '4000::1': 'never given out',
  '8000::1': 'never given out',
  'f000::1': 'never given out',
}

/** Names, and the answers of their name server where they are looked up. */
export const SSRF_NAMES: Record<string, { A?: string[]; AAAA?: string[] }> = {
  'private.example': { A: ['10.0.0.1'] },
  'loopback.example': { A: ['127.0.0.1'] },
  'loopback6.example': { AAAA: ['::1'] },
  'both.example': { A: ['127.0.0.1'], AAAA: ['::1'] },
  'metadata.example': { A: ['169.254.169.254'] },
  'metadata6.example': { AAAA: ['fd00:ec2::254'] },
  'mapped.example': { AAAA: ['::ffff:127.0.0.1'] },
  'nat64.example': { AAAA: ['64:ff9b::7f00:1'] },
  'sixtofour.example': { AAAA: ['2002:7f00:1::1'] },
  'second.example': { A: ['8.8.8.8', '127.0.0.1'] },
  'tenth.example': { A: [...Array<string>(9).fill('8.8.8.8'), '127.0.0.1'] },
  'mixed.example': { A: ['8.8.8.8'], AAAA: ['::1'] },
  'mixed6.example': { A: ['127.0.0.1'], AAAA: ['2606:4700::1111'] },
  'this.example': { A: ['0.0.0.0'] },
  'carrier.example': { A: ['100.64.0.1'] },
  'broadcast.example': { A: ['255.255.255.255'] },
  'linklocal.example': { AAAA: ['fe80::1'] },
  'unspecified.example': { AAAA: ['::'] },
}
const NAMES_OF_THIS_MACHINE = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'ｌｏｃａｌｈｏｓｔ',
]

/** URLs that are odd in other parts than the host. */
const odd = (port: number): SsrfCase[] => [
  { what: 'a user name that looks like a host', url: `http://example.com@127.0.0.1:${port}/` },
  { what: 'a password', url: `http://u:example.com@127.0.0.1:${port}/` },
  { what: 'a fragment that looks like a host', url: `http://127.0.0.1:${port}#@example.com/` },
  { what: 'a backslash', url: `http://127.0.0.1:${port}\\@example.com/` },
  { what: 'a scheme without slashes', url: `http:127.0.0.1:${port}/` },
  { what: 'too many slashes', url: `http:////127.0.0.1:${port}/` },
  { what: 'a line break in the host', url: `http://127.0.\n0.1:${port}/` },
  { what: 'a tab in the scheme', url: `ht\ttp://127.0.0.1:${port}/` },
  { what: 'a soft hyphen', url: `http://127.0.0\u00ad.1:${port}/` },
  { what: 'a zone', url: `http://[fe80::1%25lo]:${port}/` },
  { what: 'a zone without percent', url: `http://[::1%lo]:${port}/` },
  { what: 'the scheme ftp', url: `ftp://127.0.0.1:${port}/` },
  { what: 'the scheme file', url: 'file:///etc/passwd' },
  { what: 'the scheme gopher', url: `gopher://127.0.0.1:${port}/_GET` },
  { what: 'the scheme ws', url: `ws://127.0.0.1:${port}/` },
  { what: 'the scheme data', url: 'data:text/plain,hello' },
  { what: 'a socket of the machine', url: 'http+unix://%2Frun%2Fdocker.sock/info' },
  { what: 'no URL', url: `127.0.0.1:${port}` },
  { what: 'nothing', url: '' },
]

const url = (host: string, port: number): string => `http://${host}:${port}/`

export const ssrfCases = (port: number): SsrfCase[] => [
  ...Object.entries(IPV4).flatMap(([address, range]) =>
    Object.entries(SPELLINGS).map(([spelling, spell]) => ({
      what: `${address} (${range}), ${spelling}`,
      url: url(spell(address), port),
    })),
  ),
  ...Object.entries(CARRIERS).flatMap(([kind, carry]) =>
    CARRIED.map((address) => {
      const [a, b, c, d] = octets(address)
      const host = carry(hex(a * 256 + b), hex(c * 256 + d))
      return { what: `${address}, ${kind}`, url: url(`[${host}]`, port) }
    }),
  ),
  ...Object.entries(IPV6).map(([address, range]) => ({
    what: `${address} (${range})`,
    url: url(`[${address}]`, port),
  })),
  ...[...Object.keys(SSRF_NAMES), ...NAMES_OF_THIS_MACHINE].map((name) => ({
    what: name,
    url: url(name, port),
  })),
  ...odd(port),
]
