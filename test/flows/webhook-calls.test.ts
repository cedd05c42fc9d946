import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import * as webhookCalls from '../../src/store/flows/webhook-calls.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
/** As a worker connects: its pool is what calls wait in. */
let sql: Sql
let organizationId: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'calls', role: 'letterloom_worker', max: 20 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(database.sql)).organizationId
})

const lease = { host: 'a.example', leaseMs: 60_000 }
const key = (id: Uuid = uuidv7()) => ({ organizationId, id })
const rows = () => database.sql<{ id: Uuid; tries: number; live: boolean }[]>`
  select id, tries, lease_until > clock_timestamp() as live
  from webhook_calls
  where organization_id = ${organizationId}`

test('fifty of two hundred concurrent calls get a slot, and ten of those to one host', async () => {
  const hosts = ['a.example', 'b.example', 'c.example', 'd.example', 'e.example', 'f.example']
  const taken = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const host = (n % 2 === 0 ? undefined : hosts[(n >> 1) % hosts.length]) ?? 'a.example'
      return { host, tries: await webhookCalls.acquire(sql, key(), { ...lease, host }) }
    }),
  )
  const got = taken.filter(({ tries }) => tries !== undefined)
  expect(got).toHaveLength(webhookCalls.MOST_CALLS)
  const counts = hosts.map((host) => got.filter((each) => each.host === host).length)
  expect(counts[0]).toBe(webhookCalls.MOST_CALLS_PER_HOST)
  expect(Math.max(...counts)).toBe(webhookCalls.MOST_CALLS_PER_HOST)
  expect(await rows()).toHaveLength(50)
})

test('one host has ten slots, and another host and another organization their own', async () => {
  const ids = Array.from({ length: 30 }, () => uuidv7())
  const taken = await Promise.all(ids.map((id) => webhookCalls.acquire(sql, key(id), lease)))
  expect(taken.filter((tries) => tries === 1)).toHaveLength(10)
  expect(await webhookCalls.acquire(sql, key(), lease)).toBeUndefined()
  expect(await webhookCalls.acquire(sql, key(), { ...lease, host: 'b.example' })).toBe(1)
  const { organizationId: other } = await seedOrganization(database.sql)
  expect(await webhookCalls.acquire(sql, { organizationId: other, id: uuidv7() }, lease)).toBe(1)
})

test('a slot that is given back is free, and the call knows how often it was tried', async () => {
  const ids = Array.from({ length: 10 }, () => uuidv7())
  await Promise.all(ids.map((id) => webhookCalls.acquire(sql, key(id), lease)))
  const [first = '', second = ''] = ids
  await webhookCalls.release(sql, key(first), 1)
  const next = uuidv7()
  expect(await webhookCalls.acquire(sql, key(next), lease)).toBe(1)
  // Refused, and not counted.
  expect(await webhookCalls.acquire(sql, key(first), lease)).toBeUndefined()
  await webhookCalls.finish(sql, key(second))
  expect(await webhookCalls.acquire(sql, key(first), lease)).toBe(2)
  expect((await rows()).map(({ id }) => id)).not.toContain(second)
})

test('a call that is tried again tells its tries, its last error and when the next is due', async () => {
  const id = uuidv7()
  const find = () => webhookCalls.find(sql, key(id))
  expect(await find()).toBeUndefined()
  await webhookCalls.acquire(sql, key(id), lease)
  expect(await find()).toEqual({ calls: 1, lastError: null, nextTryAt: null })
  await webhookCalls.release(sql, key(id), 1, { error: 'No.', waitMs: 3_600_000 })
  const waiting = await find()
  expect(waiting).toMatchObject({ calls: 1, lastError: 'No.' })
  const inMs = Date.parse(waiting?.nextTryAt ?? '') - Date.now()
  expect(inMs).toBeGreaterThan(3_000_000)
  expect(inMs).toBeLessThan(4_000_000)
  // Its worker is lost in the next call, and another one calls again.
  await webhookCalls.acquire(sql, key(id), lease)
  expect(await find()).toEqual({ calls: 2, lastError: 'No.', nextTryAt: null })
  await webhookCalls.acquire(sql, key(id), lease)
  expect(await find()).toEqual({ calls: 3, lastError: 'No.', nextTryAt: null })
  // The first of the two ends after all.
  await webhookCalls.release(sql, key(id), 2, { error: 'Late.', waitMs: 1_000 })
  expect(await find()).toEqual({ calls: 3, lastError: 'No.', nextTryAt: null })
  // Broken off by us: nothing is known of the receiver.
  await webhookCalls.release(sql, key(id), 3)
  expect(await find()).toEqual({ calls: 3, lastError: 'No.', nextTryAt: null })
  const { organizationId: other } = await seedOrganization(database.sql)
  expect(await webhookCalls.find(sql, { organizationId: other, id })).toBeUndefined()
  await webhookCalls.finish(sql, key(id))
  expect(await find()).toBeUndefined()
})

test('a slot whose holder is lost is free when its time is over', async () => {
  const ids = Array.from({ length: 10 }, () => uuidv7())
  await Promise.all(ids.map((id) => webhookCalls.acquire(sql, key(id), lease)))
  expect(await webhookCalls.acquire(sql, key(), lease)).toBeUndefined()
  await sql`
    update webhook_calls set lease_until = now() - interval '1 second' where id = ${ids[0] ?? ''}`
  expect(await webhookCalls.acquire(sql, key(), lease)).toBe(1)
})

test('a call that comes back for a slot that another process left has it, also when all are taken', async () => {
  const ids = Array.from({ length: 10 }, () => uuidv7())
  await Promise.all(ids.map((id) => webhookCalls.acquire(sql, key(id), lease)))
  const [first = ''] = ids
  expect(await webhookCalls.acquire(sql, key(first), lease)).toBe(2)
  // The process that was taken for lost ends after all: the slot is the second one's.
  await webhookCalls.release(sql, key(first), 1)
  expect((await rows()).find(({ id }) => id === first)).toEqual({ id: first, tries: 2, live: true })
})

test('a forgotten row is removed by the next call, and nobody else’s row', async () => {
  const { organizationId: other } = await seedOrganization(database.sql)
  const forgotten = uuidv7()
  await webhookCalls.acquire(sql, key(forgotten), lease)
  await webhookCalls.acquire(sql, { organizationId: other, id: forgotten }, lease)
  await database.sql`update webhook_calls set lease_until = now() - interval '25 hours'`
  await webhookCalls.acquire(sql, key(), lease)
  expect((await rows()).map(({ id }) => id)).not.toContain(forgotten)
  const theirs = await database.sql`select from webhook_calls where organization_id = ${other}`
  expect(theirs).toHaveLength(1)
})
