import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { startBatchReconciler } from '../../src/loops/batch-reconciler.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { batchWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer } from '../support/mailer.ts'
import { forgetRuns, resetToFirstTask, statusOf } from '../support/runs.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'

const REFLECTED_MS = 120_000
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }

let database: TestDatabase
let mailer: FakeMailer
let engine: Engine
let loops: { stop(): Promise<void> }[]

beforeAll(async () => {
  database = await createDatabase()
  mailer = fakeMailer()
  engine = await startEngine({ databaseUrl: database.url, mailer })
  const timings = { ...SHORT_TIMINGS, reconcileMs: 300 }
  const deps = { sql: database.sql, temporal: engine.client, timings, log }
  loops = [startBatchReconciler(deps), startBatchReconciler(deps)]
})
afterAll(async () => {
  await Promise.all(loops.map((loop) => loop.stop()))
  await engine.stop()
  await database.drop()
})
beforeEach(() => {
  mailer.accepted.length = 0
})

const ended = (id: string) =>
  until(async () => {
    const row = await batchRow(database.sql, id)
    return ['completed', 'failed', 'cancelled'].includes(row.status) && row
  }, REFLECTED_MS)

const attemptOf = async (id: string) => {
  const [row] = await database.sql<{ attempt: number }[]>`
    select attempt from batches where id = ${id}`
  return row?.attempt
}

/** A batch of which some mails have left, and many have not. */
async function sending(count: number, rate: number): Promise<{ seeded: Seeded; id: string }> {
  const seeded = await seedOrganization(database.sql, { rate })
  await seedContacts(database.sql, seeded.organizationId, count)
  const id = await seedBatch(database.sql, seeded)
  await until(async () => (await batchRow(database.sql, id)).sent > 20)
  return { seeded, id }
}

test('a run that is terminated while it sends fails its batch, which then mails nobody', async () => {
  const { seeded, id } = await sending(1_000, 50)
  await engine.client.workflow.getHandle(batchWorkflowId(id, 1)).terminate('enough')
  expect(await ended(id)).toMatchObject({ status: 'failed', failedReason: 'stopped_by_operator' })
  await sleep(2_000)
  const context = await batchRuns.context(database.sql, seeded.organizationId, id)
  const ledger = () => batchRuns.ledger(database.sql, seeded.organizationId, context?.bucket ?? '')
  // A busy machine may still be writing the results of the last calls.
  await until(async () => {
    const { claimed, unknown } = await ledger()
    return claimed === 0 && unknown === 0
  })
  const { sent } = await batchRow(database.sql, id)
  expect(new Set(mailer.accepted).size).toBe(sent)
  expect(mailer.accepted).toHaveLength(sent)
  expect(await ledger()).toMatchObject({ sent, queued: 1_000 - sent, claimed: 0, unknown: 0 })
  expect(await statusOf(engine.client, batchWorkflowId(id, 2))).toBeUndefined()
})

test('a run that Temporal loses while it sends is started again, and everybody is mailed once', async () => {
  const { id } = await sending(500, 70)
  await forgetRuns(engine.client, batchWorkflowId(id, 1))
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 500, failed: 0 })
  expect(await attemptOf(id)).toBe(2)
  expect(new Set(mailer.accepted).size).toBe(500)
  expect(mailer.accepted).toHaveLength(500)
})

test('a scheduled batch whose run Temporal loses is sent at its time', async () => {
  const seeded = await seedOrganization(database.sql)
  await seedContacts(database.sql, seeded.organizationId, 30)
  // A busy machine needs some seconds to see that the run is lost.
  const due = Date.now() + 20_000
  const scheduledFor = new Date(due).toISOString()
  const id = await seedBatch(database.sql, seeded, { scheduledFor })
  const runStatus = (attempt: number) => statusOf(engine.client, batchWorkflowId(id, attempt))
  await until(async () => (await runStatus(1)) === 'RUNNING')
  await forgetRuns(engine.client, batchWorkflowId(id, 1))
  // It may be over already.
  await until(async () => (await runStatus(2)) !== undefined, REFLECTED_MS)
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 30 })
  expect(Date.now()).toBeGreaterThanOrEqual(due)
  expect(mailer.accepted).toHaveLength(30)
})

test('a reset of its run resumes a batch: everybody is mailed once, by the same attempt', async () => {
  const { id } = await sending(500, 70)
  const workflowId = batchWorkflowId(id, 1)
  for (let reset = 0; reset < 2; reset++) {
    await resetToFirstTask(engine.client, workflowId)
    await sleep(1_500)
  }
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 500, failed: 0 })
  expect(await attemptOf(id)).toBe(1)
  expect(new Set(mailer.accepted).size).toBe(500)
  expect(mailer.accepted).toHaveLength(500)
  await until(async () => (await statusOf(engine.client, workflowId)) === 'COMPLETED')
})
