import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rebuildFigures } from '../../src/core/metrics/rebuild-figures.ts'
import { dropOldDays } from '../../src/core/privacy/drop-old-days.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { bucketStart, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { beginRecount } from '../../src/store/metrics/mail-figures.ts'
import * as storedBytes from '../../src/store/access/stored-bytes.ts'
import { LEDGER } from '../../src/store/privacy/old-days.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { kept, oracle } from '../support/figures.ts'
import { dayOf, daysAgo, hasDay, makeDay, seedOldMails, storeEvent } from '../support/old-days.ts'
import { seedBatch, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const keyring = parseKeyring(newKeyringText())
/** Older than the longest plan's 730 days. */
const GONE = 735
const TABLES = [...LEDGER, 'events', 'inbound_events', 'outbox'] as const
const QUICK = { tries: 2, pauseMs: 10 }

let database: TestDatabase
let sql: Sql
let worker: Sql

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker', max: 6 })
})
afterAll(async () => {
  await worker.end()
  await database.drop()
})

const drop = (options = {}) => dropOldDays(worker, { now: Date.now(), ...options })

const readMails = async (organizationId: Uuid) => {
  const [row] = await sql<{ mails: number }[]>`
    select count(*) as mails from messages where organization_id = ${organizationId}`
  return row?.mails
}

it('drops what no plan keeps while mails are written and late events come, and figures stay', async () => {
  const mails = sized(30, 3_000)
  // One organization of the longest plan, one of the shortest, whose rows of a shared day stay.
  const [long, short] = await Promise.all([seedOrganization(sql), seedOrganization(sql)])
  await sql`update organizations set plan = 'enterprise' where id = ${long.organizationId}`
  const late: [typeof long, { bucket: string; id: string }][] = []
  for (const days of [GONE, 400]) {
    await makeDay(sql, days)
    for (const seeded of [long, short]) {
      const made = await seedOldMails(sql, seeded, { days, mails })
      if (days === GONE) late.push(...made.map((mail): (typeof late)[number] => [seeded, mail]))
    }
  }
  const before = await kept(sql)

  const over = new AbortController()
  let slowest = 0
  const write = async () => {
    for (let n = 0; !over.signal.aborted || n < 5; n++) {
      const id = uuidv7()
      const begun = performance.now()
      await enqueue(worker, {
        ...long,
        id,
        source: 'transactional',
        recipient: 'reader@example.com',
        from: 'shop@example.com',
        subject: 'Receipt',
        text: 'Thanks',
      })
      slowest = Math.max(slowest, performance.now() - begun)
      await storeEvent(worker, long, { bucket: dayBucket(id), id }, 'Send')
      const [seeded, mail] = late[n % late.length] ?? []
      if (seeded && mail) await storeEvent(worker, seeded, mail)
    }
  }
  const apply = async () => {
    while (!over.signal.aborted) {
      await applyEvents(worker, keyring, 50)
      await sleep(2)
    }
  }
  const others = Promise.all([write(), write(), apply(), apply()])
  await sleep(100)
  const counts = await drop({ pauseMs: 20, tries: 200 })
  await sleep(100)
  over.abort()
  await others
  while ((await applyEvents(worker, keyring)) > 0);

  // The ledger's, and of both days the queues'; one day of events is young enough.
  expect(counts).toEqual({ dropped: 6, held: 0, busy: 0 })
  for (const table of LEDGER) {
    expect([await hasDay(sql, table, GONE), await hasDay(sql, table, 400)]).toEqual([false, true])
  }
  // Who waits for a lock behind a drop that never gives up waits for ever.
  expect(slowest).toBeLessThan(20_000)
  const [events] = await sql<{ aside: number; late: number; waiting: number }[]>`
    select count(*) filter (where error is not null) as aside,
      count(*) filter (where ignored = 'unknown_mail') as late,
      count(*) filter (where applied_at is null) as waiting
    from inbound_events`
  expect(events).toMatchObject({ aside: 0, waiting: 0 })
  expect(events?.late).toBeGreaterThan(0)

  // Opens that came before count; nothing was taken off. What is kept of other days is the logs'.
  const after = await kept(sql)
  for (const [key, figures] of Object.entries(before)) {
    expect(after[key]).toMatchObject({
      sent: Reflect.get(figures, 'sent'),
      delivered: Reflect.get(figures, 'delivered'),
    })
  }
  expect((await rebuildFigures(worker)).corrected).toBe(0)
  expect(await kept(sql)).toEqual(after)
  const should = await oracle(sql)
  expect(after).toMatchObject(should)
  expect(Object.keys(should).length).toBeLessThan(Object.keys(after).length)
})

it('bodies of a day that is dropped are stored bytes no longer', async () => {
  const [seeded, other] = await Promise.all([seedOrganization(sql), seedOrganization(sql)])
  await makeDay(sql, GONE)
  await seedOldMails(sql, seeded, { days: GONE, mails: 3 })
  const store = ({ organizationId }: typeof seeded, bucket: Uuid) => sql`
    insert into message_bodies (organization_id, bucket, id, from_address, subject, html, text)
    values (${organizationId}, ${bucket}, ${uuidv7()}, 'shop@example.com', 'News', '<p>é</p>', 'é')`
  await store(seeded, bucketStart(daysAgo(GONE)))
  await store(seeded, dayBucket(uuidv7()))
  await store(other, bucketStart(daysAgo(GONE)))
  const counts = () =>
    Promise.all([seeded, other].map((each) => storedBytes.count(sql, each.organizationId)))
  expect(await counts()).toEqual([22, 11])
  await drop()
  expect(await hasDay(sql, 'message_bodies', GONE)).toBe(false)
  expect(await counts()).toEqual([11, 0])
})

