import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Audience } from '../../src/domain/audience/audience.ts'
import { checkCondition, IN_SEGMENTS } from '../../src/domain/audience/condition-check.ts'
import { bucketOf, evaluate, type Facts } from '../../src/domain/audience/condition-eval.ts'
import type { Condition, Filter } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as audiences from '../../src/store/audience/audience.ts'
import { holds } from '../../src/store/audience/condition-sql.ts'
import * as facts from '../../src/store/audience/facts.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { type Json, type Sql, within } from '../../src/store/db/sql.ts'
import {
  conditionOf,
  countEvents,
  eventProperties,
  filterOf,
  HOSTILE,
  properties,
  type SeenEvent,
  TIMES,
} from '../support/conditions.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const HOUR_MS = 3_600_000
const CONTACTS = 100
/** Pairs of a contact and a condition. */
const CASES = sized(2_000, 200_000)
const EVENTS = ['bought', 'left', 'never', `it's; --`]

let database: TestDatabase
let searcher: Sql
let organizationId: Uuid
let now: string
let topics: string[]
let known: Facts[]
const events = new Map<Uuid, SeenEvent[]>()

beforeAll(async () => {
  database = await createDatabase()
  searcher = connectAs(database.url, { name: 'condition-sql', role: 'letterloom_search', max: 2 })
  await createPartitions(database.sql)
  now = new Date().toISOString()
  const [own, other] = [await seed(), await seed()]
  organizationId = own.organizationId
  topics = [...own.topics, 'nothing', other.topics[0] ?? '', own.topics[0]?.toUpperCase() ?? '']
  const asksAll = of({ field: 'topics', operator: 'hasTopic', value: 'x' })
  for (const { contactId, ...event } of await database.sql<(SeenEvent & { contactId: Uuid })[]>`
    select contact_id, name, occurred_at, properties from events`) {
    events.set(contactId, [...(events.get(contactId) ?? []), event])
  }
  known = await Promise.all(
    own.contacts.map(async (id) => {
      const loaded = await facts.load(database.sql, organizationId, id, [asksAll], { now })
      return loaded ?? Promise.reject(new Error('no such contact'))
    }),
  )
})
afterAll(async () => {
  await searcher.end()
  await database.drop()
})

const fact = { field: 'createdAt', operator: 'exists' as const }
test.each<[string, Condition]>([
  ['without groups', { logic: 'AND', groups: [] }],
  ['of alternatives without groups', { logic: 'OR', groups: [] }],
  ['whose group is empty', { logic: 'AND', groups: [{ filters: [] }] }],
  [
    'with an empty group beside one',
    { logic: 'AND', groups: [{ filters: [fact] }, { filters: [] }] },
  ],
  [
    'with nothing in what is nested',
    { logic: 'AND', groups: [{ filters: [fact], nested: { logic: 'AND', groups: [] } }] },
  ],
])('a condition %s holds of nobody, in SQL and here', async (_, condition) => {
  const found = await database.sql`
    select id from contacts
    where organization_id = ${organizationId}
      and ${holds(database.sql, organizationId, condition, now)}`
  expect(found).toHaveLength(0)
  expect(known.filter((each) => evaluate(condition, each))).toHaveLength(0)
})

const ago = (hours: number) => new Date(Date.parse(now) - hours * HOUR_MS).toISOString()
const oneOf = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T
const maybe = <T>(make: () => T): T | null => (randomInt(2) === 0 ? make() : null)
const NAMES = ['Ada', 'ada', 'Ada Lovelace', '', 'a', ...HOSTILE]

