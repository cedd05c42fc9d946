import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Json, Sql } from '../../src/store/db/sql.ts'
import { conditionOf, filterOf } from '../support/conditions.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { keepAll, keptMembers, membersByOracle, watchSegment } from '../support/membership.ts'
import { randomness } from '../support/random-flows.ts'
import { executionsOf } from '../support/seed-flow.ts'
import { seedOrganization } from '../support/seed.ts'
import { seed, sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const HOUR_MS = 3_600_000
const CONTACTS = 20
const SEGMENTS = sized(15, 60)
const JUMPS = sized(12, 150)
const EVENTS = ['bought', 'left']

let database: TestDatabase
let sql: Sql
let organizationId: Uuid
/** What time it is: nothing here waits. */
let now = Date.now()
const clock = async () => new Date(now).toISOString()
const at = (hours: number) => new Date(now + hours * HOUR_MS).toISOString()

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'test-worker', role: 'letterloom_worker', max: 4 })
  await createPartitions(database.sql)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

async function contact(columns: object = {}): Promise<Uuid> {
  const id = uuidv7()
  await sql`insert into contacts ${sql({ organizationId, id, email: `${id}@example.com`, ...columns })}`
  return id
}
const happened = (contactId: Uuid, name: string, hours: number, properties: Json = {}) =>
  sql`insert into events ${sql({
    organizationId,
    id: uuidv7(),
    contactId,
    name,
    occurredAt: at(hours),
    properties: sql.json(properties),
  })}`
const of = (...filters: Filter[]): Condition => ({ logic: 'AND', groups: [{ filters }] })

test('a contact enters and leaves at the very millisecond, with nothing written', async () => {
  organizationId = (await seedOrganization(sql)).organizationId
  const id = await contact({ properties: sql.json({ trialEndsAt: at(48) }) })
  await happened(id, 'bought', 0)
  const trial = of({ field: 'properties.trialEndsAt', operator: 'within', value: 1, unit: 'days' })
  const buyer = of({ field: 'event.bought', operator: 'triggeredWithin', value: 36, unit: 'hours' })
  const segments = [
    await watchSegment(sql, organizationId, trial),
    await watchSegment(sql, organizationId, buyer),
  ]
  const seen = async (ms: number) => {
    now = start + ms
    await keepAll(sql, clock)
    const counts = segments.flatMap(({ entry, exit }) => [entry, exit])
    return Promise.all(counts.map(async (each) => (await executionsOf(sql, each)).length))
  }
  const start = now
  expect(await seen(0)).toEqual([0, 0, 0, 0])
  expect(await seen(36 * HOUR_MS)).toEqual([0, 0, 0, 0])
  expect(await seen(36 * HOUR_MS + 1)).toEqual([0, 0, 0, 1])
  expect(await seen(48 * HOUR_MS - 1)).toEqual([0, 0, 0, 1])
  expect(await seen(48 * HOUR_MS)).toEqual([1, 0, 0, 1])
  expect(await seen(72 * HOUR_MS)).toEqual([1, 0, 0, 1])
  expect(await seen(72 * HOUR_MS + 1)).toEqual([1, 1, 0, 1])
  const [left] = await sql`
    select from membership_deadlines where organization_id = ${organizationId}`
  expect(left).toBeUndefined()
})

test.each<[string, Filter, readonly [ms: number, isMember: boolean][]]>([
  [
    'in the next hours',
    { field: 'properties.at', operator: 'withinNext', value: 24, unit: 'hours' },
    [
      [0, false],
      [24 * HOUR_MS - 1, false],
      [24 * HOUR_MS, true],
      [48 * HOUR_MS, true],
      [48 * HOUR_MS + 1, false],
    ],
  ],
  [
    'before now',
    { field: 'properties.at', operator: 'lessThan', value: 'now' },
    [
      [0, false],
      [48 * HOUR_MS, false],
      [48 * HOUR_MS + 1, true],
    ],
  ],
  [
    'bought twice within hours',
    {
      field: 'event.bought',
      operator: 'triggered',
      value: { atLeast: 2, within: 10 },
      unit: 'hours',
    },
    [
      [0, true],
      [8 * HOUR_MS, true],
      [8 * HOUR_MS + 1, false],
    ],
  ],
  [
    'bought nothing for hours',
    { field: 'event.bought', operator: 'notTriggeredWithin', value: 10, unit: 'hours' },
    [
      [0, false],
      [9 * HOUR_MS, false],
      [9 * HOUR_MS + 1, true],
    ],
  ],
  [
    'bought what is due in the next hours',
    {
      field: 'event.bought',
      operator: 'triggered',
      value: {
        where: [{ field: 'properties.due', operator: 'withinNext', value: 1, unit: 'hours' }],
      },
    },
    [
      [0, false],
      [HOUR_MS, true],
      [2 * HOUR_MS, true],
      [2 * HOUR_MS + 1, false],
    ],
  ],
])('a contact is a member to the millisecond: %s', async (_, filter, seen) => {
  organizationId = (await seedOrganization(sql)).organizationId
  now = Date.now()
  const start = now
  const id = await contact({ properties: sql.json({ at: at(48) }) })
  await happened(id, 'bought', -2, { due: at(2) })
  await happened(id, 'bought', -1, { due: at(-5) })
  const segment = await watchSegment(sql, organizationId, of(filter))
  for (const [ms, isMember] of seen) {
    now = start + ms
    await keepAll(sql, clock)
    expect([ms, await keptMembers(sql, segment.id)]).toEqual([ms, isMember ? [id] : []])
  }
})

