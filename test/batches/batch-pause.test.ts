import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cancelBatch } from '../../src/core/batches/cancel-batch.ts'
import { changeBatch, pauseBatch } from '../../src/core/batches/change-batch.ts'
import { resumeBatch } from '../../src/core/batches/resume-batch.ts'
import { AppError } from '../../src/domain/errors.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as batches from '../../src/store/batches/batches.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { batchWorkflowId } from '../../workflows/contract.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, fakeMailer, sent } from '../support/mailer.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { guarantee } from '../support/guarantee.ts'

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let mailer: FakeMailer

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer(() => sent(), 5)
  engine = await startEngine({ databaseUrl: database.url, mailer })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

const OVER = ['completed', 'failed', 'cancelled']
const ended = (id: string) =>
  until(async () => {
    const row = await batchRow(sql, id)
    return OVER.includes(row.status) && row
  })

const operations = ({ organizationId }: Seeded, id: string) => ({
  pause: () => transact(sql, (tx) => pauseBatch(tx, organizationId, id)),
  resume: () => transact(sql, (tx) => resumeBatch(tx, organizationId, id)),
  cancel: () => transact(sql, (tx) => cancelBatch(tx, organizationId, id)),
  /** Does what PATCH does. */
  reschedule: async (inMs: number) => {
    const patch = { scheduledFor: new Date(Date.now() + inMs).toISOString() }
    try {
      await transact(sql, (tx) => changeBatch(tx, organizationId, { id, patch }, context()))
      return true
    } catch (error) {
      if (error instanceof AppError && error.reason === 'batch_not_changeable') return false
      throw error
    }
  },
})

/** Context of the route. The content of the batch does not change, so nothing is compiled. */
const context = (): Parameters<typeof changeBatch>[3] => ({
  senders: { stateOf: () => 'verified' },
  compile: () => Promise.reject(new Error('nothing is compiled')),
  estimate: 8,
  now: Date.now(),
  requestId: 'request',
})

const start = async (contacts: number, rate = 1_000) => {
  mailer.accepted.length = 0
  const seeded = await seedOrganization(sql, { rate })
  await seedContacts(sql, seeded.organizationId, contacts)
  return seeded
}

it('shows until when it waits for the account’s used-up quota', async () => {
  const seeded = await start(60)
  const { organizationId, accountId } = seeded
  await sql`update sending_limits set max_24_hour = 40 where account_id = ${accountId}`
  const id = await seedBatch(sql, seeded)
  const { pause, cancel } = operations(seeded, id)
  const find = () => batches.find(sql, organizationId, id)

  const begunAt = Date.now()
  const waiting = await until(async () => (await find())?.waitingForQuota ?? undefined)
  const triesAt = Date.parse(waiting.until)
  expect(triesAt).toBeGreaterThan(begunAt)
  expect(triesAt).toBeLessThanOrEqual(Date.now() + 600_000)
  // A twentieth of the quota is for single mail.
  expect(await find()).toMatchObject({ status: 'processing', sent: 38 })
  guarantee(() => expect(mailer.accepted).toHaveLength(38))
  const run = engine.client.workflow.getHandle(batchWorkflowId(id, 1))
  const details = () => run.query<{ currentDetails: string }>('__temporal_workflow_metadata')
  const waits =
    /60 recipients, [\d.]+ mails\/s in the minute before \S+Z, waits until \S+Z \(daily_quota\)$/
  await until(async () => waits.test((await details()).currentDetails))

  await pause()
  expect(await find()).toMatchObject({ paused: true, waitingForQuota: null })
  await cancel()
  expect(await ended(id)).toMatchObject({ status: 'cancelled', sent: 38 })
  guarantee(() => expect(mailer.accepted).toHaveLength(38))
})

