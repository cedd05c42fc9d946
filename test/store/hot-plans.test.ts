import { afterAll, beforeAll, expect, it } from 'vitest'
import { batchRowId, uuidv7 } from '../../src/ids.ts'
import { applyEvents } from '../../src/loops/event-applier.ts'
import * as batchRuns from '../../src/store/batch-runs.ts'
import * as claims from '../../src/store/claims.ts'
import * as messages from '../../src/store/messages.ts'
import * as outlet from '../../src/store/outlet.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { connect, type Sql } from '../../src/store/sql.ts'
import { createDatabase } from '../support/database.ts'
import { seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

const DAY_MS = 86_400_000
const PARTITIONS = 90

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
const asked: { query: string; parameters: unknown[] }[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, {
    name: 'hot-plans',
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
  for (let day = 0; day < PARTITIONS; day += 8) {
    await createPartitions(database.sql, Date.now() - day * DAY_MS)
  }
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** Runs `act` and answers how many partitions of the ledger the widest of its statements reads. */
async function widest(act: () => PromiseLike<unknown>): Promise<number> {
  asked.length = 0
  await act()
  const statements = asked.filter(({ query }) => /\b(messages|message_bodies)\b/.test(query))
  expect(statements.length).toBeGreaterThan(0)
  let most = 0
  for (const { query, parameters } of statements) {
    const plan = await database.sql.unsafe(`explain ${query}`, parameters as never[])
    const text = plan.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
    const partitions = new Set(text.match(/\b(messages|message_bodies)_\d{8}\b/g))
    const days = new Set([...partitions].map((name) => name.slice(-8)))
    most = Math.max(most, days.size)
  }
  return most
}

it('every hot statement on the ledger reads the one partition it names, of ninety', async () => {
  const [count] = await database.sql<{ partitions: number }[]>`
    select count(*) as partitions
    from pg_inherits
    where inhparent = 'messages'::regclass`
  expect(count?.partitions).toBeGreaterThanOrEqual(PARTITIONS)

  const seeded = await seedOrganization(database.sql)
  await seedContacts(database.sql, seeded.organizationId, 100)
  const batchId = await seedBatch(database.sql, seeded)
  const run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await batchRuns.freezePage(database.sql, { ...run, pageSize: 1_000, chunkSize: 100 })
  const { organizationId, connectionId } = seeded
  const bucket = (await batchRuns.context(database.sql, organizationId, batchId))?.bucket ?? ''
  const range = { organizationId, bucket, from: batchRowId(bucket, 0), to: batchRowId(bucket, 100) }
  const place = { organizationId, bucket, batchId }
  const claim = (claimId: string) =>
    messages.claimRange(sql, { ...run, ...range, connectionId, claimId, limit: 10 })

  const first = uuidv7()
  expect(await widest(() => claim(first))).toBe(1)
  const ids = (
    await database.sql<{ id: string }[]>`select id from messages where claim_id = ${first}`
  ).map(({ id }) => id)
  const results: messages.Result[] = ids.map((id) => ({ id, outcome: 'unknown', error: 'x' }))
  expect(await widest(() => messages.settle(sql, { ...place, claimId: first }, results))).toBe(1)
  expect(await widest(() => messages.unsettled(sql, range))).toBe(1)
  expect(await widest(() => batchRuns.ledger(sql, organizationId, bucket))).toBe(1)

  const lost = { ...place, id: first, connectionId, messageIds: ids }
  expect(await widest(() => claims.doubt(sql, lost))).toBe(1)
  expect(await widest(() => claims.decide(sql, lost, 'queued'))).toBe(1)

  const mailId = uuidv7()
  await messages.enqueue(database.sql, {
    organizationId,
    id: mailId,
    source: 'transactional',
    connectionId,
    recipient: 'somebody@example.com',
    from: 'shop@example.com',
    subject: 'Receipt',
    text: 'Thanks',
  })
  const [waiting] = await outlet.waiting(database.sql, connectionId, 1)
  expect(
    await widest(() =>
      outlet.claim(sql, {
        organizationId,
        connectionId,
        bucket: waiting?.bucket ?? '',
        claimId: uuidv7(),
        ids: [mailId],
      }),
    ),
  ).toBe(1)

  const body = {
    detail: {
      eventType: 'Send',
      mail: {
        timestamp: new Date().toISOString(),
        messageId: 'm-1',
        tags: { 'letterloom-message': [`${bucket}_${ids[0]}`] },
      },
    },
  }
  await database.sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${organizationId}, ${connectionId}, 'e-1', ${database.sql.json(body)})`
  expect(await widest(() => applyEvents(sql))).toBe(1)
})
