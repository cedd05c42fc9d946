import { resumeBatch } from '../../src/core/batches/resume-batch.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mailer, Outcome } from '../../activities/mailer.ts'
import * as batches from '../../src/store/batches/batches.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import * as failedBatches from '../../src/store/batches/failed-batches.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { batchWorkflowId } from '../../workflows/contract.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { type FakeMailer, type FakeOutcome, fakeMailer, sent } from '../support/mailer.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { guarantee } from '../support/guarantee.ts'

expectWarnings(/^Workflow failed sendBatch .*sender_rejected$/)

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let outcome: (to: string) => FakeOutcome
let mailer: FakeMailer
/** Answers late, and refuses the sender after the first forty. */
let slow: FakeMailer
let isSlow = false

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer((mail) => outcome(mail.to), 5)
  slow = fakeMailer(() => (slow.calls.length > 40 ? REFUSED : sent()), 1_500)
  const either: Mailer = {
    send: (mail, call) => (isSlow ? slow : mailer).send(mail, call),
    close: async () => {},
  }
  engine = await startEngine({ databaseUrl: database.url, mailer: either })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

const REFUSED = {
  kind: 'refused',
  reason: 'message_rejected',
  error: 'MessageRejected: Email address is not verified.',
  ofSender: true,
} as const satisfies Outcome
const NO_MAIL_FROM = {
  kind: 'unavailable',
  reason: 'mail_from_not_verified',
  error: 'MailFromDomainNotVerifiedException',
  ofSender: true,
} as const satisfies Outcome
/** Chunks that are in flight at once, each with one claim of at most 20. */
const MOST_TRIED = 20 + 3 * 20

const start = async (contacts: number, options: { rate?: number } = {}) => {
  outcome = sent
  mailer.calls.length = 0
  mailer.accepted.length = 0
  const seeded = await seedOrganization(sql, options)
  await seedContacts(sql, seeded.organizationId, contacts)
  return seeded
}
const ended = (id: string) =>
  until(async () => {
    const row = await batchRow(sql, id)
    return ['completed', 'failed', 'cancelled'].includes(row.status) && row
  })
const ledgerOf = async ({ organizationId }: Seeded, id: string) => {
  const context = await batchRuns.context(sql, organizationId, id)
  return batchRuns.ledger(sql, organizationId, context?.bucket ?? '')
}
const resume = ({ organizationId }: Seeded, id: string) =>
  sql.begin((tx) => resumeBatch(tx, organizationId, id))
const runEnded = (id: string, attempt: number) =>
  until(async () => {
    const run = await engine.client.workflow.getHandle(batchWorkflowId(id, attempt)).describe()
    return run.status.name !== 'RUNNING' && run
  })