/** Contacts with all that can be asked about, some of it missing. */
async function seed() {
  const { sql } = database
  const { organizationId } = await seedOrganization(sql)
  const made = ['news', 'offers', 'pro'].map((slug) => ({ id: uuidv7(), slug }))
  for (const { id, slug } of made) {
    await sql`insert into topics ${sql({ organizationId, id, slug, name: slug })}`
  }
  const contacts: Uuid[] = []
  const bought = fc.sample(eventProperties, CONTACTS)
  for (const own of fc.sample(properties, CONTACTS)) {
    const id = uuidv7()
    contacts.push(id)
    await sql`insert into contacts ${sql({
      organizationId,
      id,
      email: `${oneOf(['ada', 'bob'])}.${id}@example.com`,
      phone: maybe(() => `+49${id.slice(-8)}`),
      externalId: maybe(() => `${oneOf(NAMES)}${id}`),
      firstName: maybe(() => oneOf(NAMES)),
      lastName: maybe(() => oneOf(NAMES)),
      company: maybe(() => oneOf(NAMES)),
      emailStatus: oneOf(['active', 'unsubscribed', 'bounced', null]),
      smsStatus: maybe(() => 'opted_in'),
      preferredChannel: maybe(() => oneOf(['email', 'sms'])),
      properties: sql.json(own as Json),
      emailVerifiedAt: maybe(() => ago(randomInt(72))),
      smsConsentedAt: maybe(() => '2026-11-21T08:00:00.123Z'),
      createdAt: ago(randomInt(72)),
    })}`
    if (randomInt(3) > 0) {
      const [emailsSent, emailsOpened] = [randomInt(13), randomInt(3)]
      await sql`insert into contact_stats ${sql({
        organizationId,
        contactId: id,
        emailsSent,
        emailsOpened,
        lastEmailOpenedAt: maybe(() => ago(randomInt(72))),
        lastActivityAt: maybe(() => ago(-randomInt(2))),
      })}`
    }
    for (const { id: topicId } of made.slice(randomInt(4))) {
      const status = oneOf(['subscribed', 'subscribed', 'pending', 'unsubscribed'])
      await sql`insert into subscriptions ${sql({ organizationId, contactId: id, topicId, status })}`
    }
    for (let left = randomInt(5); left > 0; left--) {
      const event = { organizationId, id: uuidv7(), contactId: id, name: oneOf(EVENTS) }
      if (event.name === 'never') continue
      const properties = sql.json(oneOf(bought) as Json)
      const occurredAt = ago(randomInt(60) / 7)
      await sql`insert into events ${sql({ ...event, properties, occurredAt })}`
    }
  }
  return { organizationId, contacts, topics: made.flatMap(({ id, slug }) => [id, slug]) }
}