it('stops at once, sends nothing while it is paused, and goes on where it stopped', async () => {
  const seeded = await start(600, 60)
  const id = await seedBatch(sql, seeded)
  const { pause, resume } = operations(seeded, id)
  await until(async () => (await batchRow(sql, id)).sent > 20)
  expect(await pause()).toMatchObject({ status: 'processing', paused: true })
  expect(await pause()).toBe(undefined)
  const stoppedAt = await until(async () => {
    const accepted = mailer.accepted.length
    await sleep(1_500)
    const { sent: counted } = await batchRow(sql, id)
    return mailer.accepted.length === accepted && counted === accepted && accepted
  })
  expect(stoppedAt).toBeLessThan(600)
  await sql`
    update sending_limits set max_send_rate = 1000 where account_id = ${seeded.accountId}`
  expect(await resume()).toMatchObject({ batch: { status: 'processing', paused: false } })
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 600, failed: 0 })
  guarantee(() => expect(new Set(mailer.accepted).size).toBe(600))
  guarantee(() => expect(mailer.accepted.length).toBe(600))
})

it('waits if its time comes while it is paused, and its run follows a new time', async () => {
  const seeded = await start(3)
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
  const id = await seedBatch(sql, seeded, { scheduledFor: inAnHour })
  const { pause, resume, reschedule, cancel } = operations(seeded, id)
  await pause()
  await reschedule(0)
  await sleep(1_000)
  expect((await batchRow(sql, id)).status).toBe('scheduled')
  await resume()
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 3 })
  const other = await seedBatch(sql, seeded, { scheduledFor: inAnHour })
  await operations(seeded, other).reschedule(0)
  expect(await ended(other)).toMatchObject({ status: 'completed', sent: 3 })
  expect([await cancel(), await reschedule(0)]).toEqual([undefined, false])
})

it('keeps its own rate in all chunks together, whatever rate the account has', async () => {
  const seeded = await start(60)
  const startedAt = Date.now()
  const id = await seedBatch(sql, seeded, { throttlePerSecond: 20 })
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 60 })
  // Half a second of rate is there at once: 50 are left for the clock.
  expect(Date.now() - startedAt).toBeGreaterThan(2_400)
})

it('is consistent after races of all its operations', async () => {
  const BATCHES = 25
  const rounds = Math.ceil(sized(25, 1_000) / BATCHES)
  for (let round = 0; round < rounds; round++) {
    const seeded = await start(8, 5_000)
    const races = Array.from({ length: BATCHES }, (_, n) => race(seeded, n % 2 === 0))
    for (const { cancels, status, mailed, rows, row } of await Promise.all(races)) {
      expect(status).toBe(cancels ? status : 'completed')
      expect(new Set(mailed).size).toBe(mailed.length)
      expect([row.sent, row.failed, row.skipped, row.unknown]).toEqual([rows.sent, 0, 0, 0])
      expect(rows.sent).toBe(mailed.length)
      expect(rows.sent + rows.queued).toBe(rows.frozen)
      expect(status === 'cancelled' || rows.queued === 0).toBe(true)
    }
  }
}, 600_000)

const NOBODY = { frozen: 0, queued: 0, claimed: 0, unknown: 0, sent: 0 }

/** Runs all operations on one batch at once, in a random order. Returns how the batch ended. */
async function race(seeded: Seeded, isScheduled: boolean) {
  const soon = new Date(Date.now() + 300).toISOString()
  const subject = `Race ${Math.random()}`
  const id = await seedBatch(sql, seeded, {
    subject,
    ...(isScheduled ? { scheduledFor: soon } : {}),
  })
  const { pause, resume, reschedule, cancel } = operations(seeded, id)
  const cancels = Math.random() < 0.3
  const acts = [
    pause,
    resume,
    pause,
    resume,
    () => reschedule(Math.random() * 500),
    () => reschedule(0),
    ...(cancels ? [cancel, cancel] : []),
  ]
  await Promise.all(
    acts.map(async (act) => {
      await sleep(Math.random() * 1_200)
      await act()
    }),
  )
  await resume()
  const { status } = await ended(id)
  // Claims of a batch that was cancelled get their results a moment later.
  const context = await batchRuns.context(sql, seeded.organizationId, id)
  const rows = await until(async () => {
    if (!context) return NOBODY
    const found = await batchRuns.ledger(sql, seeded.organizationId, context.bucket)
    return found.claimed === 0 && found.unknown === 0 && found
  })
  const mailed = mailer.calls.filter((mail) => mail.subject === subject).map(({ to }) => to)
  return { cancels, status, mailed, rows, row: await batchRow(sql, id) }
}
