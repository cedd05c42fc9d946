import { cancelBatch } from '../../src/core/batches/cancel-batch.ts'
import { WorkflowNotFoundError } from '@temporalio/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { batchWorkflowId } from '../../workflows/contract.ts'
import type { sendBatch } from '../../workflows/send-batch.ts'
import { createDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { letAllSpeak } from '../support/evidence.ts'
import { type FakeMailer, type FakeOutcome, fakeMailer, sent } from '../support/mailer.ts'
import {
  batchRow,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
} from '../support/seed.ts'
import { isFull, sized } from '../support/size.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { guarantee } from '../support/guarantee.ts'

expectWarnings(/^Workflow failed sendBatch .*account_suspended$/)

/** More than a page of the freeze. */
const MANY = sized(200, 330)
const SOME = sized(40, 60)
/** Takes longer than a process stands still in it. */
const LONG_BATCH = sized(300, 600)

let database: Awaited<ReturnType<typeof createDatabase>>
let sql: Sql
let engine: Engine
let outcome: (to: string) => FakeOutcome
let mailer: FakeMailer

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  mailer = fakeMailer((mail) => outcome(mail.to), 5)
  engine = await startEngine({ databaseUrl: database.url, mailer, freezePage: 150 })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

const ended = (id: string) =>
  until(async () => {
    const row = await batchRow(sql, id)
    return ['completed', 'failed', 'cancelled'].includes(row.status) && row
  })

const ledgerOf = async ({ organizationId }: Seeded, id: string) => {
  const context = await batchRuns.context(sql, organizationId, id)
  return batchRuns.ledger(sql, organizationId, context?.bucket ?? '')
}

const start = async (contacts: number, options: { rate?: number } = {}) => {
  outcome = sent
  mailer.calls.length = 0
  mailer.accepted.length = 0
  const seeded = await seedOrganization(sql, options)
  const ids = await seedContacts(sql, seeded.organizationId, contacts)
  return { seeded, ids }
}

const runOf = (id: string) =>
  engine.client.workflow.getHandle<typeof sendBatch>(batchWorkflowId(id, 1))
const NOBODY = {
  reason: null,
  frozen: 0,
  sent: 0,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  unknown: 0,
}
/** Waits for the end of a batch's run and describes it. */
const closedRun = (id: string) =>
  until(async () => {
    const { status, searchAttributes } = await runOf(id).describe()
    if (status.name === 'RUNNING') return undefined
    const { currentDetails } = await runOf(id).query<{ currentDetails: string }>(
      '__temporal_workflow_metadata',
    )
    return { status: status.name, shown: searchAttributes['AppStatus'], currentDetails }
  })

describe('a batch', () => {
  it('mails every contact of its audience once and completes', async () => {
    const { seeded } = await start(MANY)
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      totalRecipients: MANY,
      sent: MANY,
      failed: 0,
      skipped: 0,
      unknown: 0,
    })
    guarantee(() => expect(new Set(mailer.accepted).size).toBe(MANY))
    guarantee(() => expect(mailer.accepted).toHaveLength(MANY))
    expect(await ledgerOf(seeded, id)).toMatchObject({ frozen: MANY, sent: MANY })
    // What an operator sees of it.
    const handle = runOf(id)
    expect(await handle.result()).toEqual({
      ...NOBODY,
      status: 'completed',
      frozen: MANY,
      sent: MANY,
    })
    expect(await (await handle.describe()).staticSummary()).toBe('Send batch "News"')
    const [first] = mailer.calls
    expect(first?.headers.map(({ name }) => name)).toEqual([
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'List-ID',
    ])
    expect(first?.tags.map(({ name }) => name)).toContain('letterloom-message')
  })

  it('mails no contact that was deleted, left, bounced or came after the freeze', async () => {
    const { seeded, ids } = await start(20)
    const [left, bounced, gone, wanted] = ids
    await sql`update contacts set email_status = 'unsubscribed' where id = ${left!}`
    await sql`update contacts set email_status = 'bounced' where id = ${bounced!}`
    await sql`delete from contacts where id = ${gone!}`
    const id = await seedBatch(sql, seeded, { contactIds: [left!, bounced!, gone!, wanted!] })
    expect(await ended(id)).toMatchObject({ status: 'completed', totalRecipients: 1, sent: 1 })
    guarantee(() => expect(mailer.accepted).toHaveLength(1))
  })

  it('completes at once with an empty audience', async () => {
    const { seeded } = await start(0)
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'completed', totalRecipients: 0, sent: 0 })
  })

  it('never reaches the other organization', async () => {
    const { seeded } = await start(10)
    const stranger = await seedOrganization(sql)
    await seedContacts(sql, stranger.organizationId, 10)
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ totalRecipients: 10, sent: 10 })
    const rows = await sql`select from messages where organization_id = ${stranger.organizationId}`
    expect(rows).toHaveLength(0)
  })

  it('skips contacts who unsubscribed after the freeze', async () => {
    const { seeded, ids } = await start(SOME, { rate: 5 })
    const id = await seedBatch(sql, seeded)
    await until(async () => (await batchRow(sql, id)).sent > 0)
    const last = ids.at(-1)!
    await sql`update contacts set email_status = 'unsubscribed' where id = ${last}`
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: SOME - 1, skipped: 1 })
    guarantee(() => expect(mailer.accepted).not.toContain(`reader-${SOME}@example.com`))
  })

  it('fails recipients whom the provider refuses and recipients whose mail cannot be made', async () => {
    const { seeded, ids } = await start(12)
    await sql`update contacts set first_name = null where id = ${ids[3]!}`
    outcome = (to) =>
      to === 'reader-2@example.com'
        ? { kind: 'refused', reason: 'message_rejected', error: 'MessageRejected: no' }
        : sent()
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 10, failed: 2 })
    const failed = await sql<{ recipient: string; reason: string }[]>`
      select recipient, reason
      from messages
      where organization_id = ${seeded.organizationId} and state = 'failed'
      order by id`
    expect(failed).toEqual([
      { recipient: 'reader-2@example.com', reason: 'message_rejected' },
      { recipient: 'reader-4@example.com', reason: 'missing_value' },
    ])
    guarantee(() => expect(mailer.accepted).not.toContain('reader-4@example.com'))
  })

  it('sends throttled mails again, once, and slows down', async () => {
    const { seeded } = await start(100, { rate: 50 })
    let refusals = 0
    outcome = () => (++refusals % 3 === 0 ? { kind: 'throttled', scope: 'rate' } : sent())
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 100, failed: 0 })
    guarantee(() => expect(mailer.accepted).toHaveLength(100))
    const [limit] = await sql<{ slowed: boolean }[]>`
      select slowed_at is not null as slowed from sending_limits where account_id = ${seeded.accountId}`
    expect(limit?.slowed).toBe(true)
  })

  it('waits out a used-up quota and goes on', async () => {
    const { seeded } = await start(30)
    let calls = 0
    outcome = () => (++calls <= 30 ? { kind: 'throttled', scope: 'quota' } : sent())
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 30 })
    guarantee(() => expect(new Set(mailer.accepted).size).toBe(30))
  })

  it('stops and fails with the reason when the account is suspended; nothing is lost', async () => {
    const { seeded } = await start(500)
    let calls = 0
    outcome = () =>
      ++calls > 150
        ? { kind: 'unavailable', reason: 'account_suspended', error: 'AccountSuspendedException' }
        : sent()
    const id = await seedBatch(sql, seeded)
    const row = await ended(id)
    expect(row).toMatchObject({ status: 'failed', failedReason: 'account_suspended', failed: 0 })
    const rows = await ledgerOf(seeded, id)
    expect(rows.sent).toBe(row.sent)
    expect(rows.sent + rows.queued).toBe(500)
    expect(await closedRun(id)).toMatchObject({ status: 'FAILED', shown: ['failed'] })
    const report = { ...NOBODY, status: 'failed', reason: 'account_suspended', frozen: 500 }
    await expect(runOf(id).result()).rejects.toMatchObject({
      cause: {
        message: 'The batch failed: account_suspended',
        details: [{ ...report, sent: row.sent }],
      },
    })
  })

  it('settles an unknown outcome by its event, and sends the mail again after proven silence', async () => {
    const { seeded } = await start(40)
    const arrived = 'reader-7@example.com'
    const lost = 'reader-8@example.com'
    let lostCalls = 0
    outcome = (to) => {
      if (to === arrived) return { kind: 'unknown', error: 'ECONNRESET', accepted: true }
      if (to === lost && lostCalls++ === 0) return { kind: 'unknown', error: 'ECONNRESET' }
      return sent()
    }
    const id = await seedBatch(sql, seeded)
    await until(async () => {
      const row = await batchRow(sql, id)
      return row.unknown === 2 && row.sent === 38
    })
    // A busy machine may need longer for both than a batch waits for them here.
    const waiting = await sql`
      update batches set outcome_awaited_until = now() + interval '1 minute'
      where id = ${id} and status = 'processing'
      returning id`
    expect(waiting).toHaveLength(1)
    await reportSend(seeded, arrived, 'proof-1')
    await until(async () => (await batchRow(sql, id)).unknown === 1)
    // Nothing is decided before the others' events are there.
    expect(lostCalls).toBe(1)
    await until(async () => {
      await letAllSpeak(sql, seeded)
      return lostCalls === 2
    })
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 40, failed: 0, unknown: 0 })
    guarantee(() => expect(mailer.accepted.filter((to) => to === arrived)).toHaveLength(1))
    guarantee(() => expect(mailer.accepted.filter((to) => to === lost)).toHaveLength(1))
    expect(lostCalls).toBe(2)
  })

  it('completes without unknown outcomes if no event comes, and a late event corrects them', async () => {
    const { seeded } = await start(5)
    const doubtful = 'reader-3@example.com'
    outcome = (to) =>
      to === doubtful ? { kind: 'unknown', error: 'timeout', accepted: true } : sent()
    const id = await seedBatch(sql, seeded)
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 4, failed: 0, unknown: 1 })
    await until(async () => (await batchRow(sql, id)).failed === 1, 60_000)
    expect(await batchRow(sql, id)).toMatchObject({ status: 'completed', unknown: 0 })
    await reportSend(seeded, doubtful, 'late-1')
    await until(async () => (await batchRow(sql, id)).sent === 5)
    expect(await batchRow(sql, id)).toMatchObject({ status: 'completed', sent: 5, failed: 0 })
  })

  it('waits for its time, and ends at once when it is cancelled before', async () => {
    const { seeded } = await start(5)
    const soon = new Date(Date.now() + 15_000).toISOString()
    const id = await seedBatch(sql, seeded, { scheduledFor: soon })
    const far = await seedBatch(sql, seeded, {
      scheduledFor: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await until(async () => (await runStatus(far)) === 'RUNNING')
    expect((await batchRow(sql, id)).status).toBe('scheduled')
    // From its first moment, not from its first task.
    const { events } = await runOf(far).fetchHistory()
    const [begun] = events ?? []
    const attributes =
      begun?.workflowExecutionStartedEventAttributes?.searchAttributes?.indexedFields
    expect(String(attributes?.['AppStatus']?.data)).toContain('scheduled')
    await sql.begin((tx) => cancelBatch(tx, seeded.organizationId, far))
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 5 })
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon))
    await until(async () => (await runStatus(far)) !== 'RUNNING')
    expect(await batchRow(sql, far)).toMatchObject({ status: 'cancelled', sent: 0 })
  })

  it('stops within two seconds on a quiet machine when it is cancelled, and its ledger adds up', async () => {
    const { seeded } = await start(2_000, { rate: 200 })
    const id = await seedBatch(sql, seeded)
    await until(async () => (await batchRow(sql, id)).sent > 100)
    await sql.begin((tx) => cancelBatch(tx, seeded.organizationId, id))
    if (isFull) await sleep(2_000)
    else await until(async () => (await runStatus(id)) !== 'RUNNING')
    const after = mailer.calls.length
    expect(after).toBeLessThan(2_000)
    await until(async () => (await runStatus(id)) !== 'RUNNING')
    await sleep(1_500)
    expect(mailer.calls).toHaveLength(after)
    const rows = await until(async () => {
      const found = await ledgerOf(seeded, id)
      return found.claimed === 0 && found.unknown === 0 && found
    })
    const row = await batchRow(sql, id)
    expect(row).toMatchObject({ status: 'cancelled', totalRecipients: 2_000, sent: after })
    expect(rows).toMatchObject({ sent: after, queued: 2_000 - after, claimed: 0, unknown: 0 })
    const { shown, currentDetails } = await closedRun(id)
    expect(shown).toEqual(['cancelled'])
    expect(currentDetails).toMatch(
      /^\*\*cancelled\*\*: 2000 frozen, \d+ sent, .* \d+ cancelled, 0 unknown$/,
    )
  })

  // It takes as long as its heartbeats may be away.
  it.runIf(isFull)(
    'whose process stands still for longer than its heartbeats is sent once, in another try',
    async () => {
      const { seeded } = await start(LONG_BATCH, { rate: 100 })
      let stoodStill = false
      outcome = () => {
        if (mailer.calls.length === 100 && !stoodStill) {
          stoodStill = true
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 17_000)
        }
        return sent()
      }
      const id = await seedBatch(sql, seeded)
      expect(await ended(id)).toMatchObject({ status: 'completed', sent: LONG_BATCH, failed: 0 })
      guarantee(() => expect(new Set(mailer.accepted).size).toBe(LONG_BATCH))
      guarantee(() => expect(mailer.accepted).toHaveLength(LONG_BATCH))
      const { events } = await engine.client.workflow
        .getHandle(batchWorkflowId(id, 1))
        .fetchHistory()
      const tries = (events ?? []).map((event) => event.activityTaskStartedEventAttributes?.attempt)
      // On a busy machine others may be late as well.
      expect(Math.max(...tries.map((attempt) => attempt ?? 0))).toBeGreaterThanOrEqual(2)
    },
  )

  it('is not left as processing when its run is cancelled in the Temporal UI', async () => {
    const { seeded } = await start(2_000, { rate: 100 })
    const id = await seedBatch(sql, seeded)
    await until(async () => (await batchRow(sql, id)).sent > 20)
    await engine.client.workflow.getHandle(batchWorkflowId(id, 1)).cancel()
    expect(await ended(id)).toMatchObject({ status: 'failed', failedReason: 'stopped_by_operator' })
    expect(await closedRun(id)).toMatchObject({ status: 'CANCELLED', shown: ['failed'] })
  })

  it('is found by its search attributes', async () => {
    const { seeded } = await start(3)
    const id = await seedBatch(sql, seeded)
    await ended(id)
    const query = `OrganizationId = "${seeded.organizationId}" and Kind = "batch" and AppStatus = "completed"`
    const found = await until(async () => {
      for await (const each of engine.client.workflow.list({ query })) return each.workflowId
      return undefined
    })
    expect(found).toBe(batchWorkflowId(id, 1))
  })

  it('is sent once when its start is promised twice', async () => {
    const { seeded } = await start(50)
    const id = await seedBatch(sql, seeded)
    await sql`
      insert into outbox (organization_id, kind, payload)
      select organization_id, kind, payload from outbox where payload ->> 'batchId' = ${id}`
    expect(await ended(id)).toMatchObject({ status: 'completed', sent: 50 })
    guarantee(() => expect(mailer.accepted).toHaveLength(50))
    await until(async () => {
      const waiting = await sql`select from outbox where done_at is null`
      return waiting.length === 0
    })
  })
})

async function runStatus(id: string): Promise<string | undefined> {
  try {
    const run = await engine.client.workflow.getHandle(batchWorkflowId(id, 1)).describe()
    return run.status.name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined
    throw error
  }
}

/** The Send event that SES publishes for the mail to `recipient`. */
async function reportSend(seeded: Seeded, recipient: string, messageId: string): Promise<void> {
  const [row] = await sql<{ bucket: string; id: string }[]>`
    select bucket, id
    from messages
    where organization_id = ${seeded.organizationId} and recipient = ${recipient}`
  const body = {
    detail: {
      eventType: 'Send',
      mail: {
        timestamp: new Date().toISOString(),
        messageId,
        tags: {
          'letterloom-message': [`${row?.bucket}_${row?.id}`],
          'letterloom-organization': [seeded.organizationId],
        },
      },
      send: {},
    },
  }
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${seeded.organizationId}, ${seeded.connectionId}, ${messageId}, ${sql.json(body)})`
}
