import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as eventIds from '../../src/store/events/event-ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000
let database: TestDatabase
let sql: Sql
let worker: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  worker = connectAs(database.url, { name: 'event-ids', role: 'letterloom_worker', max: 2 })
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

const contactId = uuidv7()
const keyOf = (eventId: string) => ({ eventId, name: 'bought', contactId })
const remember = (organizationId: Uuid, ids: readonly string[]) =>
  transact(sql, (tx) => eventIds.remember(tx, organizationId, ids.map(keyOf)))
const age = (organizationId: Uuid, ms: number) => sql`
  update event_ids
  set received_at = clock_timestamp() - ${ms} * interval '1 millisecond'
  where organization_id = ${organizationId}`
const left = async (organizationId: Uuid) => {
  const rows = await sql<{ eventId: string }[]>`
    select event_id from event_ids where organization_id = ${organizationId} order by event_id`
  return rows.map(({ eventId }) => eventId)
}

test('ids are deleted when they are no longer remembered, page by page, and no others', async () => {
  const [old, young] = [uuidv7(), uuidv7()]
  const many = Array.from({ length: 5_001 }, (_, n) => `order-${n}`)
  await remember(old, many)
  await remember(young, ['order-1', 'order-2'])
  await age(old, 7 * DAY_MS + 1_000)
  await age(young, 7 * DAY_MS - 60_000)
  expect(await eventIds.deleteOld(worker)).toBe(5_000)
  expect(await eventIds.deleteOld(worker)).toBe(1)
  expect(await eventIds.deleteOld(worker)).toBe(0)
  expect([await left(old), await left(young)]).toEqual([[], ['order-1', 'order-2']])
})

test('an id that is used again at this moment stays, and nobody waits', async () => {
  const organizationId = uuidv7()
  await remember(organizationId, ['again', 'gone'])
  await age(organizationId, 8 * DAY_MS)
  await transact(sql, async (tx) => {
    expect(await eventIds.remember(tx, organizationId, [keyOf('again')])).toEqual([])
    expect(await eventIds.deleteOld(worker)).toBe(1)
  })
  expect(await left(organizationId)).toEqual(['again'])
  expect(await remember(organizationId, ['again'])).toEqual([keyOf('again')])
})

test('sets of the same keys in any order at once: each key is new once, and none waits for ever', async () => {
  const organizationId = uuidv7()
  const keys = Array.from({ length: 60 }, (_, n) => ({
    eventId: `Order-${n % 20}`,
    name: ['bought', 'Bought', 'paid'][n % 3] ?? '',
    contactId,
  }))
  const sets = Array.from({ length: 6 }, (_, n) => (n % 2 ? keys : keys.toReversed()))
  const known = await Promise.all(
    sets.map((set) => transact(sql, (tx) => eventIds.remember(tx, organizationId, set))),
  )
  expect(known.reduce((sum, { length }) => sum + keys.length - length, 0)).toBe(keys.length)
})

test('an id of before names counted stands for every event until it expires', async () => {
  const organizationId = uuidv7()
  await sql`
    insert into event_ids (organization_id, event_id, request)
    values (${organizationId}, 'former', ${uuidv7()})`
  const keys = [keyOf('former'), { ...keyOf('former'), name: 'paid' }, keyOf('other')]
  const remembered = () => transact(sql, (tx) => eventIds.remember(tx, organizationId, keys))
  const former = await remembered()
  expect(new Set(former)).toEqual(new Set(keys.slice(0, 2)))
  expect(await eventIds.known(sql, organizationId, keys)).toEqual(new Set([0, 1, 2]))
  expect(await eventIds.known(sql, uuidv7(), keys)).toEqual(new Set())
  await sql`delete from event_ids where organization_id = ${organizationId} and name <> ''`
  await age(organizationId, 7 * DAY_MS + 1_000)
  expect(await eventIds.known(sql, organizationId, keys)).toEqual(new Set())
  expect(await remembered()).toEqual([])
  expect(new Set(await remembered())).toEqual(new Set(keys))
})

test('keys are looked up one by one, however many ids the organization has and nobody has counted', async () => {
  const organizationId = uuidv7()
  const asked: { query: string; parameters: unknown[] }[] = []
  const counted = connectAs(database.url, {
    name: 'event-id-plans',
    role: 'letterloom_worker',
    max: 1,
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
  await sql`
    insert into event_ids (organization_id, event_id, name, contact_id, request)
    select ${organizationId}, n::text, 'bought', ${contactId}, ${uuidv7()}
    from generate_series(1, 30000) as n`
  const keys = Array.from({ length: 300 }, (_, n) => keyOf(`${n + 29_900}`))
  await transact(counted, async (tx) => {
    expect(await eventIds.remember(tx, organizationId, keys)).toHaveLength(101)
    expect((await eventIds.known(tx, organizationId, keys)).size).toBe(300)
    await eventIds.forget(tx, organizationId, keys.slice(0, 10))
  })
  const statements = asked.filter(({ query }) => /\bfrom event_ids\b/.test(query))
  expect(statements).toHaveLength(4)
  for (const { query, parameters } of statements) {
    const plan = await counted.unsafe(`explain ${query}`, parameters as never[])
    const text = plan.map((line) => String(line['QUERY PLAN'] ?? line['queryPlan'])).join('\n')
    expect(text).toMatch(/Index (Only )?Scan|Bitmap Index Scan/)
    expect(text).not.toMatch(/Seq Scan|Hash (Anti|Semi) Join|hashed SubPlan|Merge (Anti|Semi)/)
  }
  await counted.end()
})