async function found(condition: Condition, sql: Sql = searcher, areAll = false): Promise<Uuid[]> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId}
      and ${holds(sql, organizationId, condition, now, { areAll })}
    order by id`
  return rows.map(({ id }) => id)
}
const isHeld = (condition: Condition, facts: Facts): boolean =>
  evaluate(condition, {
    ...facts,
    events: countEvents(condition, events.get(facts.contact.id) ?? [], now),
  })
const expected = (condition: Condition): Uuid[] =>
  known.filter((each) => isHeld(condition, each)).map(({ contact }) => contact.id)

const of = (filter: Filter): Condition => ({ logic: 'AND', groups: [{ filters: [filter] }] })
const check = async (condition: Condition) => {
  expect(checkCondition(condition, '', IN_SEGMENTS)).toEqual([])
  const right = expected(condition)
  expect(await found(condition)).toEqual(right)
  expect(await found(condition, searcher, true)).toEqual(right)
}

test('SQL finds exactly the contacts of which a condition holds', async () => {
  const ids = known.slice(0, 5).map(({ contact }) => contact.id)
  const filter = filterOf({ events: EVENTS, topics, ids })
  const numRuns = CASES / CONTACTS
  await fc.assert(fc.asyncProperty(fc.oneof(filter.map(of), conditionOf(filter)), check), {
    numRuns,
  })
}, 600_000)

test('the facts of one contact count the same events', async () => {
  const filter = filterOf({ events: EVENTS, topics, ids: [uuidv7()] })
  for (const condition of fc.sample(conditionOf(filter, 2), 20)) {
    const { id } = oneOf(known).contact
    const loaded = await facts.load(database.sql, organizationId, id, [condition], { now })
    const counts = countEvents(condition, events.get(id) ?? [], now)
    for (const [key, count] of counts) expect([key, loaded?.events?.get(key)]).toEqual([key, count])
  }
})

test('an exception selects all other contacts, whatever they lack', async () => {
  const ids = known.slice(0, 5).map(({ contact }) => contact.id)
  const filter = filterOf({ events: EVENTS, topics, ids })
  const pair = fc.array(conditionOf(filter), { minLength: 1, maxLength: 2 })
  const check = async (conditions: Condition[]) => {
    const audience: Audience = [{ type: 'except', topicIds: [], conditions, now }]
    const limit = CONTACTS
    const rows = await audiences.listIds(searcher, organizationId, audience, { limit })
    const others = known.filter((each) => !conditions.some((one) => isHeld(one, each)))
    expect(rows.map(({ id }) => id)).toEqual(others.map(({ contact }) => contact.id))
  }
  await fc.assert(fc.asyncProperty(pair, check), { numRuns: 30 })
})

test('no text of a caller is more than a text, wherever it stands', async () => {
  const filters = HOSTILE.flatMap((text): Filter[] => [
    ...['firstName', 'lastName', 'company', 'email', 'properties.plan', 'properties.a.b'].flatMap(
      (field) => [
        { field, operator: 'equals' as const, value: text },
        { field, operator: 'notContains' as const, value: text },
        { field, operator: 'startsWith' as const, value: text },
        { field, operator: 'endsWith' as const, value: text },
        { field, operator: 'inList' as const, value: [text, 'Ada', `x${text}`] },
      ],
    ),
    { field: `properties.${text}`, operator: 'exists' },
    { field: `properties.${text}`, operator: 'equals', value: text },
    { field: `properties.plan.${text}`, operator: 'contains', value: text },
    { field: `properties.${text}.${text}`, operator: 'greaterThan', value: 0 },
    { field: `properties.a.${text}`, operator: 'within', value: 5, unit: 'days' },
    { field: `event.${text}`, operator: 'notTriggered' },
    { field: `event.${text}`, operator: 'triggeredAtLeast', value: 1 },
    { field: 'topics', operator: 'notHasTopic', value: text },
  ])
  for (const filter of filters) {
    expect(checkCondition(of(filter), '', IN_SEGMENTS), JSON.stringify(filter)).toEqual([])
    expect(await found(of(filter)), JSON.stringify(filter)).toEqual(expected(of(filter)))
  }
})

test('values that cannot be stored match nothing and cause no error', async () => {
  for (const text of ['\0', 'a\0b', '\ud800', 'x\udfff']) {
    for (const [field, operator] of [
      ['firstName', 'equals'],
      ['properties.plan', 'equals'],
      ['properties.plan', 'notContains'],
      [`properties.${text}`, 'notEquals'],
      [`event.${text}`, 'triggered'],
      ['topics', 'notHasTopic'],
    ] as const) {
      const value = operator === 'triggered' ? undefined : text
      const isDenial = operator.startsWith('not')
      const filter = { field, operator, ...(value === undefined ? {} : { value }) }
      expect(await found(of(filter)), JSON.stringify(filter)).toHaveLength(isDenial ? CONTACTS : 0)
    }
  }
})

test('values that no number, time or list of JavaScript is are read without an error', async () => {
  const { sql } = database
  const raw = [
    '1e400',
    '-1e400',
    '1e-400',
    '1e309',
    '1.7976931348623157e308',
    '4e-324',
    '2e-324',
    '123456789012345678901234567890',
    '0.1',
    '100000000000000000000000e-23',
    '-0.0',
    '"1e400"',
    '"99999999999999999999"',
    '"9999-99-99"',
    '"2026-11-21T08:00:00+15:60"',
    '[[[]]]',
    '[null]',
    '{}',
    '{"0":{"1":2}}',
    '[{"0":1}]',
    '""',
  ]
  const ids: Uuid[] = []
  for (const text of [...raw, ...TIMES.map((time) => JSON.stringify(time))]) {
    const id = uuidv7()
    ids.push(id)
    await sql`
      insert into contacts (organization_id, id, email, properties)
      values (${organizationId}, ${id}, ${`${id}@example.com`},
        jsonb_build_object('p', ${text}::text::jsonb))`
  }
  const loaded = await facts.contacts(sql, organizationId, ids)
  const filters: Filter[] = [
    ...[0, 0.1, 5e-324, 1.7976931348623157e308, 1e23].flatMap((value): Filter[] => [
      { field: 'properties.p', operator: 'lessThan', value },
      { field: 'properties.p', operator: 'greaterThanOrEqual', value },
      { field: 'properties.p', operator: 'inList', value: [value, 1] },
      { field: 'properties.p', operator: 'contains', value },
    ]),
    ...['2026-11-21T08:00:00.123Z', '2026-11-21T08:00:00.999Z', '2026-11-21', '9999-12-31'].flatMap(
      (value): Filter[] => [
        { field: 'properties.p', operator: 'lessThan', value },
        { field: 'properties.p', operator: 'lessThanOrEqual', value },
        { field: 'properties.p', operator: 'greaterThan', value },
      ],
    ),
    { field: 'properties.p', operator: 'within', value: 9, unit: 'days' },
    { field: 'properties.p.0', operator: 'exists' },
    { field: 'properties.p.0.1', operator: 'notExists' },
    { field: 'properties.p', operator: 'exists' },
    { field: 'properties.p', operator: 'equals', value: '' },
  ]
  for (const filter of filters) {
    const held = (await found(of(filter))).filter((id) => loaded.has(id))
    const wanted = [...loaded.values()].filter((contact) => evaluate(of(filter), { contact, now }))
    expect(held, JSON.stringify(filter)).toEqual(wanted.map(({ id }) => id).toSorted())
  }
  await sql`delete from contacts where id = any(${ids}::uuid[])`
})

test('under the policies of the API a condition finds the same', async () => {
  const api = connectAs(database.url, { name: 'condition-sql', role: 'letterloom_api', max: 1 })
  try {
    const filter = filterOf({ events: EVENTS, topics, ids: [uuidv7()] })
    for (const condition of fc.sample(conditionOf(filter, 2), 20)) {
      expect(await found(condition, within(api, organizationId))).toEqual(expected(condition))
    }
  } finally {
    await api.end()
  }
})

/** As docs/api-guide.md publishes them: never change one. */
const BUCKETS: [id: Uuid, of2: number, of3: number, of10: number, of100: number, of1000: number][] =
  [
    ['0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11', 1, 1, 7, 77, 577],
    ['0199c2f4-7d1e-7a60-9c1b-000000000000', 0, 0, 0, 0, 0],
    ['0199c2f4-7d1e-7a60-9c1b-ffffffffffff', 1, 0, 5, 55, 655],
    ['0199c2f4-7d1e-7a60-9c1b-0000000003e7', 1, 0, 9, 99, 999],
    ['01920000-0000-7000-8000-123456789abc', 0, 0, 8, 68, 868],
  ]

test('a bucket is what is published, in TypeScript and in SQL', async () => {
  for (const [id, ...expected] of BUCKETS) {
    const sizes = [2, 3, 10, 100, 1000]
    expect(sizes.map((buckets) => bucketOf(id, buckets))).toEqual(expected)
    for (const [at, buckets] of sizes.entries()) {
      const condition = of({
        field: 'bucket',
        operator: 'inBucket',
        value: { buckets, index: expected[at] },
      })
      const [row] = await searcher<{ held: boolean }[]>`
        select ${holds(searcher, organizationId, condition, now)} as held
        from (select ${id}::uuid as id) contacts`
      expect([id, buckets, row?.held]).toEqual([id, buckets, true])
    }
  }
})
