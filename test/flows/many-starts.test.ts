import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { admit } from '../../src/core/flows/admission.ts'
import { fire } from '../../src/core/flows/triggers.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { countersOf, executionsOf, seedFlow, SETTINGS } from '../support/seed-flow.ts'
import { connectAs } from '../support/logins.ts'

const MOST_STARTS = 1_000
const MOST_BYTES = 1_048_576
const KIB = 1_024

let database: TestDatabase
let sql: Sql
let organizationId: Uuid
let people: Uuid[]
let asked: { query: string; characters: number; rows: number }[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, {
    name: 'many-starts',
    role: 'letterloom_worker',
    max: 2,
    onQuery: (query, parameters) => {
      const texts = parameters.map(String)
      const characters = texts.reduce((sum, { length }) => sum + length, 0)
      const rows = Math.max(0, ...texts.map((text) => text.match(/[\da-f-]{36}/g)?.length ?? 0))
      asked.push({ query, characters, rows })
    },
  })
  ;({ organizationId } = await seedOrganization(database.sql))
  people = await seedContacts(database.sql, organizationId, 20)
})
beforeEach(async () => {
  await database.sql`update flows set enabled = false`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const flowsOf = (count: number, name: string) =>
  Promise.all(
    Array.from({ length: count }, () =>
      seedFlow(database.sql, organizationId, {
        trigger: { type: 'event', name },
        settings: { allowReentry: true },
      }),
    ),
  )

/** Events of everybody in turn, each with so many bytes of properties. */
const events = (count: number, name: string, bytes: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'event' as const,
    contactId: people[(n * 7) % people.length] ?? '',
    name,
    eventId: uuidv7(),
    properties: { n, text: 'x'.repeat(bytes) },
  }))

const tell = async (occurrences: Parameters<typeof fire>[2]): Promise<number[]> => {
  asked = []
  return transact(sql, (tx) => fire(tx, organizationId, occurrences, 'request'))
}

const inserts = () => asked.filter(({ query }) => query.includes('insert into executions'))

test('starts are written by the thousand, however many flows an event starts', async () => {
  const flows = await flowsOf(5, 'viewed')
  const given = events(700, 'viewed', 1)
  expect(await tell(given)).toEqual(Array(700).fill(5))
  expect(inserts().map(({ rows }) => rows)).toEqual([1_000, 1_000, 1_000, 500])
  // A message of the outbox names its execution, flow and contact.
  expect(Math.max(...asked.map(({ rows }) => rows))).toBeLessThanOrEqual(3 * MOST_STARTS)
  for (const flowId of flows) {
    const rows = await executionsOf(database.sql, flowId)
    expect(rows.map(({ data }) => data['n']).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      given.map(({ properties: { n } }) => n),
    )
    const caused = new Map(given.map(({ eventId, contactId }) => [eventId, contactId]))
    expect(rows.filter((row) => caused.get(row.eventId ?? '') === row.contactId)).toHaveLength(700)
    expect(await countersOf(database.sql, flowId)).toMatchObject({ started: 700, dropped: 0 })
  }
})

test('a statement has about a mebibyte of data, however large the events are', async () => {
  await flowsOf(3, 'scanned')
  expect(await tell(events(200, 'scanned', 30 * KIB))).toEqual(Array(200).fill(3))
  const sizes = inserts().map(({ characters }) => characters)
  expect(sizes.length).toBeGreaterThanOrEqual(18)
  // Beside the data each start has ids, and quotes are escaped.
  expect(Math.max(...asked.map(({ characters }) => characters))).toBeLessThan(1.1 * MOST_BYTES)
})

test('the data of all contacts of one call is bounded, too', async () => {
  const id = await seedFlow(database.sql, organizationId, { settings: { allowReentry: true } })
  const flow = { id, version: 1, settings: { ...SETTINGS, allowReentry: true } }
  const data = { text: 'x'.repeat(30 * KIB) }
  const starts = Array.from({ length: 100 }, (_, n) => ({
    flow,
    contactId: people[n % people.length] ?? '',
    data: { ...data },
    dedupeKey: uuidv7(),
  }))
  asked = []
  const admissions = await transact(sql, (tx) => admit(tx, organizationId, starts, undefined))
  expect(admissions.filter(({ outcome }) => outcome === 'started')).toHaveLength(100)
  expect(inserts()).toHaveLength(3)
  expect(Math.max(...asked.map(({ characters }) => characters))).toBeLessThan(1.1 * MOST_BYTES)
})

test('a contact that may enter once does so once, also when the starts are written in several parts', async () => {
  const contactId = people[0] ?? ''
  const once = await seedFlow(database.sql, organizationId, {
    trigger: { type: 'event', name: 'visited' },
  })
  const given = events(MOST_STARTS + 200, 'visited', 1).map((each) => ({ ...each, contactId }))
  const started = await tell(given)
  expect(started.reduce((sum, each) => sum + each, 0)).toBe(1)
  expect(await countersOf(database.sql, once)).toMatchObject({ started: 1, dropped: 1_199 })
})
