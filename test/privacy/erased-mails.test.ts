import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as erasedMails from '../../src/store/privacy/erased-mails.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import * as personalData from '../../src/store/privacy/export.ts'
import { type Sql, transact, within } from '../../src/store/db/sql.ts'
import { addressHash } from '../../src/keys/tokens.ts'
import { createDatabase } from '../support/database.ts'
import { seedBatch, seedContacts, type Seeded, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000
const PARTITIONS = 90
const PEOPLE = 20_000

let database: Awaited<ReturnType<typeof createDatabase>>
let seeded: Seeded
let mailed: erasedMails.Mailed
const asked: { query: string; parameters: unknown[] }[] = []

beforeAll(async () => {
  database = await createDatabase()
  const { sql } = database
  for (let day = 0; day < PARTITIONS; day += 8)
    await createPartitions(sql, Date.now() - day * DAY_MS)
  seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  const ids = await seedContacts(sql, organizationId, PEOPLE)
  const batchId = await seedBatch(sql, seeded)
  await freezePage(sql, {
    organizationId,
    batchId,
    attempt: 1,
    pageSize: PEOPLE,
    chunkSize: 1_000,
  })
  await sql`
    insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id, contact_id,
      recipient, state, status)
    select organization_id, ${dayBucket(uuidv7())}, gen_random_uuid(), gen_random_uuid(),
      'transactional', ${connectionId}, case when contact_id <> ${ids[7] ?? ''} then contact_id end,
      recipient, 'sent', 'sent'
    from messages`
  await database.admin`analyze messages`
  const email = 'reader-8@example.com'
  const addressHashes = [addressHash(organizationId, email).toString('hex')]
  const until = new Date().toISOString()
  mailed = { organizationId, contactIds: [ids[7] ?? ''], addressHashes, until }
})
afterAll(() => database.drop())

const onQuery = (query: string, parameters: unknown[]) => asked.push({ query, parameters })
const partitionsOf = (plan: string) => new Set(plan.match(/\bmessages_\d{8}\b/g)).size

/** The plans of what `act` asks of the ledger, as `sql` runs them. */
async function plansOf(sql: Sql, act: () => PromiseLike<unknown>): Promise<string[]> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => /\bmessages\b/.test(query))
  expect(statements.length).toBeGreaterThan(0)
  return Promise.all(
    statements.map(async ({ query, parameters }) => {
      const plan = await sql.unsafe(`explain (analyze, timing off) ${query}`, parameters as never[])
      return plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
    }),
  )
}

/** The most rows that any node of a plan has looked at in vain. */
const inVain = (plan: string): number =>
  Math.max(
    0,
    ...[...plan.matchAll(/Rows Removed by [^:]+: (\d+)/g)].map(([, rows]) => Number(rows)),
  )

it('one contact’s mails among many are found by indexes, whoever asks', async () => {
  const worker = connectAs(database.url, {
    name: 'plans',
    role: 'letterloom_worker',
    max: 1,
    onQuery,
  })
  const pool = connectAs(database.url, { name: 'plans', role: 'letterloom_api', max: 1, onQuery })
  const searchSql = connectAs(database.url, {
    name: 'plans',
    role: 'letterloom_search',
    max: 1,
    onQuery,
  })
  const api = within(pool, seeded.organizationId)
  try {
    const found = await erasedMails.listSettled(database.sql, mailed, 100)
    expect(found).toHaveLength(2)
    const exported: unknown[] = []
    const plans = [
      ...(await plansOf(worker, () => erasedMails.listSettled(worker, mailed, 100))),
      ...(await plansOf(worker, () => erasedMails.anyLeft(worker, mailed))),
      ...(await plansOf(searchSql, async () => {
        const pools = { sql: api, searchSql }
        for await (const mail of personalData.mails(pools, mailed)) exported.push(mail)
      })),
    ]
    expect(exported).toHaveLength(2)
    expect(plans.length).toBeGreaterThanOrEqual(7)
    // Among mails to the address is the one that the contact has by its id.
    for (const plan of plans) expect(inVain(plan), plan).toBeLessThanOrEqual(1)
  } finally {
    await worker.end()
    await searchSql.end()
    await pool.end()
  }
})

it('emptying mails reads the one partition that holds them', async () => {
  const worker = connectAs(database.url, {
    name: 'plans',
    role: 'letterloom_worker',
    max: 1,
    onQuery,
  })
  try {
    const [key] = await erasedMails.listSettled(database.sql, mailed, 1)
    class RollBack extends Error {}
    const bucket = key?.bucket ?? ''
    asked.length = 0
    const emptied: number[] = []
    await transact(worker, async (tx) => {
      const { count } = await erasedMails.empty(tx, mailed, bucket, [key?.id ?? ''])
      emptied.push(count)
      throw new RollBack()
    }).catch((error: unknown) => {
      if (!(error instanceof RollBack)) throw error
    })
    expect(emptied).toEqual([1])
    const statements = asked.filter(({ query }) => /\bmessages\b/.test(query))
    expect(statements).toHaveLength(2)
    for (const { query, parameters } of statements) {
      const plan = await worker.unsafe(`explain ${query}`, parameters as never[])
      const text = plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
      expect([partitionsOf(text), text]).toEqual([1, text])
      expect(text).not.toContain('Seq Scan on messages')
    }
  } finally {
    await worker.end()
  }
})

it('touches no mail of another contact with the same address, and none of another organization', async () => {
  const stranger = await seedOrganization(database.sql)
  const [key] = await erasedMails.listSettled(database.sql, mailed, 1)
  const { bucket = '', id = '' } = key ?? {}
  for (const wrong of [
    { ...mailed, organizationId: stranger.organizationId },
    { ...mailed, contactIds: [uuidv7()] },
  ]) {
    expect(
      await transact(database.sql, (tx) => erasedMails.empty(tx, wrong, bucket, [id])),
    ).toEqual({ count: 0, recipients: [] })
  }
})
