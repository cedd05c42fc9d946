import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageOfContacts, pageOfIds } from '../../src/core/audience/pages.ts'
import type { Audience } from '../../src/domain/audience/audience.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const CONTACTS = 3_000
/** Each contact's; every third contact has twice as many. */
const EVENTS = 2
const LIMIT = 10
/** Contacts of a stretch. */
const STRETCH = 50

let database: TestDatabase
let searcher: Sql
let organizationId: Uuid
let audience: Audience
let asked: { query: string; parameters: unknown[] }[] = []
beforeAll(async () => {
  database = await createDatabase()
  searcher = connectAs(database.url, {
    name: 'pages',
    role: 'letterloom_search',
    max: 1,
    onQuery: (query, parameters) => void asked.push({ query, parameters }),
  })
  const { sql } = database
  await createPartitions(sql)
  ;({ organizationId } = await seedOrganization(sql))
  const ids = Array.from({ length: CONTACTS }, () => uuidv7())
  await sql`
    insert into contacts (organization_id, id, email)
    select ${organizationId}, id, id || '@example.com'
    from unnest(${ids}::uuid[]) as id`
  const contactIds = ids.flatMap((id, at) =>
    Array<Uuid>(at % 3 === 0 ? 2 * EVENTS : EVENTS).fill(id),
  )
  await sql`
    insert into events (organization_id, id, contact_id, name, occurred_at)
    select ${organizationId}, id, contact_id, 'bought', now()
    from unnest(${contactIds.map(() => uuidv7())}::uuid[], ${contactIds}::uuid[]) as e (id, contact_id)`
  await database.admin`analyze contacts, events`
  const often = { field: 'event.bought', operator: 'triggeredAtLeast' as const, value: 3 }
  audience = [
    {
      type: 'condition',
      condition: { logic: 'AND', groups: [{ filters: [often] }] },
      now: new Date().toISOString(),
    },
  ]
})
afterAll(async () => {
  await searcher.end()
  await database.drop()
})

interface Plan {
  Plans?: Plan[]
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
}

/** Events that the widest of the statements since then has read. */
async function eventsRead(): Promise<number> {
  const statements = asked.filter(({ query }) => /\bevents\b/.test(query))
  expect(statements.length).toBeGreaterThan(0)
  let most = 0
  for (const { query, parameters } of statements) {
    const [row] = await searcher.unsafe<{ 'QUERY PLAN': [{ Plan: Plan }] }[]>(
      `explain (analyze, timing off, format json) ${query}`,
      parameters as never[],
    )
    const [explained] = Object.values(row ?? {}) as [{ Plan: Plan }][]
    most = Math.max(most, readBy(explained?.[0].Plan))
  }
  return most
}

function readBy(plan: Plan | undefined): number {
  if (!plan) return 0
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)
  const own = plan['Relation Name']?.startsWith('events') ? rows * plan['Actual Loops'] : 0
  return own + (plan.Plans ?? []).reduce((sum, each) => sum + readBy(each), 0)
}

test.each(['contacts', 'ids'] as const)(
  'a page of %s counts the events of its stretch only, and all pages have each once',
  async (kind) => {
    const seen: Uuid[] = []
    let [most, pages] = [0, 0]
    for (let at: Uuid | undefined; ; pages++) {
      asked = []
      const { rows, next } =
        kind === 'contacts'
          ? await pageOfContacts(searcher, organizationId, audience, { before: at, limit: LIMIT })
          : await pageOfIds(searcher, organizationId, audience, { after: at ?? null, limit: LIMIT })
      seen.push(...rows.map(({ id }) => id))
      if (pages % 30 === 0) most = Math.max(most, await eventsRead())
      if (next === undefined) break
      at = next
    }
    expect(seen.length).toBe(CONTACTS / 3)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(kind === 'ids' ? seen.toSorted() : seen.toSorted().toReversed())
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(STRETCH * 2 * EVENTS)
  },
)

test('a stretch in which nobody is a member has a page without rows, and a next one', async () => {
  const nobody: Audience = [...audience, { type: 'contacts', contactIds: [] }]
  const page = await pageOfIds(searcher, organizationId, nobody, { after: null, limit: LIMIT })
  expect(page).toEqual({ rows: [], next: expect.any(String) })
})
