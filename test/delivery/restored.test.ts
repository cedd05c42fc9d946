import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { checkRestore, markRestored } from '../../src/core/delivery/restored.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { startBatchReconciler } from '../../src/loops/batch-reconciler.ts'
import { startExecutionReconciler } from '../../src/loops/execution-reconciler.ts'
import { addOperatorCommands } from '../../src/main/commands/operator-commands.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { loginUrl } from '../../src/store/db/logins.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import * as ledgerBeats from '../../src/store/platform/ledger-beats.ts'
import { backUp } from '../support/backups.ts'
import { commandLine } from '../support/command-line.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import { fakeMailer } from '../support/mailer.ts'
import { REGION, seedBatch, seedContacts, type Seeded, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'

const READERS = sized(40, 2_000)
const EXECUTIONS = sized(30, 100)
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
})
afterAll(() => database.drop())
beforeEach(() => sql`update ledger_beats set restored_at = null, held_at = null, marked_at = null`)

const noteRestored = () => ledgerBeats.noteRestored(sql, 600_000)
const check = (options: { until?: Date; isWithoutEvents?: boolean } = {}) =>
  checkRestore(sql, { isWithoutEvents: false, now: Date.now(), ...options })
const over = () => new Date(Date.now() - 1)

/** What SES says of a mail that was sent, by its tags. */
async function hear(
  { organizationId, connectionId }: Seeded,
  tags: readonly { name: string; value: string }[],
): Promise<void> {
  const at = new Date().toISOString()
  const body = {
    detail: {
      eventType: 'Delivery',
      mail: {
        timestamp: at,
        messageId: uuidv7(),
        tags: Object.fromEntries(tags.map(({ name, value }) => [name, [value]])),
      },
      delivery: { timestamp: at },
    },
  }
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body)
    values (${organizationId}, ${connectionId}, ${uuidv7()}, ${sql.json(body)})`
}

test('no lane of any account gets a permit until a restore was checked', async () => {
  const { accountId } = await seedOrganization(sql)
  /** Answer of a lane, without the waits for the account's rate. */
  const ask = (lane: 'transactional' | 'batch') =>
    until(async () => {
      const grant = await sendLimits.grantPermits(sql, { accountId, region: REGION }, 1, lane)
      return grant.granted === 1 ? 'granted' : grant.pausedReason
    })
  const askBoth = async () => [await ask('transactional'), await ask('batch')]
  expect(await askBoth()).toEqual(['granted', 'granted'])
  await noteRestored()
  expect(await askBoth()).toEqual(['restored', 'restored'])
  expect((await check({ until: over() })).outcome).toBe('released')
  expect(await askBoth()).toEqual(['granted', 'granted'])
})

test('mails that could not have left before the restore are left alone', async () => {
  const seeded = await seedOrganization(sql)
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const later = await seedBatch(sql, seeded, { scheduledFor: tomorrow })
  const due = await seedBatch(sql, seeded)
  const [sleeper = '', starting = ''] = await seedContacts(sql, seeded.organizationId, 2)
  const flow = await seedFlow(sql, seeded.organizationId, { steps: [HELLO] })
  const [asleep = ''] = await seedExecutions(sql, flow, [sleeper])
  await sql`update executions set status = 'paused', progressed_at = ${tomorrow} where id = ${asleep}`
  const [pending = ''] = await seedExecutions(sql, flow, [starting])
  await noteRestored()
  // As when both are in the same millisecond.
  await sql`
    update executions set created_at = (select restored_at from ledger_beats)
    where id = ${pending}`
  await markRestored(sql)
  const younger = await seedBatch(sql, seeded)
  expect(await statusOf('batches', [later, due, younger])).toEqual([
    'scheduled',
    'failed',
    'queued',
  ])
  expect(await statusOf('executions', [asleep, pending])).toEqual(['paused', 'failed'])
  await sql`delete from outbox`
})

async function statusOf(table: 'batches' | 'executions', ids: Uuid[]): Promise<string[]> {
  const rows = await sql<{ id: Uuid; status: string }[]>`
    select id, status from ${sql(table)} where id = any(${ids}::uuid[])`
  return ids.map((id) => rows.find((row) => row.id === id)?.status ?? 'gone')
}

test('nothing is released before events were awaited, nor without an event', async () => {
  const seeded = await seedOrganization(sql)
  const batchId = await seedBatch(sql, seeded)
  await noteRestored()
  const waiting = await check()
  expect(waiting).toMatchObject({ outcome: 'waiting', executions: 0, events: 0 })
  expect(waiting.batches.map((each) => each.batchId)).toContain(batchId)
  expect((await check({ until: over() })).outcome).toBe('no_events')

  const run = commandLine(addOperatorCommands)
  const env = { DATABASE_URL: loginUrl(database.url, 'letterloom_worker') }
  const past = ['--until', over().toISOString(), '--json']
  const held = await run(['restore-check', ...past], { env })
  expect([held.code, JSON.parse(held.stdout).outcome]).toEqual([2, 'no_events'])
  const released = await run(['restore-check', '--without-events', ...past], { env })
  expect([released.code, JSON.parse(released.stdout).outcome]).toEqual([0, 'released'])
  const resumed = await run(['restore-check', '--release', batchId, '--json'], { env })
  expect(JSON.parse(resumed.stdout)).toEqual({ released: batchId })
  expect(await statusOf('batches', [batchId])).toEqual(['processing'])
  const again = await run(['restore-check', '--release', batchId], { env })
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('No restore has stopped')])
  await sql`update batches set status = 'cancelled', completed_at = now()`
  await sql`delete from outbox`
})

test('nobody of two batches and many executions is mailed twice, and every lost recipient is listed', async () => {
  const mailer = fakeMailer(undefined, 5)
  // So slow that the backup is in the middle of both batches, however busy the machine is.
  const news = await seedOrganization(sql, { rate: 3 })
  const readers = await seedContacts(sql, news.organizationId, 2 * READERS)
  const batchIds = [
    await seedBatch(sql, news, { contactIds: readers.slice(0, READERS) }),
    await seedBatch(sql, news, { contactIds: readers.slice(READERS) }),
  ]
  const shop = await seedOrganization(sql, { rate: 3 })
  const newcomers = await seedContacts(sql, shop.organizationId, EXECUTIONS)
  await sql`
    update contacts set email = 'newcomer-' || id || '@example.com'
    where organization_id = ${shop.organizationId}`
  const flow = await seedFlow(sql, shop.organizationId, { steps: [HELLO] })
  await seedExecutions(sql, flow, newcomers, { isEnqueued: true })

  const sent = async () => {
    const rows = await sql<{ sent: number }[]>`
      select sent from batches where id = any(${batchIds}::uuid[])
      union all
      select count(*)::integer from executions where flow_id = ${flow.flowId} and status = 'completed'`
    return rows.map((row) => row.sent)
  }
  let engine = await startEngine({ databaseUrl: database.url, mailer })
  const { namespace } = engine
  await until(async () => (await sent()).every((count) => count >= 2))
  await engine.stop()
  expect((await sent()).filter((count) => count < READERS).length).toBeGreaterThanOrEqual(2)
  const backup = await backUp(database.url)
  const known = mailer.calls.length
  await sql`update sending_limits set max_send_rate = 1000`

  // What Postgres forgets: everybody is mailed.
  engine = await startEngine({ databaseUrl: database.url, mailer, namespace })
  const everybody = [READERS, READERS, EXECUTIONS].join()
  await until(async () => (await sent()).toSorted((a, b) => b - a).join() === everybody)
  await engine.stop()
  await backup.restore()
  expect((await sent()).some((count) => count < READERS)).toBe(true)

  // As a worker does before anything runs: otherwise a batch of which all is proven would complete.
  await noteRestored()
  await markRestored(sql)
  engine = await startEngine({ databaseUrl: database.url, mailer, namespace })
  const reconcilers = startReconcilers(engine)
  const forgotten = mailer.calls.slice(known).filter(({ to }) => to.startsWith('reader-'))
  const proven = forgotten.slice(0, Math.ceil(forgotten.length / 2))
  for (const { tags } of proven) await hear(news, tags)
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  // A mail that was claimed at the time of the backup is in doubt at first.
  const notProven = (batch: { notKnown: number; inDoubt: number }) => batch.notKnown + batch.inDoubt
  const listed = await until(async () => {
    const report = await check()
    const isSettled = sum(report.batches.map(notProven)) === forgotten.length - proven.length
    return isSettled && report
  })
  expect(listed.outcome).toBe('waiting')
  const [, , completed = 0] = await sent()
  // Those who are not known to be mailed are all that is not sent.
  expect(listed.executions).toBe(EXECUTIONS - completed)
  expect(sum(listed.batches.map((each) => each.sent + notProven(each)))).toBe(2 * READERS)

  expect((await check({ until: over() })).outcome).toBe('released')
  await until(async () => {
    const [open] = await sql<{ open: number }[]>`
      select (select count(*) from outbox where done_at is null)
        + (select count(*) from mail_queue) as open`
    return open?.open === 0
  })
  await reconcilers.stop()
  await engine.stop()
  expect(mailer.accepted.length).toBe(2 * READERS + EXECUTIONS)
  expect(new Set(mailer.accepted).size).toBe(mailer.accepted.length)
})

/** As a worker has them: they start again what has no run. */
function startReconcilers({ client }: Engine) {
  const deps = { sql, temporal: client, timings: SHORT_TIMINGS, log }
  const loops = [startBatchReconciler(deps), startExecutionReconciler(deps)]
  return { stop: () => Promise.all(loops.map((loop) => loop.stop())) }
}

const HELLO = {
  id: 'hello',
  type: 'send_email' as const,
  config: { subject: 'Hello', html: '<p>Hello</p>', from: 'news@example.com' },
}
