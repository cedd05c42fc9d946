import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAddressCheck } from '../../src/net/addresses.ts'

const isAllowed = createAddressCheck({ allowed: [], own: () => [] })

/** The first and the last address of each range that is not public, and what lies beside it. */
const RANGES: [first: string, last: string, before?: string | undefined, after?: string][] = [
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255'],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::'],
]

test.each(RANGES)(
  '%s to %s is refused, and what lies beside it is not',
  (first, last, ...beside) => {
    expect([first, last].map(isAllowed)).toEqual([false, false])
    const public_ = beside.filter((each) => each !== undefined)
    expect(public_.length).toBeGreaterThan(0)
    expect(public_.map(isAllowed)).toEqual(public_.map(() => true))
  },
)

test('texts that are not addresses, and addresses of an interface, are refused', () => {
  const texts = ['', 'example.com', '1', '1.2.3', '0x7f.1', '8.8.8.8/32', '[2600::1]', '2600::1%lo']
  expect(texts.filter(isAllowed)).toEqual([])
})

test('no IPv4 address is let through in the form of an IPv6 one', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const forms = [
        `::ffff:${address}`,
        `::${address}`,
        `64:ff9b::${address}`,
        `::ffff:0:${address}`,
      ]
      expect(forms.filter(isAllowed)).toEqual([])
    }),
  )
})

test('only allowed ranges are reachable', () => {
  const some = createAddressCheck({
    allowed: ['10.1.0.0/16', '127.0.0.1', 'fd00::/8'],
    own: () => [],
  })
  const [yes, no] = [
    ['10.1.0.0', '10.1.255.255', '127.0.0.1', 'fd12::1', '8.8.8.8'],
    ['10.2.0.0', '127.0.0.2', 'fc00::1', '::1', '::ffff:10.1.0.1', '169.254.169.254'],
  ]
  expect(yes.filter(some)).toEqual(yes)
  expect(no.filter(some)).toEqual([])
})

test('a cloud’s own platform is refused, also within a range that is allowed', () => {
  const platform = ['168.63.129.16', '100.100.100.200', '169.254.169.254', '169.254.170.2'].concat([
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '64:ff9b::168.63.129.16',
  ])
  expect(platform.filter(isAllowed)).toEqual([])
  const ranges = ['168.63.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '192.0.0.0/24', 'fd00::/8']
  const wide = createAddressCheck({ allowed: [...ranges, '64:ff9b::/96'], own: () => [] })
  expect(platform.filter(wide)).toEqual([])
  expect(['168.63.129.17', '169.254.1.1', 'fd00:ec2::255'].map(wide)).toEqual([true, true, true])
  const named = createAddressCheck({ allowed: ['169.254.169.254', 'fd00::/8'], own: () => [] })
  expect(['169.254.169.254', 'fd00:ec2::254'].map(named)).toEqual([true, false])
})

test('the machine’s own addresses are refused, if they are not allowed', () => {
  const own = (): string[] => ['8.8.8.8', '2600::1', 'fe80::1%lo']
  const check = createAddressCheck({ allowed: [], own })
  expect(['8.8.8.8', '2600::1', '2600:0:0::1'].filter(check)).toEqual([])
  expect(['8.8.4.4', '2600::2'].filter(check)).toEqual(['8.8.4.4', '2600::2'])
  expect(createAddressCheck({ allowed: ['8.8.8.8'], own })('8.8.8.8')).toBe(true)
})

test('allowing a translator does not allow the private addresses behind it', () => {
  const check = createAddressCheck({ allowed: ['64:ff9b::/96', '10.0.0.1'], own: () => [] })
  expect(check('64:ff9b::8.8.8.8')).toBe(true)
  expect(check('64:ff9b::10.0.0.1')).toBe(true)
  expect(check('64:ff9b::127.0.0.1')).toBe(false)
  expect(check('64:ff9b::169.254.169.254')).toBe(false)
})

test('a range that is none is an error at the start', () => {
  expect(() => createAddressCheck({ allowed: ['10.0.0.0/33'] })).toThrow('CIDR')
  expect(() => createAddressCheck({ allowed: ['home'] })).toThrow('CIDR')
})