describe('a batch whose sender is refused', () => {
  it.each([
    ['an identity', REFUSED],
    ['a MAIL FROM domain', NO_MAIL_FROM],
  ])(
    'for the sake of %s fails, loses nobody, and mails everybody once when it is resumed',
    async (_, refusal) => {
      const seeded = await start(1_000)
      outcome = () => refusal
      const id = await seedBatch(sql, seeded)
      expect(await ended(id)).toMatchObject({
        status: 'failed',
        failedReason: 'sender_rejected',
        totalRecipients: 1_000,
        sent: 0,
        failed: 0,
      })
      await runEnded(id, 1)
      const tried = mailer.calls.length
      expect(tried).toBeGreaterThanOrEqual(20)
      expect(tried).toBeLessThanOrEqual(MOST_TRIED)
      expect(await ledgerOf(seeded, id)).toMatchObject({ frozen: 1_000, queued: 1_000 })

      outcome = sent
      expect(await resume(seeded, id)).toMatchObject({ outcome: 'resumed' })
      expect(await ended(id)).toMatchObject({ status: 'completed', sent: 1_000, failed: 0 })
      guarantee(() => expect(mailer.accepted).toHaveLength(1_000))
      guarantee(() => expect(new Set(mailer.accepted).size).toBe(1_000))
    },
  )

  it('fails with fewer recipients than tolerated refusals, too, instead of completing', async () => {
    const seeded = await start(3)
    outcome = () => REFUSED
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'failed', failedReason: 'sender_rejected' })
    expect(mailer.calls.length).toBeLessThanOrEqual(20 + 3)
    expect(await ledgerOf(seeded, id)).toMatchObject({ frozen: 3, queued: 3 })
  })

  it('keeps its mailed recipients when it fails halfway, and goes on after them', async () => {
    const seeded = await start(600, { rate: 400 })
    outcome = () => (mailer.accepted.length < 250 ? sent() : REFUSED)
    const id = await seedBatch(sql, seeded)
    const row = await ended(id)
    expect(row).toMatchObject({ status: 'failed', failedReason: 'sender_rejected', failed: 0 })
    await runEnded(id, 1)
    guarantee(() => expect(mailer.accepted).toHaveLength(250))
    outcome = sent
    await resume(seeded, id)
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 600 })
    guarantee(() => expect(new Set(mailer.accepted).size).toBe(600))
    guarantee(() => expect(mailer.accepted).toHaveLength(600))
  })

  it('fails again when it is resumed too early, and is discarded with its ledger right', async () => {
    const seeded = await start(100)
    outcome = () => REFUSED
    const id = await seedBatch(sql, seeded)
    await ended(id)
    await runEnded(id, 1)
    const before = mailer.calls.length
    await resume(seeded, id)
    expect(await ended(id)).toMatchObject({ status: 'failed', failedReason: 'sender_rejected' })
    await runEnded(id, 2)
    expect(mailer.calls.length - before).toBeLessThanOrEqual(MOST_TRIED)
    const { organizationId } = seeded
    await sql.begin((tx) => failedBatches.discard(tx, organizationId, id))
    outcome = sent
    expect(await batches.find(sql, organizationId, id)).toMatchObject({
      status: 'cancelled',
      sent: 0,
      failed: 0,
      processedRecipients: 0,
    })
    expect(await ledgerOf(seeded, id)).toMatchObject({ frozen: 100, queued: 100, claimed: 0 })
    guarantee(() => expect(mailer.accepted).toHaveLength(0))
  })

  it('is shown as failed in the Temporal UI, whichever chunk stopped it', async () => {
    const seeded = await start(400)
    outcome = () => REFUSED
    const id = await seedBatch(sql, seeded)
    await ended(id)
    const run = await runEnded(id, 1)
    expect(run.status.name).toBe('FAILED')
    expect(run.searchAttributes['AppStatus']).toEqual(['failed'])
  })
})

it('refusals of recipients never stop a batch, however many there are', async () => {
  const seeded = await start(100)
  outcome = () => ({ kind: 'refused', reason: 'message_rejected', error: 'MessageRejected: no' })
  const id = await seedBatch(sql, seeded)
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 0, failed: 100 })
  expect(mailer.calls).toHaveLength(100)
})

it('a sender that is refused now and then goes on, and everybody is mailed once', async () => {
  const seeded = await start(200)
  let calls = 0
  outcome = () => (++calls % 4 === 0 ? REFUSED : sent())
  const id = await seedBatch(sql, seeded)
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 200, failed: 0 })
  guarantee(() => expect(new Set(mailer.accepted).size).toBe(200))
})

it('a batch that is resumed while the attempt before is in flight mails nobody twice', async () => {
  const seeded = await start(300)
  isSlow = true
  const id = await seedBatch(sql, seeded)
  await ended(id)
  // Calls of the first attempt are still unanswered.
  isSlow = false
  await resume(seeded, id)
  expect(await ended(id)).toMatchObject({ status: 'completed', sent: 300, failed: 0 })
  const accepted = [...slow.accepted, ...mailer.accepted]
  expect(new Set(accepted).size).toBe(300)
  expect(accepted).toHaveLength(300)
})
