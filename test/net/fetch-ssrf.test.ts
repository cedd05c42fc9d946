import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFetcher, type Outgoing } from '../../src/net/fetch.ts'
import { FetchError } from '../../src/net/fetch-error.ts'
import { createAddressFinder } from '../../src/net/find-addresses.ts'
import { type NameServer, type Said, startNameServer } from '../support/dns.ts'
import { openTrap, type SocketWatch, type Trap, watchSockets } from '../support/sockets.ts'
import { SSRF_NAMES, ssrfCases } from '../support/ssrf.ts'

/** Where names lead besides those of the cases; asked anew each time. */
let zone: Record<string, (type: 'A' | 'AAAA') => Said>
let trap: Trap
let names: NameServer
let watch: SocketWatch

beforeAll(async () => {
  trap = await openTrap()
  names = await startNameServer((name, type) => {
    const said = zone[name]
    return said === undefined ? (SSRF_NAMES[name]?.[type] ?? []) : said(type)
  })
})
beforeEach(() => {
  zone = {}
  names.questions.length = 0
  watch = watchSockets(trap.port)
})
afterEach(() => watch.stop())
afterAll(async () => {
  names.close()
  await trap.close()
})

const fetcher = (allowed: readonly string[] = []) =>
  createFetcher({ allowed, findAddresses: createAddressFinder({ servers: [names.address] }) })

const reasonOf = async (request: Partial<Outgoing>, allowed?: readonly string[]): Promise<string> =>
  fetcher(allowed)
    .send({ url: '', method: 'POST', body: '{}', timeoutMs: 20_000, mostBytes: 100, ...request })
    .then(
      ({ status }) => `answered ${status}`,
      (error: unknown) => (error instanceof FetchError ? error.reason : String(error)),
    )

test('hundreds of ways to write what is not public: no socket is opened for any of them', async () => {
  const cases = ssrfCases(trap.port)
  expect(cases.length).toBeGreaterThan(300)
  expect(new Set(cases.map(({ url }) => url)).size).toBe(cases.length)
  const outcomes = await Promise.all(
    cases.map(async ({ what, url }) => ({ what, reason: await reasonOf({ url, redirects: 5 }) })),
  )
  const wrong = outcomes.filter(
    ({ reason }) => reason !== 'address_refused' && reason !== 'request_refused',
  )
  expect(wrong).toEqual([])
  const refused = outcomes.filter(({ reason }) => reason === 'address_refused')
  expect(refused.length).toBeGreaterThan(350)
  expect(watch.attempts).toEqual([])
  expect(trap.connections()).toBe(0)
})

