import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteMailReferences, deleteOldRows } from '../../src/core/privacy/delete-old-rows.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { dayBucket, lowestId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { dayOf, daysAgo, makeDay } from '../support/old-days.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'
import { seedBatch, seedContacts, type Seeded, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql
let worker: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker', max: 4 })
  for (const days of [100, 40]) await makeDay(sql, days, ['events'])
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

const ROWS = sized(12, 2_000)
const PAGE = sized(5, 500)
const idAt = (days: number): Uuid => lowestId(daysAgo(days)).slice(0, 19) + randomUUID().slice(19)

/** Of a batch: any of its day, each another one. */
const batchBucketAt = (days: number): Uuid => `${idAt(days).slice(0, 28)}00000000`

interface Kept {
  executions: number
  steps: number
  events: number
  mails: number
  entries: number
  started: number
}

async function rowsOf({ organizationId }: Seeded): Promise<Kept | undefined> {
  const [row] = await sql<Kept[]>`
    select
      (select count(*) from executions where organization_id = ${organizationId}) as executions,
      (select count(*) from execution_steps where organization_id = ${organizationId}) as steps,
      (select count(*) from events where organization_id = ${organizationId}) as events,
      (select count(*) from transactional_mails where organization_id = ${organizationId}) as mails,
      (select count(*) from flow_entries where organization_id = ${organizationId}) as entries,
      (select coalesce(sum(started), 0) from flow_counters
        where organization_id = ${organizationId})::integer as started`
  return row
}

/** Rows of each kind from 100, 40 and 0 days ago: `ROWS` of each day. */
async function seedRows(plan: string): Promise<Seeded> {
  const seeded = await seedOrganization(sql)
  const { organizationId } = seeded
  await sql`update organizations set plan = ${plan} where id = ${organizationId}`
  const flowId = await seedFlow(sql, organizationId)
  await sql`
    insert into flow_counters (organization_id, flow_id, started)
    values (${organizationId}, ${flowId}, ${3 * ROWS})`
  const contactIds = await seedContacts(sql, organizationId, 3 * ROWS)
  for (const [n, contactId] of contactIds.entries()) {
    const days = [100, 40, 0][n % 3] ?? 0
    const id = await seedExecution(sql, organizationId, {
      flowId,
      contactId,
      status: 'completed',
      madeAt: daysAgo(days),
    })
    await sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type, status)
      values (${organizationId}, ${id}, 'exit', 1, 1, 'exit', 'completed')`
    await sql`
      insert into events (organization_id, id, contact_id, name, occurred_at)
      values (${organizationId}, ${idAt(days)}, ${contactId}, 'ordered', now())`
    await sql`
      insert into transactional_mails (organization_id, id, retain_body)
      values (${organizationId}, ${idAt(days)}, false)`
  }
  return seeded
}

/** What is left of `days` days' rows; entries and counters stay whatever is deleted. */
const left = (days: number): Kept => ({
  executions: days * ROWS,
  steps: days * ROWS,
  events: days * ROWS,
  mails: days * ROWS,
  entries: 3 * ROWS,
  started: 3 * ROWS,
})

const run = async (options: { signal?: AbortSignal; now?: number } = {}) => {
  let deleted = 0
  for (;;) {
    const page = await deleteOldRows(worker, {
      now: Date.now(),
      page: PAGE,
      organizations: 2,
      ...options,
    })
    deleted += page.deleted
    if (!page.more) return deleted
  }
}

it('deletes what each plan does not keep, page by page; broken off and begun again ends the same', async () => {
  const [free, starter, growth] = [
    await seedRows('free'),
    await seedRows('starter'),
    await seedRows('growth'),
  ]
  // Broken off after some pages, wherever that is.
  const stop = new AbortController()
  let asked = 0
  const killed = connectAs(database.url, {
    name: 'killed',
    role: 'letterloom_worker',
    max: 1,
    onQuery: () => {
      if (++asked === 6) stop.abort()
    },
  })
  const broken = deleteOldRows(killed, { now: Date.now(), page: PAGE, signal: stop.signal })
  await expect(broken).rejects.toThrow('aborted')
  await killed.end()
  const [before] = await sql`
    select from organizations where rows_deleted_before is not null`
  expect(before).toBeUndefined()

  expect(await run()).toBeGreaterThan(0)
  expect(await rowsOf(free)).toEqual(left(1))
  expect(await rowsOf(starter)).toEqual(left(2))
  expect(await rowsOf(growth)).toEqual(left(3))
  // Of each day rows are looked for once.
  expect(await run()).toBe(0)
  expect((await deleteOldRows(worker, { now: Date.now() })).more).toBe(false)
  const [noted] = await sql<{ day: string }[]>`
    select rows_deleted_before as day from organizations where id = ${free.organizationId}`
  expect(noted?.day).toBe(dayOf(daysAgo(30)))

  // A day later, and for an organization with figures of its own.
  await sql`
    insert into plan_overrides (organization_id, retention_days)
    values (${growth.organizationId}, 50)`
  await run()
  expect(await rowsOf(growth)).toEqual(left(2))
})

it('leaves executions that run, mails that wait, and rows that somebody holds', async () => {
  const seeded = await seedOrganization(sql)
  const { organizationId } = seeded
  const flowId = await seedFlow(sql, organizationId)
  const contactIds = await seedContacts(sql, organizationId, 2 * PAGE + 2)
  const seed = (n: number, status: 'paused' | 'completed') =>
    seedExecution(sql, organizationId, {
      flowId,
      contactId: contactIds[n] ?? '',
      status,
      madeAt: daysAgo(40),
    })
  for (let n = 0; n < 2 * PAGE; n++) await seed(n, 'paused')
  const held = await seed(2 * PAGE, 'completed')
  const free = await seed(2 * PAGE + 1, 'completed')
  await sql`
    insert into transactional_mails (organization_id, id, retain_body, sealed, sealed_until)
    values (${organizationId}, ${idAt(40)}, false, 'x', now())`
  await sql.begin(async (tx) => {
    await tx`select from executions where id = ${held} for update`
    await run()
  })
  const rows = await sql<{ id: Uuid }[]>`
    select id from executions where organization_id = ${organizationId}`
  expect(rows).toHaveLength(2 * PAGE + 1)
  expect(rows.some(({ id }) => id === free)).toBe(false)
  expect(await rowsOf(seeded)).toMatchObject({ mails: 1 })
  // The next day.
  await run({ now: Date.now() + 86_400_000 })
  expect(await rowsOf(seeded)).toMatchObject({ executions: 2 * PAGE })
})

it('parts of batches go with their mails, and notices after a year', async () => {
  const seeded = await seedOrganization(sql)
  const { organizationId } = seeded
  const [old, live, young] = [
    await seedBatch(sql, seeded),
    await seedBatch(sql, seeded),
    await seedBatch(sql, seeded),
  ]
  for (const [id, days] of [
    [old, 740],
    [live, 740],
    [young, 100],
  ] as const) {
    await sql`
      update batches
      set bucket = ${batchBucketAt(days)}, status = ${id === live ? 'processing' : 'failed'},
        failed_reason = ${id === live ? null : 'requested'}
      where id = ${id}`
    await sql`
      insert into batch_parts (organization_id, batch_id, from_row, to_row, send_at)
      values (${organizationId}, ${id}, 0, 5, now())`
  }
  const notice = (period: string, days: number) => sql`
    insert into notices (organization_id, id, kind, subject, period, data, created_at)
    values (${organizationId}, ${uuidv7()}, 'quota', '', ${period}, '{}',
      now() - ${days} * interval '1 day')`
  await notice('old', 401)
  await notice('young', 100)
  await run()
  const parts = await sql<{ batchId: Uuid }[]>`
    select batch_id from batch_parts where organization_id = ${organizationId} order by batch_id`
  expect(parts.map(({ batchId }) => batchId)).toEqual([live, young])
  const notices = await sql<{ period: string }[]>`
    select period from notices where organization_id = ${organizationId}`
  expect(notices.map(({ period }) => period)).toEqual(['young'])
})

it('references to mails are deleted beyond every plan, and a late event matches no other mail', async () => {
  const seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  const hash = (n: number) => Buffer.alloc(16, n)
  for (const [n, days] of [800, 740, 100].entries()) {
    const bucket = dayBucket(idAt(days))
    await sql`
      insert into message_ids (organization_id, message_id, connection_id, bucket, id)
      values (${organizationId}, ${`m-${days}`}, ${connectionId}, ${bucket}, ${idAt(days)})`
    await sql`
      insert into external_mails (organization_id, message_id, connection_id, address_hash, bucket, id)
      values (${organizationId}, ${`e-${days}`}, ${connectionId}, ${hash(n)}, ${bucket}, ${idAt(days)})`
    await sql`
      insert into former_addresses (organization_id, address_hash, contact_id, kind,
        contact_deleted_at)
      values (${organizationId}, ${hash(n)}, ${uuidv7()}, 'email', now() - ${days} * interval '1 day')`
  }
  // An address that a living contact had before is kept with the contact.
  await sql`
    insert into former_addresses (organization_id, address_hash, contact_id, kind, left_at)
    values (${organizationId}, ${hash(9)}, ${uuidv7()}, 'email', now() - interval '800 days')`
  expect(await deleteMailReferences(worker, { now: Date.now(), page: 1 })).toBe(4)
  const [kept] = await sql<{ ids: string[]; mails: string[]; former: number }[]>`
    select (select array_agg(message_id order by message_id) from message_ids) as ids,
      (select array_agg(message_id order by message_id) from external_mails) as mails,
      (select count(*) from former_addresses) as former`
  expect(kept).toEqual({ ids: ['m-100', 'm-740'], mails: ['e-100', 'e-740'], former: 2 })

  // Without our tag, as another program's mail of then; and one of now.
  for (const days of [800, 740, 1]) {
    const detail = {
      eventType: 'Bounce',
      mail: {
        timestamp: new Date(daysAgo(days)).toISOString(),
        messageId: `m-${days}`,
        destination: ['reader@example.com'],
      },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        timestamp: new Date().toISOString(),
        feedbackId: `f-${days}`,
        bouncedRecipients: [{ emailAddress: 'reader@example.com' }],
      },
    }
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body)
      values (${organizationId}, ${connectionId}, ${`late ${days}`}, ${sql.json({ detail })})`
  }
  await applyEvents(worker, parseKeyring(newKeyringText()))
  const events = await sql<{ envelopeId: string; ignored: string | null; error: string | null }[]>`
    select envelope_id, ignored, error from inbound_events order by position`
  expect(events).toEqual([
    { envelopeId: 'late 800', ignored: 'unknown_mail', error: null },
    { envelopeId: 'late 740', ignored: 'unknown_mail', error: null },
    { envelopeId: 'late 1', ignored: null, error: null },
  ])
  const mails = await sql<{ messageId: string; source: string }[]>`
    select message_id, source from messages where organization_id = ${organizationId}`
  expect(mails).toEqual([{ messageId: 'm-1', source: 'external' }])
})
