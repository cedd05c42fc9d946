import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { bucketStart, uuidv7 } from '../../src/runtime/ids.ts'
import * as contactFacts from '../../src/store/audience/facts.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000
const PARTITIONS = 90

let database: TestDatabase
let worker: Sql
let organizationId: string
const asked: { query: string; parameters: unknown[] }[] = []
beforeAll(async () => {
  database = await createDatabase()
  worker = connectAs(database.url, {
    name: 'contact-facts',
    role: 'letterloom_worker',
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
  for (let day = 0; day < PARTITIONS; day += 8) {
    await createPartitions(database.sql, Date.now() - day * DAY_MS)
  }
  ;({ organizationId } = await seedOrganization(database.sql))
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

const bought: Condition = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'event.bought', operator: 'triggered' }] }],
}

/** A contact that was made so many days ago, and events of theirs, as many days ago as said. */
async function seed(daysAgo: number, events: readonly number[]): Promise<string> {
  const { sql } = database
  const id = uuidv7At(daysAgo)
  await sql`insert into contacts ${sql({ organizationId, id, email: `${id}@example.com` })}`
  for (const days of events) {
    const time = new Date(Date.now() - days * DAY_MS).toISOString()
    await sql`insert into events ${sql({
      organizationId,
      id: uuidv7At(days),
      contactId: id,
      name: 'bought',
      occurredAt: time,
      receivedAt: time,
    })}`
  }
  return id
}

/** Of that day; the random part is another each time. */
const uuidv7At = (daysAgo: number): string =>
  bucketStart(Date.now() - daysAgo * DAY_MS).slice(0, 19) + uuidv7().slice(19)

const load = (contactId: string) =>
  contactFacts.load(worker, organizationId, contactId, [bought], { now: new Date().toISOString() })

test.each([
  { contact: 'new', daysAgo: 1, events: [1, 0], most: 11 },
  { contact: 'old', daysAgo: 80, events: [80, 40, 0], most: PARTITIONS + 10 },
])('all events of a $contact contact count, and days before them are not read', async (given) => {
  const contactId = await seed(given.daysAgo, given.events)
  await seed(given.daysAgo, [0])
  asked.length = 0
  const facts = await load(contactId)
  expect([...(facts?.events?.values() ?? [])]).toEqual([given.events.length])
  const statement = asked.find(({ query }) => /\bfrom events\b/.test(query))
  const rows = await database.sql.unsafe(
    `explain ${statement?.query ?? ''}`,
    (statement?.parameters ?? []) as never[],
  )
  const plan = rows.map((row) => String(row['queryPlan'] ?? row['QUERY PLAN'])).join('\n')
  const days = new Set(plan.match(/\bevents_\d{8}(?=_|\b)/g))
  expect([days.size <= given.most, plan]).toEqual([true, plan])
  expect(days.size).toBeGreaterThan(given.daysAgo)
})
