import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFetcher } from '../../src/net/fetch.ts'
import { createAddressFinder } from '../../src/net/find-addresses.ts'
import { type Api, startApi } from '../support/api.ts'
import { type NameServer, startNameServer } from '../support/dns.ts'
import { createDrainer, seedEndpoints } from '../support/hooks.ts'
import { openTrap, type SocketWatch, type Trap, watchSockets } from '../support/sockets.ts'
import { SSRF_NAMES, ssrfCases } from '../support/ssrf.ts'

let api: Api
let trap: Trap
let names: NameServer
let watch: SocketWatch
beforeAll(async () => {
  ;[api, trap, names] = await Promise.all([
    startApi(),
    openTrap(),
    startNameServer((name, type) => SSRF_NAMES[name]?.[type] ?? []),
  ])
  watch = watchSockets(trap.port)
})
afterAll(async () => {
  watch.stop()
  names.close()
  await trap.close()
  await api.close()
})

test('an endpoint opens no connection to anything that is not public, however it is written', async () => {
  const findAddresses = createAddressFinder({ servers: [names.address] })
  const drainer = createDrainer({
    sql: api.sql,
    keyring: api.deps.keyring,
    fetcher: createFetcher({ allowed: [], findAddresses }),
  })
  const cases = ssrfCases(trap.port).filter(({ url }) => URL.canParse(url) && url.length <= 2_048)
  const { organizationId } = api.alice
  const endpoints = cases.map(({ url }) => ({ organizationId, url, shard: 15 }))
  await seedEndpoints(api.sql, api.deps.keyring, endpoints, 1)
  await drainer.drain(15)
  const tried = await api.sql<{ endpointId: string; error: string }[]>`
    select endpoint_id, tries -> 0 ->> 'error' as error from hook_deliveries`
  expect(tried.length).toBeGreaterThan(350)
  expect(tried).toHaveLength(cases.length)
  expect(
    tried.filter(({ error }) => !/not allowed|not on the public|URL|host/i.test(error)),
  ).toEqual([])
  expect(watch.attempts).toEqual([])
  expect(trap.connections()).toBe(0)
})
