import { recordTroubles } from '../../src/core/batches/batch-breaker.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { batchBucket, uuidv7 } from '../../src/runtime/ids.ts'
import type { Run } from '../../src/store/batches/batch-runs.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { batchRow, seedBatch, seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let sql: Sql
let run: Run

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())
beforeEach(async () => {
  const seeded = await seedOrganization(sql)
  const batchId = await seedBatch(sql, seeded)
  run = { organizationId: seeded.organizationId, batchId, attempt: 1 }
  await sql`
    update batches
    set status = 'processing', bucket = ${batchBucket()}, total_recipients = 10000
    where id = ${batchId}`
})

const refused = (senderRefusals: number) => ({
  senderRefusals,
  renderTimeouts: 0,
  isAnySent: false,
})
const timedOut = (renderTimeouts: number, isAnySent = false) => ({
  senderRefusals: 0,
  renderTimeouts,
  isAnySent,
})
const accept = (mails: number) =>
  sql`update batches set sent = sent + ${mails} where id = ${run.batchId}`

test('refusals of many claims at once are all counted, and one of them stops the batch', async () => {
  const trips = await Promise.all(
    Array.from({ length: 30 }, () => recordTroubles(sql, run, refused(1))),
  )
  expect(tally(trips.map(String))).toEqual({ undefined: 29, sender_rejected: 1 })
  expect(trips.indexOf('sender_rejected')).toBeGreaterThanOrEqual(0)
  expect(await batchRow(sql, run.batchId)).toMatchObject({
    status: 'failed',
    failedReason: 'sender_rejected',
  })
  const [row] = await sql`select sender_refusals from batches where id = ${run.batchId}`
  expect(row).toEqual({ senderRefusals: 20 })
})

test('an accepted mail of any claim ends a row of refusals', async () => {
  await recordTroubles(sql, run, refused(19))
  await accept(1)
  expect(await recordTroubles(sql, run, refused(19))).toBeUndefined()
  expect(await recordTroubles(sql, run, refused(1))).toBe('sender_rejected')
})

test('troubles of an earlier attempt do not count against the next one', async () => {
  await sql`update batches set attempt = 2 where id = ${run.batchId}`
  expect(await recordTroubles(sql, run, refused(100))).toBeUndefined()
  expect(await batchRow(sql, run.batchId)).toMatchObject({ status: 'processing' })
  expect(await recordTroubles(sql, { ...run, attempt: 2 }, refused(19))).toBeUndefined()
})

test('troubles of another organization’s run do not count', async () => {
  const stranger = { ...run, organizationId: uuidv7() }
  expect(await recordTroubles(sql, stranger, refused(100))).toBeUndefined()
  expect(await batchRow(sql, run.batchId)).toMatchObject({ status: 'processing' })
})

test('slow mails stop a batch: ten in a row, or one in a hundred of a thousand', async () => {
  expect(await recordTroubles(sql, run, timedOut(9))).toBeUndefined()
  await accept(980)
  expect(await recordTroubles(sql, run, timedOut(1, true))).toBeUndefined()
  await accept(20)
  expect(await recordTroubles(sql, run, timedOut(1, true))).toBe('render_timeout')
  expect(await batchRow(sql, run.batchId)).toMatchObject({
    status: 'failed',
    failedReason: 'render_timeout',
  })
})