it('keeps a day while a batch, a claim or a mail of it is open, whole', async () => {
  await makeDay(sql, GONE)
  const seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  await seedOldMails(sql, seeded, { days: GONE, mails: 2 })
  const bucket = bucketStart(daysAgo(GONE))
  const batchId = await seedBatch(sql, seeded)
  const all = async () =>
    (await Promise.all(TABLES.map((table) => hasDay(sql, table, GONE)))).join()

  await sql`update batches set bucket = ${bucket} where id = ${batchId}`
  expect((await drop()).held).toBe(1)
  expect(await all()).toBe('true,true,true,false,false,false')
  expect(await readMails(organizationId)).toBe(2)
  await sql`update batches set status = 'completed' where id = ${batchId}`

  await sql`
    insert into claims (organization_id, id, connection_id, bucket, message_ids, claimed_at)
    values (${organizationId}, ${uuidv7()}, ${connectionId}, ${bucket}, '{}', now())`
  expect((await drop()).held).toBe(1)
  await sql`delete from claims`

  await sql`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    values (${organizationId}, ${bucket}, ${uuidv7()}, ${connectionId}, 1, now())`
  expect((await drop()).held).toBe(1)
  expect(await readMails(organizationId)).toBe(2)
  await sql`delete from mail_queue`

  expect(await drop()).toEqual({ dropped: 1, held: 0, busy: 0 })
  expect(await all()).toBe('false,false,false,false,false,false')
})

it('gives up soon while somebody is at work with a table, drops nothing of the day, and comes again', async () => {
  await makeDay(sql, GONE, LEDGER)
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let isHeld = (): void => {}
  const holding = new Promise<void>((resolve) => (isHeld = resolve))
  const other = sql.begin(async (tx) => {
    await tx`select count(*) from delivery_events`
    isHeld()
    await held
  })
  await holding
  const counts = drop(QUICK)
  let slowest = 0
  const over = new AbortController()
  void counts.finally(() => over.abort())
  while (!over.signal.aborted) {
    const begun = performance.now()
    await sql`select 1 from messages where false`
    slowest = Math.max(slowest, performance.now() - begun)
    await sleep(5)
  }
  expect(await counts).toEqual({ dropped: 0, held: 0, busy: 1 })
  for (const table of LEDGER) expect(await hasDay(sql, table, GONE)).toBe(true)
  expect(slowest).toBeLessThan(20_000)
  release()
  await other
  expect(await drop(QUICK)).toEqual({ dropped: 1, held: 0, busy: 0 })
})

it('drops days of the queues after a month, not with something in them that waits', async () => {
  const seeded = await seedOrganization(sql)
  for (const days of [40, 41]) await makeDay(sql, days)
  const [queued, undone] = [dayOf(daysAgo(40)), dayOf(daysAgo(41))]
  await sql`
    insert into inbound_events (received_on, organization_id, connection_id, envelope_id, body)
    values (${queued}, ${seeded.organizationId}, ${seeded.connectionId}, 'e', '{}')`
  await sql`
    insert into outbox (created_on, organization_id, kind, payload)
    values (${undone}, ${seeded.organizationId}, 'wake_execution', '{}')`
  expect(await drop()).toMatchObject({ held: 2, busy: 0 })
  const left = async () => [
    await hasDay(sql, 'inbound_events', 40),
    await hasDay(sql, 'inbound_events', 41),
    await hasDay(sql, 'outbox', 40),
    await hasDay(sql, 'outbox', 41),
  ]
  expect(await left()).toEqual([true, false, false, true])
  // Logs of the same days are younger than a plan.
  expect(await hasDay(sql, 'messages', 40)).toBe(true)
  await sql`update inbound_events set applied_at = now()`
  await sql`update outbox set done_at = now()`
  expect(await drop()).toEqual({ dropped: 2, held: 0, busy: 0 })
  expect(await left()).toEqual([false, false, false, false])
})

it('a day that is dropped between being listed and being counted keeps its figures', async () => {
  await makeDay(sql, GONE, LEDGER)
  const seeded = await seedOrganization(sql)
  await seedOldMails(sql, seeded, { days: GONE, mails: 5 })
  const before = await kept(sql)
  expect(Object.keys(await kept(sql, seeded.organizationId))).toHaveLength(1)
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let isHeld = (): void => {}
  const holding = new Promise<void>((resolve) => (isHeld = resolve))
  // Another recount, which the rebuild waits for once it knows the days.
  const other = sql.begin(async (tx) => {
    await tx.unsafe('lock table mail_figures in share update exclusive mode')
    isHeld()
    await held
  })
  await holding
  const rebuilt = rebuildFigures(worker)
  for (;;) {
    const waiting = await sql`
      select from pg_locks
      where relation = 'mail_figures'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`
    if (waiting.length > 0) break
    await sleep(10)
  }
  expect(await drop()).toEqual({ dropped: 1, held: 0, busy: 0 })
  release()
  await other
  expect((await rebuilt).corrected).toBe(0)
  expect(await kept(sql)).toEqual(before)
})

it('a day that is being counted is not dropped', async () => {
  await makeDay(sql, GONE, LEDGER)
  const seeded = await seedOrganization(sql)
  await seedOldMails(sql, seeded, { days: GONE, mails: 5 })
  await worker.begin(async (tx) => {
    await beginRecount(tx)
    expect(await drop({ tries: 1 })).toEqual({ dropped: 0, held: 0, busy: 1 })
    expect(await hasDay(sql, 'messages', GONE)).toBe(true)
  })
})
