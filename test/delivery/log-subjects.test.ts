import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults, type Result } from '../../src/store/delivery/record-results.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'

/** Subjects of sent mails in the log, whatever order results and events come in. */
const COUNT = 20
const keyring = parseKeyring(newKeyringText())

let database: TestDatabase
let sql: Sql
let seeded: Seeded
let run: batchRuns.Run
let bucket: Uuid
let claimId: Uuid
let ids: Uuid[]

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())

beforeEach(async () => {
  seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  await seedContacts(sql, organizationId, COUNT)
  run = { organizationId, batchId: await seedBatch(sql, seeded), attempt: 1 }
  await freezePage(sql, { ...run, pageSize: 1_000, chunkSize: 100 })
  bucket = (await batchRuns.context(sql, organizationId, run.batchId))?.bucket ?? ''
  claimId = uuidv7()
  const [from, to] = [batchRowId(bucket, 0), batchRowId(bucket, COUNT)]
  const range = { ...run, bucket, connectionId, claimId, from, to, limit: COUNT }
  ids = (await claimRange(sql, range)).recipients.map(({ id }) => id)
})

const results = (outcome: 'sent' | 'unknown') => {
  const all = ids.map((id, n): Result => {
    const subject = `News for reader ${n}`
    if (outcome === 'unknown') return { id, outcome, error: 'ECONNRESET', subject }
    return { id, outcome, messageId: `m-${id}`, subject }
  })
  const { organizationId, batchId } = run
  return recordResults(sql, { organizationId, bucket, claimId, batchId }, all)
}

/** Stores and applies the provider's events about these mails. */
async function applySends(of: readonly Uuid[], mail: object = {}): Promise<void> {
  const { organizationId, connectionId } = seeded
  const bodies = of.map((id) => ({
    detail: {
      eventType: 'Send',
      mail: {
        timestamp: new Date().toISOString(),
        messageId: `m-${id}`,
        tags: {
          'letterloom-message': [`${bucket}_${id}`],
          'letterloom-organization': [organizationId],
        },
        ...mail,
      },
      send: {},
    },
  }))
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    select ${organizationId}, ${connectionId}, ${uuidv7()} || n, body
    from jsonb_array_elements(${sql.json(bodies)}) with ordinality as event (body, n)`
  while ((await applyEvents(sql, keyring)) > 0);
}

const rows = () => sql<{ state: string; subject: string | null }[]>`
  select state, subject from messages where bucket = ${bucket} order by id`
const allTitled = Array.from({ length: COUNT }, (_, n) => ({
  state: 'sent',
  subject: `News for reader ${n}`,
}))

test('an event that is applied before the results leaves the subject to them', async () => {
  await applySends(ids)
  await results('sent')
  expect(await rows()).toEqual(allTitled)
})

test('an event that is committed while the results are written leaves the subject to them', async () => {
  const [first = '', ...others] = ids
  const written = await transact(sql, async (tx) => {
    await tx`select from messages where bucket = ${bucket} and id = ${first} for update`
    const writing = results('sent').then()
    // The statement has its snapshot, and waits for the first row.
    await until(async () => {
      const waiting = await database.admin`
        select
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    await applySends(others)
    return { writing }
  })
  await written.writing
  expect(await rows()).toEqual(allTitled)
  expect(await batchRow(sql, run.batchId)).toMatchObject({ sent: COUNT, unknown: 0 })
  const stats = await sql`
    select sum(emails_sent)::integer as sent
    from contact_stats where organization_id = ${run.organizationId}`
  expect(stats).toEqual([{ sent: COUNT }])
})

test('a mail with an unknown outcome has its subject when an event proves it', async () => {
  await results('unknown')
  await applySends(ids)
  expect(await rows()).toEqual(allTitled)
  expect(await sql`select from batches where id = ${run.batchId} and sent = ${COUNT}`).toHaveLength(
    1,
  )
})

test('an event sets the subject if the worker was lost before it wrote anything', async () => {
  await applySends(ids, { commonHeaders: { subject: 'News for somebody' } })
  const told = { state: 'sent', subject: 'News for somebody' }
  expect(await rows()).toEqual(ids.map(() => told))
})

test('an erased mail gets no subject back, by results or by events', async () => {
  await applySends(ids)
  await sql`update messages set recipient = null, subject = null where bucket = ${bucket}`
  await results('sent')
  await applySends(ids, { commonHeaders: { subject: 'News for Ada' } })
  expect(await rows()).toEqual(ids.map(() => ({ state: 'sent', subject: null })))
})

test('a row of a newer claim gets no subject of the older one', async () => {
  const other = uuidv7()
  await sql`update messages set claim_id = ${other} where bucket = ${bucket}`
  await results('sent')
  expect(await rows()).toEqual(ids.map(() => ({ state: 'claimed', subject: null })))
})
