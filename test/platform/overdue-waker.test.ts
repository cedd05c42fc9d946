import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { findOverdue, startOverdueWaker } from '../../src/loops/overdue-waker.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { seedTriggered } from '../support/scheduled-flows.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

const LATE_MS = 60_000
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }

let database: TestDatabase
let seeded: Seeded
let flowId: Uuid
let contactId: Uuid

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { sql } = database
  await sql`delete from executions`
  await sql`delete from batches`
  await sql`delete from outbox`
  seeded = await seedOrganization(sql)
  flowId = await seedTriggered(sql, seeded.organizationId)
  contactId = (await seedContacts(sql, seeded.organizationId, 1))[0] ?? ''
})

interface Seed {
  status?: 'pending' | 'active' | 'paused' | 'waiting' | 'completed'
  /** Since its progress: of a delay or a wait, since its end. */
  still: number
  /** Since the time of its step; absent: it has none. */
  due?: number
  mailId?: Uuid
  step?: boolean
}

/** An execution that a run holds, by its seconds. */
async function seedExecution({ status = 'paused', still, due, mailId, step = true }: Seed) {
  const { sql } = database
  const { organizationId } = seeded
  const id = uuidv7()
  const run = status === 'pending' ? null : id
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status,
      fence_workflow_id, fence_run_id, step_id, visit, dedupe_key, progressed_at, finished_at)
    values (${organizationId}, ${id}, ${flowId}, 1, ${contactId}, ${status}, ${run}, ${run},
      'rest', 1, ${id}, now() - ${still} * interval '1 second',
      ${status === 'completed' ? new Date().toISOString() : null})`
  if (step) {
    await sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status, due_at, mail_id)
      values (${organizationId}, ${id}, 'rest', 1, 1, 'delay', 'executing',
        now() - ${due ?? null}::int * interval '1 second', ${mailId ?? null})`
  }
  return id
}

async function seedMail(state: 'queued' | 'sent'): Promise<Uuid> {
  const { sql } = database
  const { organizationId, connectionId } = seeded
  const id = uuidv7()
  await transact(sql, (tx) =>
    enqueue(tx, {
      organizationId,
      id,
      source: 'workflow',
      connectionId,
      recipient: 'ada@example.com',
      from: 'shop@example.com',
      subject: 'Hello',
      text: 'Hello',
    }),
  )
  if (state === 'sent') {
    await sql`
      update messages set state = 'sent', status = 'sent', message_id = ${id}, sent_at = now()
      where id = ${id}`
  }
  return id
}

