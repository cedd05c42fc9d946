import type { Client } from '@temporalio/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMailDrains } from '../../activities/mails/drain-mail.ts'
import type { SingleMailSource } from '../../src/domain/mails/mail-priority.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { startMailWaker } from '../../src/loops/mail-waker.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as mails from '../../src/store/mails/enqueue-mails.ts'
import * as mailDrains from '../../src/store/mails/mail-drains.ts'
import * as mailQueue from '../../src/store/mails/mail-queue.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { guarantee } from '../support/guarantee.ts'
import { connectAs } from '../support/logins.ts'
import { type FakeMailer, fakeMailer, type FakeOutcome, sent } from '../support/mailer.ts'
import { type Seeded, seedOrganization } from '../support/seed.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const MINUTE_MS = 60_000

let database: TestDatabase
let sql: Sql
let seeded: Seeded
let mailer: FakeMailer
let outcome: () => FakeOutcome
let latencyMs: number
/** Connections whose dispatcher was signalled. */
let woken: string[]
let signal: () => Promise<void>
const wakers: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'worker', role: 'letterloom_worker' })
})
beforeEach(async () => {
  await database.sql`delete from mail_queue`
  seeded = await seedOrganization(database.sql)
  outcome = sent
  latencyMs = 1
  mailer = fakeMailer(() => outcome())
  woken = []
  signal = async () => {}
})
afterEach(async () => {
  await Promise.all(wakers.splice(0).map((waker) => waker.stop()))
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

const enqueue = (
  { organizationId, connectionId }: Seeded,
  source: SingleMailSource = 'transactional',
  recipient = 'reader@example.com',
) =>
  mails.enqueue(database.sql, {
    organizationId,
    id: uuidv7(),
    source,
    connectionId,
    recipient,
    from: 'shop@example.com',
    subject: 'Your receipt',
    text: 'Thank you',
  })

/** Drains of a worker process. */
const drainsOfProcess = () =>
  createMailDrains({
    sql,
    claimSql: sql,
    mailer: {
      ...mailer,
      send: async (mail, call) => {
        const answer = await mailer.send(mail, call)
        await new Promise((resolve) => setTimeout(resolve, latencyMs))
        return answer
      },
    },
    timings: SHORT_TIMINGS,
    content: { keyring: parseKeyring(newKeyringText()) },
  })

/** The waker of a worker process; Temporal does nothing but note whom it wakes. */
function startWorker({ sendsMail = true } = {}): void {
  const signalWithStart = (_: string, { workflowId }: { workflowId: string }) => {
    woken.push(workflowId)
    return signal()
  }
  const temporal = { workflow: { signalWithStart } } as unknown as Client
  const { sendReceipts } = drainsOfProcess()
  wakers.push(startMailWaker({ sql, temporal, log, ...(sendsMail ? { sendReceipts } : {}) }))
}

const sentMails = async ({ organizationId }: Seeded): Promise<number> => {
  const [row] = await sql<{ sent: number }[]>`
    select count(*)::int as sent from messages
    where organization_id = ${organizationId} and state = 'sent'`
  return row?.sent ?? 0
}

const isWaiting = async ({ connectionId }: Seeded): Promise<boolean | undefined> =>
  (await mailQueue.due(sql)).find((each) => each.connectionId === connectionId)?.isWaiting

const dispatcherOf = ({ organizationId, connectionId }: Seeded): mailDrains.Drain => ({
  organizationId,
  connectionId,
  drainId: uuidv7(),
  isDispatcher: true,
})

test('a receipt leaves without Temporal, and other mail wakes its dispatcher', async () => {
  const other = await seedOrganization(database.sql)
  signal = () => Promise.reject(new Error('Temporal cannot be reached'))
  await enqueue(other, 'confirmation')
  await enqueue(seeded)
  startWorker()
  await until(async () => (await sentMails(seeded)) === 1)
  await until(async () => woken.includes(`mail/${other.connectionId}`))
  expect(woken).not.toContain(`mail/${seeded.connectionId}`)
  guarantee(() => expect(mailer.accepted).toEqual(['reader@example.com']))
})

test('receipts are not held up by a Temporal that does not answer', async () => {
  const other = await seedOrganization(database.sql)
  let answer = () => {}
  signal = () => new Promise((resolve) => (answer = resolve))
  await enqueue(other, 'workflow')
  startWorker()
  await until(async () => woken.length === 1)
  await enqueue(seeded)
  await until(async () => (await sentMails(seeded)) === 1)
  expect(mailer.accepted).toEqual(['reader@example.com'])
  answer()
})

test('one of three workers sends each receipt, and nobody gets one twice', async () => {
  const RECEIPTS = 30
  const tenants = [seeded, await seedOrganization(database.sql)]
  for (let worker = 0; worker < 3; worker++) startWorker()
  for (let n = 0; n < RECEIPTS; n++) {
    for (const [at, tenant] of tenants.entries()) {
      await enqueue(tenant, 'transactional', `reader-${at}-${n}@example.com`)
    }
  }
  for (const tenant of tenants) await until(async () => (await sentMails(tenant)) === RECEIPTS)
  guarantee(() => expect(new Set(mailer.accepted).size).toBe(2 * RECEIPTS))
  guarantee(() => expect(mailer.accepted).toHaveLength(2 * RECEIPTS))
})

test('a worker that sends no mail leaves receipts to the dispatcher after two seconds', async () => {
  await enqueue(seeded)
  expect(await isWaiting(seeded)).toBe(false)
  await database.sql`
    update mail_queue set send_at = send_at - interval '3 seconds'
    where connection_id = ${seeded.connectionId}`
  expect(await isWaiting(seeded)).toBe(true)
  startWorker({ sendsMail: false })
  await until(async () => woken.includes(`mail/${seeded.connectionId}`))
})

test('a running dispatcher is not woken, and receipts are left to it', async () => {
  const dispatcher = dispatcherOf(seeded)
  await mailDrains.hold(sql, dispatcher, MINUTE_MS)
  await enqueue(seeded, 'confirmation')
  await enqueue(seeded)
  expect(await isWaiting(seeded)).toBe(false)
  expect(await mailQueue.dueReceipts(sql)).toEqual([])
  await drainsOfProcess().sendReceipts(seeded, new AbortController().signal)
  expect(mailer.calls).toEqual([])

  await mailDrains.release(sql, dispatcher)
  expect(await isWaiting(seeded)).toBe(true)
  expect(await mailQueue.dueReceipts(sql)).toMatchObject([{ connectionId: seeded.connectionId }])
})

test('a dispatcher that died is replaced when its hold has ended', async () => {
  await mailDrains.hold(sql, dispatcherOf(seeded), 1)
  await enqueue(seeded, 'confirmation')
  expect(await until(() => isWaiting(seeded))).toBe(true)
})

test('a worker gives way to the dispatcher, and not to another worker', async () => {
  const own = { ...dispatcherOf(seeded), isDispatcher: false }
  const another = { ...own, drainId: uuidv7() }
  const dispatcher = dispatcherOf(seeded)
  expect(await mailDrains.hold(sql, own, MINUTE_MS)).toBe(true)
  expect(await mailDrains.hold(sql, another, MINUTE_MS)).toBe(false)
  expect(await mailDrains.hold(sql, own, MINUTE_MS)).toBe(true)
  expect(await mailDrains.hold(sql, dispatcher, MINUTE_MS)).toBe(true)
  expect(await mailDrains.hold(sql, own, MINUTE_MS)).toBe(false)
  // Its end is not that of the dispatcher.
  await mailDrains.release(sql, own)
  expect(await mailDrains.hold(sql, another, MINUTE_MS)).toBe(false)
})

test('receipts that cannot leave now are not tried over and over, and the dispatcher gets them', async () => {
  outcome = () => ({ kind: 'unreachable', error: 'sts AccessDenied', own: true })
  await enqueue(seeded)
  startWorker()
  await until(async () => woken.includes(`mail/${seeded.connectionId}`))
  // The second try may begin just before the dispatcher is woken.
  expect(mailer.calls.length).toBeLessThanOrEqual(2)
})

test('a receipt is sent though a crowd of other mail is due before it', async () => {
  const { organizationId, connectionId } = await seedOrganization(database.sql)
  await database.sql`
    insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
    select ${organizationId}, ${uuidv7()}, gen_random_uuid(), ${connectionId}, 2,
      now() - interval '1 minute'
    from generate_series(1, 1500)`
  await enqueue(seeded)
  expect(await mailQueue.dueReceipts(sql)).toMatchObject([{ connectionId: seeded.connectionId }])
  expect(await isWaiting(seeded)).toBe(false)
  expect(await isWaiting({ ...seeded, connectionId })).toBe(true)
})

test('a worker that stops lets another one send at once', async () => {
  latencyMs = 100
  await enqueue(seeded)
  startWorker()
  await until(async () => mailer.calls.length === 1)
  await Promise.all(wakers.splice(0).map((waker) => waker.stop()))
  expect(await sentMails(seeded)).toBe(1)
  expect(await sql`select from mail_drains where connection_id = ${seeded.connectionId}`).toEqual(
    [],
  )
})