test('whatever a condition asks of time, its members are the evaluator’s at any time', async () => {
  // Events are received when they occur or later, and that was just now.
  now = Date.now()
  organizationId = (await seedOrganization(sql)).organizationId
  const random = randomness(seed)
  const below = (most: number) => Math.floor(random() * most)
  const time = () => at(96 * random() - 72)
  const maybe = (make: () => string) => (below(2) === 0 ? make() : null)
  for (let made = 0; made < CONTACTS; made++) {
    const id = await contact({
      createdAt: at(-below(72)),
      emailVerifiedAt: maybe(time),
      properties: sql.json({ plan: time(), a: { b: time() } }),
    })
    for (const name of [...EVENTS, ...EVENTS]) {
      if (below(3) > 0) await happened(id, name, -below(60), { departs: time() })
    }
    await sql`insert into contact_stats ${sql({ organizationId, contactId: id, lastActivityAt: maybe(time) })}`
  }
  const filter = filterOf({ events: EVENTS, topics: ['news'], ids: [uuidv7()] })
  const fields = ['properties.plan', 'properties.a.b', 'createdAt', 'emailVerifiedAt']
  const recent = fc.record({
    field: fc.constantFrom(...fields, 'lastActivityAt', ...EVENTS.map((name) => `event.${name}`)),
    value: fc.integer({ min: 1, max: 80 }),
  })
  const departs = { field: 'properties.departs', operator: 'withinNext', unit: 'hours' } as const
  const ageing = recent.chain(({ field, value }): fc.Arbitrary<Filter> => {
    const unit = 'hours'
    if (!field.startsWith('event.')) {
      return fc.constantFrom<Filter>(
        { field, operator: 'within', value, unit },
        { field, operator: 'notWithin', value, unit },
        { field, operator: 'withinNext', value, unit },
        { field, operator: 'lessThan', value: 'now' },
        { field, operator: 'greaterThanOrEqual', value: 'now' },
      )
    }
    return fc.constantFrom<Filter>(
      { field, operator: 'triggeredWithin', value, unit },
      { field, operator: 'notTriggeredWithin', value, unit },
      { field, operator: 'triggered', value: { atLeast: 2, within: value }, unit },
      { field, operator: 'triggered', value: { exactly: 1, within: value }, unit },
      { field, operator: 'triggered', value: { where: [{ ...departs, value }] } },
      { field, operator: 'triggered', value: { atMost: 1, where: [{ ...departs, value }] } },
    )
  })
  const condition = conditionOf(
    fc.oneof({ weight: 4, arbitrary: ageing }, { weight: 1, arbitrary: filter }),
    2,
  )
  const watched = []
  for (const each of fc.sample(
    fc.oneof(
      ageing.map((one) => of(one)),
      condition,
    ),
    SEGMENTS,
  )) {
    watched.push(await watchSegment(sql, organizationId, each))
  }
  await keepAll(sql, clock)
  let changes = 0
  for (let jump = 0; jump < JUMPS; jump++) {
    // To the next time at which an answer may change, to just before it, or anywhere.
    const [next] = await sql<{ ms: number }[]>`
      select extract(epoch from min(due_at))::float8 * 1000 as ms
      from membership_deadlines
      where organization_id = ${organizationId}`
    if (!next?.ms) break
    now = Math.max(now, [next.ms, next.ms - 1, now + below(6 * HOUR_MS)][jump % 3] ?? now)
    const marked = await sql`
      select from membership_deadlines
      where organization_id = ${organizationId} and due_at <= ${at(0)}`
    changes += marked.length
    await keepAll(sql, clock)
    const { members } = await membersByOracle(sql, organizationId, watched, at(0))
    for (const { id, condition: asked } of watched) {
      expect(await keptMembers(sql, id), JSON.stringify(asked)).toEqual(members.get(id))
    }
  }
  expect(changes).toBeGreaterThan(CONTACTS)
}, 300_000)
