import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/ids.ts'
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

const remember = (organizationId: Uuid, ids: readonly string[]) =>
  transact(sql, (tx) => eventIds.remember(tx, organizationId, ids))
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
    expect(await eventIds.remember(tx, organizationId, ['again'])).toEqual(new Set())
    expect(await eventIds.deleteOld(worker)).toBe(1)
  })
  expect(await left(organizationId)).toEqual(['again'])
  expect(await remember(organizationId, ['again'])).toEqual(new Set(['again']))
})