test('without our care many of them do lead to this machine', async () => {
  const loopback = ssrfCases(trap.port).filter(({ what }) =>
    /^(?:127\.0\.0\.1|::1|0\.0\.0\.0)/.test(what),
  )
  const reached = await Promise.all(
    loopback.map(({ url }) =>
      fetch(url, { method: 'POST' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  )
  expect(reached.filter(Boolean).length).toBeGreaterThan(20)
  expect(watch.attempts.length).toBeGreaterThan(20)
})

test('a name is asked for once: what it says the second time is of no use', async () => {
  let asked = 0
  zone['rebound.example'] = (type) => {
    if (type === 'AAAA') return []
    return asked++ === 0 ? ['8.8.8.8'] : ['127.0.0.1']
  }
  const before = trap.connections()
  for (let time = 0; time < 20; time++) {
    asked = 0
    const url = `http://rebound.example:${trap.port}/`
    expect(await reasonOf({ url, redirects: 5 })).toBe('connect_failed')
  }
  // One to the address that was looked at, each time; and one question for each kind of address.
  expect(watch.attempts).toEqual(Array(20).fill('8.8.8.8'))
  expect(names.questions).toHaveLength(40)
  expect(trap.connections()).toBe(before)
})

test('a name that changes its mind at random is never followed inside', async () => {
  zone['coin.example'] = (type) => {
    if (type === 'AAAA') return Math.random() < 0.3 ? ['::1'] : []
    return Math.random() < 0.5 ? ['8.8.8.8'] : ['127.0.0.1']
  }
  const before = trap.connections()
  const url = `http://coin.example:${trap.port}/`
  const reasons = await Promise.all(Array.from({ length: 60 }, () => reasonOf({ url })))
  expect(new Set(reasons)).toEqual(new Set(['connect_failed', 'address_refused']))
  expect(new Set(watch.attempts)).toEqual(new Set(['8.8.8.8']))
  expect(trap.connections()).toBe(before)
})

test('an address of this machine is refused, whatever kind it is', async () => {
  const isAllowed = (own: string[]) =>
    createFetcher({
      allowed: [],
      own: () => own,
      findAddresses: async () => ['8.8.4.4', '2606:4700::1111'],
    })
  const send = (own: string[]) =>
    isAllowed(own).send({
      url: `http://own.example:${trap.port}/`,
      method: 'GET',
      timeoutMs: 1_000,
      mostBytes: 1,
    })
  await expect(send(['8.8.4.4'])).rejects.toMatchObject({ reason: 'address_refused' })
  await expect(send(['2606:4700:0::1111'])).rejects.toMatchObject({ reason: 'address_refused' })
  await expect(send(['8.8.8.8'])).rejects.toMatchObject({ reason: 'connect_failed' })
  expect(watch.attempts).toEqual(['8.8.4.4', '2606:4700::1111'])
})

// Redirects: the first hop is a server on 127.0.0.1, which alone is allowed.

let hop: Server
let location = ''
let status = 302
let hopped = 0
beforeAll(async () => {
  hop = createServer((_, response) => {
    hopped++
    response.writeHead(status, { location }).end()
  })
  hop.listen(0, '127.0.0.1')
  await once(hop, 'listening')
})
afterAll(() => hop.close())
const hopUrl = (): string => `http://127.0.0.1:${(hop.address() as AddressInfo).port}/`

test('a redirect is checked like a first address, whatever its status', async () => {
  const cases = ssrfCases(trap.port).filter(({ url }) => URL.canParse(url))
  const open = ['loopback', 'second', 'tenth', 'mixed6'].map((name) => `${name}.example`)
  const inside = cases.filter(({ url }) => ![...open, '127.0.0.1'].includes(new URL(url).hostname))
  const before = trap.connections()
  hopped = 0
  for (const [index, { what, url }] of inside.entries()) {
    status = [301, 302, 303, 307, 308][index % 5] ?? 302
    // A header is Latin-1: what is beyond it is sent as a server would.
    location = encodeURI(decodeURI(url))
    const reason = await reasonOf({ url: hopUrl(), redirects: 5 }, ['127.0.0.1'])
    expect([what, reason]).toEqual([what, expect.stringMatching(/^(?:address|request)_refused$/)])
  }
  expect(hopped).toBe(inside.length)
  expect(inside.length).toBeGreaterThan(300)
  expect(watch.attempts).toEqual([])
  expect(trap.connections()).toBe(before)
})

test('a redirect that is relative to the scheme is checked too, and a chain has an end', async () => {
  location = `//10.0.0.1:${trap.port}/`
  expect(await reasonOf({ url: hopUrl(), redirects: 5 }, ['127.0.0.1'])).toBe('address_refused')
  location = hopUrl()
  hopped = 0
  expect(await reasonOf({ url: hopUrl(), redirects: 5 }, ['127.0.0.1'])).toBe('redirect_refused')
  expect(hopped).toBe(6)
})

test('a redirect to a name is looked up anew, and what it says then is what counts', async () => {
  let asked = 0
  zone['hop.example'] = (type) => {
    if (type === 'AAAA') return []
    return asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']
  }
  const url = hopUrl().replace('127.0.0.1', 'hop.example')
  location = `http://hop.example:${trap.port}/`
  expect(await reasonOf({ url, redirects: 5 }, ['127.0.0.1'])).toBe('address_refused')
  expect(watch.attempts).toEqual([])
})

test('without redirects the answer is the redirect itself, and nobody follows it', async () => {
  status = 307
  location = `http://127.0.0.1:${trap.port}/`
  const before = trap.connections()
  expect(await reasonOf({ url: hopUrl() }, ['127.0.0.1'])).toBe('answered 307')
  expect(trap.connections()).toBe(before)
})
