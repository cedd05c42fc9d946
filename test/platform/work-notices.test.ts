import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { startLoop } from '../../src/loops/loop.ts'
import { type Channel, startWorkNotices, type WorkNotices } from '../../src/loops/work-notices.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { connectAs } from '../support/logins.ts'
import { type Seeded, seedOrganization } from '../support/seed.ts'

/** So long that only a notice ends it. */
const NEVER_MS = 3_600_000
const log = { info: () => {}, warn: () => {}, error: () => {} }

let database: TestDatabase
let worker: Sql
let api: Sql
let seeded: Seeded
let notices: WorkNotices
const loops: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  database = await createDatabase()
  worker = connectAs(database.url, { name: 'worker', role: 'letterloom_worker' })
  api = connectAs(database.url, { name: 'api', role: 'letterloom_api' })
  seeded = await seedOrganization(database.sql)
  const databaseUrl = loginUrl(database.url, 'letterloom_worker')
  notices = startWorkNotices({ sql: worker, databaseUrl })
  await until(async () => (notices.isListening() ? true : undefined))
})
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.stop()))
  await database.admin`delete from loops_awake`
})
afterAll(async () => {
  await notices.stop()
  await Promise.all([worker.end(), api.end()])
  await database.drop()
})

/** A loop that only a notice wakes once it has found nothing, and how to await its rounds. */
function started(channel: Channel, found: () => boolean | 'done' = () => false) {
  let rounds = 0
  const round = () => {
    rounds++
    return Promise.resolve(found())
  }
  const loop = startLoop({ name: channel, idleMs: NEVER_MS, log, notices, channel, round })
  loops.push(loop)
  const reach = (wanted: number) => until(async () => (rounds >= wanted ? true : undefined))
  return { reach, rounds: () => rounds }
}

const WRITES: Record<Channel, (sql: Sql, of: Seeded) => PromiseLike<unknown>> = {
  outbox: (sql, { organizationId }) => sql`
    insert into outbox (organization_id, kind, payload)
    values (${organizationId}, 'send_notice', '{}')`,
  inbound_events: (sql, { organizationId, connectionId }) => sql`
    select store_inbound_events(${[organizationId]}::uuid[], ${[connectionId]}::uuid[],
      ${[uuidv7()]}::text[], ${['{}']}::text[], array[null]::text[], array[null]::text[])`,
  mail_queue: (sql, { organizationId, connectionId }) => sql`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    values (${organizationId}, ${uuidv7()}, ${uuidv7()}, ${connectionId}, 1, now())`,
  text_queue: (sql, { organizationId, connectionId }) => sql`
    insert into text_queue (organization_id, bucket, id, connection_id, sender, parts, send_at)
    values (${organizationId}, ${uuidv7()}, ${uuidv7()}, ${connectionId}, 'LETTERS', 1, now())`,
  hook_queue: (sql, { organizationId }) => sql`
    insert into hook_queue (organization_id, id, endpoint_id, priority, due_at)
    values (${organizationId}, ${uuidv7()}, ${uuidv7()}, 1, now())`,
  dirty_contacts: (sql, { organizationId }) => sql`
    insert into dirty_contacts (organization_id, contact_id)
    values (${organizationId}, ${uuidv7()})`,
}

test.each(Object.keys(WRITES) as Channel[])(
  'a loop that found nothing is woken when work is committed: %s',
  async (channel) => {
    const { reach } = started(channel)
    await reach(1)
    await WRITES[channel](worker, seeded)
    expect(await reach(2)).toBe(true)
  },
)

test('an API process, which sees one organization, tells as well', async () => {
  const { reach } = started('inbound_events')
  await reach(1)
  await WRITES.inbound_events(api, seeded)
  expect(await reach(2)).toBe(true)
})

test('a rolled-back transaction wakes nobody, and a committed one wakes at its commit', async () => {
  const { reach, rounds } = started('outbox')
  await reach(1)
  await worker
    .begin(async (tx) => {
      await WRITES.outbox(tx as unknown as Sql, seeded)
      throw new Error('rolled back')
    })
    .catch(() => {})
  await worker.begin(async (tx) => {
    await WRITES.outbox(tx as unknown as Sql, seeded)
    expect(rounds()).toBe(1)
  })
  await reach(2)
})

test('while a loop looks often nobody tells it, and afterwards writers tell again', async () => {
  let left = 1
  const { reach, rounds } = started('outbox', () => left-- > 0)
  await reach(2)
  const noted = await database.admin`
    update loops_awake set until = until + interval '1 hour' where channel = 'outbox'`
  expect(noted.count).toBe(1)
  await WRITES.outbox(worker, seeded)
  // What another channel is told arrives after what this one would have been told.
  const other = started('mail_queue')
  await other.reach(1)
  await WRITES.mail_queue(worker, seeded)
  await other.reach(2)
  expect(rounds()).toBe(2)

  await database.admin`update loops_awake set until = now() - interval '1 second'`
  await WRITES.outbox(worker, seeded)
  expect(await reach(3)).toBe(true)
})

test('a listener whose connection is lost listens again, and all loops look', async () => {
  const { reach, rounds } = started('outbox')
  await reach(1)
  const before = rounds()
  await database.admin`
    select pg_terminate_backend(pid)
    from pg_stat_activity
    where application_name = 'letterloom-notices' and datname = current_database()`
  await reach(before + 1)
  await until(async () => (notices.isListening() ? true : undefined))
  const { reach: reachOther } = started('mail_queue')
  await reachOther(1)
  await WRITES.mail_queue(worker, seeded)
  expect(await reachOther(2)).toBe(true)
})

test('without a listener a loop looks as often as without notices', async () => {
  let rounds = 0
  const deaf: WorkNotices = { ...notices, isListening: () => false }
  const round = () => Promise.resolve(rounds++ < 0)
  loops.push(startLoop({ name: 'deaf', idleMs: 1, log, notices: deaf, channel: 'outbox', round }))
  expect(await until(async () => (rounds > 5 ? true : undefined))).toBe(true)
})
