import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCallRoom } from '../../activities/hooks/call-room.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  createDrainer,
  createEndpoint,
  seedEndpoints,
  startHookReceiver,
} from '../support/hooks.ts'
import { seedOrganization } from '../support/seed.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'

const servers = createServers()
let api: Api
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
})
afterAll(async () => {
  await servers.close()
  await api.close()
})

const OTHERS = sized(20, 100)
const HELD = sized(50, 1_000)

test('an endpoint is called beside many that hang, refuse, or are disabled with events that wait', async () => {
  const good = await startHookReceiver(servers)
  const hanging = await startHookReceiver(servers, () => 'hangs')
  const { id } = await createEndpoint(api.alice, good.url, { eventTypes: ['contact.created'] })
  const [row] = await api.sql<{ shard: number }[]>`
    select shard from hook_endpoints where id = ${id}`
  const shard = row?.shard ?? 0
  const kinds = [
    { url: hanging.url },
    { url: 'http://127.0.0.1:2/' },
    { url: hanging.url, isDisabled: true },
  ]
  const others = []
  for (let n = 0; n < OTHERS; n++) {
    const { organizationId } = await seedOrganization(api.sql)
    others.push(...kinds.map((kind) => ({ organizationId, shard, ...kind })))
  }
  await seedEndpoints(api.sql, api.deps.keyring, others, HELD)
  const drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring, warmMs: 60_000 })
  const draining = drainer.start(shard)
  try {
    for (let n = 0; n < 5; n++) {
      await createContact(api.alice, { email: `reader-${n}@example.com` })
      await until(async () => good.calls.length === n + 1)
    }
    expect(good.calls.map(({ event }) => event.type)).toEqual(Array(5).fill('contact.created'))
  } finally {
    await draining.stop()
  }
})

test('endpoints that fail never have more than half of the slots', () => {
  const room = createCallRoom(100)
  const caller = (isFailing: boolean) => ({
    organizationId: uuidv7(),
    id: uuidv7(),
    host: 'shop.example.com',
    maxInFlight: 10,
    isFailing,
  })
  const failing = Array.from({ length: 80 }, () => caller(true))
  const taken = failing.map((each) => room.take(each))
  expect(taken.reduce((sum, calls) => sum + calls, 0)).toBe(50)
  expect(Math.max(...taken)).toBe(1)
  const good = caller(false)
  expect(room.take(good)).toBe(1)
  room.noteSuccess(good)
  expect(room.take(good)).toBe(1)
  room.giveBack(good, 2)
  for (let n = 0; n < 4; n++) room.noteSuccess(good)
  expect(room.take(good)).toBe(10)
  room.noteFailure(good)
  room.giveBack(good, 10)
  expect(room.take(good)).toBe(1)
  for (const [n, each] of failing.entries()) room.giveBack(each, taken[n] ?? 0)
  room.giveBack(good, 1)
  expect(room.inFlight()).toBe(0)
})

test('one organization has ten calls to a host, and fifty in all', () => {
  const room = createCallRoom()
  const organizationId = uuidv7()
  const caller = (host: string) => ({
    organizationId,
    id: uuidv7(),
    host,
    maxInFlight: 10,
    isFailing: false,
  })
  const take = (host: string): number => {
    const each = caller(host)
    for (let n = 0; n < 4; n++) room.noteSuccess(each)
    return room.take(each)
  }
  expect([take('a.example'), take('a.example')]).toEqual([10, 0])
  expect(['b', 'c', 'd', 'e', 'f'].map((name) => take(`${name}.example`))).toEqual([
    10, 10, 10, 10, 0,
  ])
})
