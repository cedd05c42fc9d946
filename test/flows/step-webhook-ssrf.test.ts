import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Uuid } from '../../src/runtime/ids.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { createAddressFinder } from '../../src/net/find-addresses.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type NameServer, startNameServer } from '../support/dns.ts'
import { seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTrap, type SocketWatch, type Trap, watchSockets } from '../support/sockets.ts'
import { SSRF_NAMES, ssrfCases } from '../support/ssrf.ts'
import { callOnce, sealFlow, visitOf } from '../support/webhooks.ts'
import { connectAs } from '../support/logins.ts'

const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let workerSql: Sql
let trap: Trap
let names: NameServer
let watch: SocketWatch
let organizationId: Uuid
let contactId: Uuid

beforeAll(async () => {
  ;[database, trap, names] = await Promise.all([
    createDatabase(),
    openTrap(),
    startNameServer((name, type) => SSRF_NAMES[name]?.[type] ?? []),
  ])
  workerSql = connectAs(database.url, { name: 'webhooks', role: 'letterloom_worker' })
  organizationId = (await seedOrganization(database.sql)).organizationId
  contactId = (await seedContacts(database.sql, organizationId, 1))[0] ?? ''
  watch = watchSockets(trap.port)
})
afterAll(async () => {
  watch.stop()
  names.close()
  await trap.close()
  await workerSql.end()
  await database.drop()
})

it('a webhook step opens no connection to anything that is not public, however it is written', async () => {
  const flow = await seedFlow(database.sql, organizationId, {
    steps: [{ id: 'call', type: 'webhook', config: { url: 'http://x.example', method: 'POST' } }],
  })
  await sealFlow(database.sql, keyring, flow)
  const run = visitOf({ flow, contactId, executionId: flow.flowId })
  const findAddresses = createAddressFinder({ servers: [names.address] })
  const deps = {
    sql: workerSql,
    keyring,
    fetcher: createFetcher({ allowed: [], findAddresses }),
    now: Date.now,
  }
  const cases = ssrfCases(trap.port)
  const reasons: Record<string, number> = {}
  for (const [index, { what, url }] of cases.entries()) {
    const step = { ...run.step, config: { ...run.step.config, url } }
    const outcome = await callOnce(deps, { ...run, step, visit: index + 1 })
    // Never tried again: it is what it is.
    expect([what, outcome]).toEqual([what, expect.objectContaining({ kind: 'failed' })])
    const { reason = '' } = outcome as { reason?: string }
    reasons[reason] = (reasons[reason] ?? 0) + 1
  }
  expect(Object.keys(reasons).sort()).toEqual(['address_refused', 'request_refused'])
  expect(reasons['address_refused']).toBeGreaterThan(350)
  expect(watch.attempts).toEqual([])
  expect(trap.connections()).toBe(0)
  expect(await database.sql`select from webhook_calls`).toEqual([])
})