async function seedLive(columns: Record<string, string | number | boolean>): Promise<Uuid> {
  const id = await seedBatch(database.sql, seeded)
  const { sql } = database
  await sql`
    update batches b
    set (status, progressed_at, scheduled_for, audience_frozen_at, total_recipients, timezone,
      timezone_aware, paused_reason, quota_awaited_until, sent, unknown, completed_at) = (
        select status, progressed_at, scheduled_for, audience_frozen_at, total_recipients, timezone,
          timezone_aware, paused_reason, quota_awaited_until, sent, unknown, completed_at
        from jsonb_populate_record(b, ${sql.json(columns)})
      )
    where id = ${id}`
  return id
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
const overdue = async () => {
  const found = await findOverdue(database.sql, {}, LATE_MS)
  return found.overdue.map(({ id }) => id).toSorted()
}

test('executions whose time is more than a minute past are overdue, and those that nothing holds up', async () => {
  const late = await Promise.all([
    seedExecution({ still: 70, due: 70 }),
    seedExecution({ status: 'waiting', still: 3_600, due: 3_600 }),
    seedExecution({ status: 'active', still: 70, step: false }),
    seedExecution({ status: 'active', still: 70 }),
    seedExecution({ status: 'active', still: 70, mailId: await seedMail('sent') }),
    seedExecution({ status: 'active', still: 70, mailId: uuidv7() }),
    seedExecution({ status: 'pending', still: 70, step: false }),
  ])
  await seedExecution({ still: -3_600, due: -3_600 })
  await seedExecution({ still: 50, due: 50 })
  await seedExecution({ status: 'active', still: 70, mailId: await seedMail('queued') })
  await seedExecution({ status: 'active', still: 70, due: -60, mailId: await seedMail('sent') })
  await seedExecution({ status: 'completed', still: 70, due: 70 })
  const starting = await seedExecution({ status: 'pending', still: 70, step: false })
  const payload = { executionId: starting, attempt: 1, flowId, contactId }
  const start = { kind: 'start_execution', payload } as const
  await outbox.put(database.sql, seeded.organizationId, start, undefined)
  expect(await overdue()).toEqual(late.toSorted())
})

test('batches whose time is more than a minute past are overdue, unless they wait for something', async () => {
  const still = { progressed_at: ago(70) }
  const sending = {
    ...still,
    status: 'processing',
    audience_frozen_at: ago(100),
    total_recipients: 9,
  }
  const late = await Promise.all([
    seedLive({ ...still, status: 'queued' }),
    seedLive({ ...still, status: 'scheduled', scheduled_for: ago(70) }),
    seedLive(sending),
    // It is the time of some contacts long before.
    seedLive({
      ...still,
      status: 'scheduled',
      scheduled_for: ago(-20 * 3_600),
      timezone_aware: true,
      timezone: 'UTC',
    }),
  ])
  await seedLive({ status: 'processing' })
  await seedLive({ ...still, status: 'scheduled', scheduled_for: ago(50) })
  await seedLive({ ...sending, paused_reason: 'requested' })
  await seedLive({ ...sending, quota_awaited_until: ago(-60) })
  await seedLive({ ...sending, sent: 8, unknown: 1 })
  await seedLive({ ...still, status: 'completed', completed_at: ago(0) })
  const parted = async (...seconds: number[]) => {
    const id = await seedLive(sending)
    for (const [index, each] of seconds.entries()) {
      await database.sql`
        insert into batch_parts (organization_id, batch_id, from_row, to_row, send_at)
        values (${seeded.organizationId}, ${id}, ${index}, ${index + 1}, ${ago(each)})`
    }
    return id
  }
  await parted(3_600, -3_600)
  late.push(await parted(65, -3_600))
  expect(await overdue()).toEqual(late.toSorted())
})

test('each is woken by a message of the outbox, and not again at once', async () => {
  const { sql } = database
  const executionId = await seedExecution({ still: 70, due: 70 })
  const batchId = await seedLive({ status: 'queued', progressed_at: ago(70) })
  await sql`delete from outbox`
  const wakes = () => sql`select organization_id, kind, payload from outbox order by position`
  const waker = startOverdueWaker({ sql, log, everyMs: 20 })
  try {
    const { organizationId } = seeded
    const expected = [
      { organizationId, kind: 'wake_execution', payload: { executionId } },
      { organizationId, kind: 'wake_batch', payload: { batchId, attempt: 1 } },
    ]
    await until(async () => (await wakes()).length > 0)
    const later = await seedExecution({ still: 65, due: 65 })
    const last = { kind: 'wake_execution', payload: { executionId: later }, organizationId }
    await until(async () => (await wakes()).length > 2)
    expect(await wakes()).toEqual([...expected, last])
  } finally {
    await waker.stop()
  }
})

test('however many wait for their mail, a reading is bounded, and the next goes on behind it', async () => {
  const { sql } = database
  const mailId = await seedMail('queued')
  const first = await seedExecution({ status: 'active', still: 90, mailId })
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status,
      fence_workflow_id, fence_run_id, step_id, visit, dedupe_key, progressed_at)
    select organization_id, gen_random_uuid(), flow_id, version, contact_id, status, 'run', 'run',
      step_id, visit, gen_random_uuid(), progressed_at - interval '1 second'
    from executions, generate_series(1, 600)
    where id = ${first}`
  await sql`
    insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
      status, mail_id)
    select organization_id, id, 'rest', 1, 1, 'send_email', 'executing', ${mailId}
    from executions
    where id <> ${first}`
  const late = await seedExecution({ still: 70, due: 70 })
  const one = await findOverdue(sql, {}, LATE_MS)
  expect(one.overdue).toEqual([])
  const two = await findOverdue(sql, one.cursor, LATE_MS)
  expect(two.overdue.map(({ id }) => id)).toEqual([late])
  expect(two.cursor).toEqual({ execution: undefined, batch: undefined })
})
