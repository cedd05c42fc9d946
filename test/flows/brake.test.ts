import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pino } from 'pino'
import { fire, type Occurrence } from '../../src/core/flows/triggers.ts'
import { keepWatched } from '../../src/core/flows/membership.ts'
import { noticeText } from '../../src/domain/accounts/notice.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import type { Step, Trigger } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startMembershipKeeper } from '../../src/loops/membership-keeper.ts'
import * as segments from '../../src/store/audience/segments.ts'
import * as flowCounters from '../../src/store/flows/counters.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startEngine, until } from '../support/engine.ts'
import { connectAs } from '../support/logins.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { executionsOf, seedFlow } from '../support/seed-flow.ts'

let database: TestDatabase
let sql: Sql
let organizationId: Uuid
let segmentId: Uuid
let ada: Uuid
let bea: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'brake', role: 'letterloom_worker', max: 6 })
})
beforeEach(async () => {
  ;({ organizationId } = await seedOrganization(database.sql))
  ;[ada = '', bea = ''] = await seedContacts(database.sql, organizationId, 2)
  segmentId = uuidv7()
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const flow = (trigger: Trigger = { type: 'segment_entry', segmentId }) =>
  seedFlow(database.sql, organizationId, { trigger, settings: { allowReentry: true } })
const entry = (contactId: Uuid): Occurrence => ({ type: 'segment_entry', contactId, segmentId })
const start = async (...occurrences: Occurrence[]) => {
  const started = await transact(sql, (tx) => fire(tx, organizationId, occurrences, undefined))
  return started.reduce((sum, count) => sum + count, 0)
}
/** How many of so many starts, one after the other, are written. */
async function startTimes(times: number, occurrence: Occurrence): Promise<number> {
  let count = 0
  for (let n = 0; n < times; n++) count += await start(occurrence)
  return count
}
const counters = async (flowId: Uuid) => {
  const counted = await flowCounters.read(database.sql, organizationId, [flowId])
  const { started = 0, dropped = 0 } = counted.get(flowId) ?? {}
  return { started, dropped }
}
const notices = () => database.sql<{ subject: Uuid; data: never }[]>`
  select subject, data
  from notices
  where organization_id = ${organizationId} and kind = 'workflow_braked'
  order by id`

test.each<[string, (contactId: Uuid) => Occurrence]>([
  ['enters a segment', entry],
  ['leaves a segment', (contactId) => ({ type: 'segment_exit', contactId, segmentId })],
  ['joins a topic', (contactId) => ({ type: 'topic_subscribed', contactId, topicId: segmentId })],
  ['leaves one', (contactId) => ({ type: 'topic_unsubscribed', contactId, topicId: segmentId })],
])('a contact that %s is started five times an hour, others are as before', async (_, occur) => {
  const occurrence = occur(ada)
  const about = 'topicId' in occurrence ? { topicId: segmentId } : { segmentId }
  const flowId = await flow({ type: occurrence.type, ...about } as Trigger)
  expect(await startTimes(8, occurrence)).toBe(5)
  expect(await counters(flowId)).toEqual({ started: 5, dropped: 3 })
  expect(await startTimes(2, occur(bea))).toBe(2)
})

test('five of many concurrent starts pass, in one set or side by side', async () => {
  const flowId = await flow()
  expect(await start(...Array.from({ length: 8 }, () => entry(ada)), entry(bea))).toBe(6)
  const atOnce = Array.from({ length: 9 }, () => start(entry(bea)))
  const started = await Promise.all(atOnce)
  expect(started.reduce((sum, count) => sum + count, 0)).toBe(4)
  expect(await counters(flowId)).toEqual({ started: 10, dropped: 8 })
})

/** Moves all that was started, and what was stopped, into the past. */
const age = (interval: string) =>
  database.sql.begin(async (tx) => {
    await tx`
    update executions
    set created_at = created_at - ${interval}::interval
    where organization_id = ${organizationId}`
    await tx`
    update flow_entries
    set braked_until = braked_until - ${interval}::interval
    where organization_id = ${organizationId}`
  })
const startOfDay = () => new Date().setUTCHours(0, 0, 0, 0)
/** In the first hours of a day (UTC) what was two hours ago was another day. */
const isLate = Date.now() - startOfDay() > 2 * 3_600_000 + 60_000

test('a contact that was stopped is not started before the day is over, and is then', async () => {
  await flow()
  expect(await startTimes(6, entry(ada))).toBe(5)
  await database.sql`
    update executions
    set created_at = created_at - interval '61 minutes'
    where organization_id = ${organizationId}`
  expect(await start(entry(ada))).toBe(0)
  await age('1 day')
  expect(await startTimes(6, entry(ada))).toBe(5)
})

test.runIf(isLate)('a contact is started ten times a day at most', async () => {
  const flowId = await flow()
  expect(await startTimes(5, entry(ada))).toBe(5)
  await age('61 minutes')
  expect(await startTimes(5, entry(ada))).toBe(5)
  await age('61 minutes')
  expect(await startTimes(2, entry(ada))).toBe(0)
  expect(await counters(flowId)).toEqual({ started: 10, dropped: 2 })
})

test('events, calls and changes of contacts start as often as they come', async () => {
  const byEvent = await flow({ type: 'event', name: 'visited' })
  const byChange = await flow({ type: 'contact_updated' })
  for (let n = 0; n < 12; n++) {
    await start(
      { type: 'event', contactId: ada, name: 'visited', eventId: uuidv7(), properties: {} },
      { type: 'contact_updated', contactId: ada },
    )
  }
  expect([await counters(byEvent), await counters(byChange)]).toEqual([
    { started: 12, dropped: 0 },
    { started: 12, dropped: 0 },
  ])
})

test('starts that the limit of concurrent ones has dropped do not count', async () => {
  const flowId = await flow()
  expect(await startTimes(4, entry(ada))).toBe(4)
  await database.sql`
    update executions
    set status = 'cancelled', reason = 'dropped', finished_at = now()
    where flow_id = ${flowId}`
  expect(await startTimes(6, entry(ada))).toBe(5)
})

test('the owners are told once for each version, whoever is stopped', async () => {
  const [flowId, other] = [await flow(), await flow()]
  await startTimes(7, entry(ada))
  await startTimes(7, entry(bea))
  const told = await notices()
  expect(told.map(({ subject }) => subject).toSorted()).toEqual([flowId, other].toSorted())
  const { subject, text } = noticeText({ kind: 'workflow_braked', data: told[0]!.data }, 'Acme')
  expect(`${subject} ${text}`).toContain('more than 5 times in an hour or 10 times in a day')
  expect(text).toContain(`GET /v1/workflows/${told[0]?.subject}`)
})

test('two workflows that start each other end after five rounds for each contact', async () => {
  const equals = (field: string, value: string): Condition => ({
    logic: 'AND',
    groups: [{ filters: [{ field, operator: 'equals', value }] }],
  })
  const turn = (value: string): Step => ({
    id: 'turn',
    type: 'update_contact',
    name: 'Turn',
    config: { set: { 'properties.side': value } },
  })
  const flows: Uuid[] = []
  for (const [side, next] of [
    ['left', 'right'],
    ['right', 'left'],
  ] as const) {
    const id = uuidv7()
    const values = { name: side, description: null, condition: equals('properties.side', side) }
    const uncounted = { memberCount: null, memberCountIsExact: null, countedAt: null }
    await transact(database.sql, (tx) =>
      segments.create(tx, organizationId, { id, ...values, ...uncounted }),
    )
    const trigger = { type: 'segment_entry', segmentId: id } as const
    const steps = [turn(next)]
    const settings = { allowReentry: true }
    flows.push(await seedFlow(database.sql, organizationId, { trigger, steps, settings }))
    await transact(database.sql, (tx) => keepWatched(tx, organizationId, [trigger]))
  }
  const engine = await startEngine({ databaseUrl: database.url, mailer: fakeMailer(() => sent()) })
  const keeper = startMembershipKeeper({ sql, log: pino({ level: 'silent' }) })
  await until(async () => {
    const [{ open } = { open: 1 }] = await database.sql<{ open: number }[]>`
      select count(*)::int as open from kept_segments where not is_scanned`
    return open === 0
  })
  await database.sql`
    update contacts set properties = '{"side": "left"}' where organization_id = ${organizationId}`
  await until(async () => {
    const [first, second] = await Promise.all(flows.map(counters))
    return (first?.dropped ?? 0) + (second?.dropped ?? 0) === 2
  })
  const starts = await Promise.all(flows.map((id) => executionsOf(database.sql, id)))
  expect(starts.map((each) => each.length)).toEqual([10, 10])
  await until(async () => {
    const all = await Promise.all(flows.map((id) => executionsOf(database.sql, id)))
    return all.flat().every(({ status }) => status === 'completed')
  })
  await keeper.stop()
  await engine.stop()
})
