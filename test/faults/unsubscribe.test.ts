import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMailer } from '../../activities/aws/mailer.ts'
import { createRoles } from '../../activities/aws/roles.ts'
import type { Mailer } from '../../activities/mailer.ts'
import { sandboxControl } from '../../tools/sandbox/control.ts'
import { startSandbox } from '../../tools/sandbox/index.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { SIMULATOR } from '../../src/domain/delivery/event-recipients.ts'
import { BATCH_TAG } from '../../src/domain/delivery/ses-event.ts'
import { addressHash, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, inject, startApi } from '../support/api.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { seedExecutions, seedFlow } from '../support/flows.ts'
import {
  batchRow,
  REGION,
  type Seeded,
  seedBatch,
  seedContacts,
  seedOrganization,
  seedTopic,
} from '../support/seed.ts'
import { sized } from '../support/size.ts'

/** However slow the machine is, no mail is in doubt: these tests are about the moment of a call. */
const NEVER_MS = 600_000
const TIMINGS = {
  ...SHORT_TIMINGS,
  callMs: 10_000,
  leaseMs: NEVER_MS,
  doubtMs: NEVER_MS,
  awaitedMs: NEVER_MS,
}
/** So slow that most are still to be mailed when some have left, however busy the machine is. */
const RATE = sized(25, 150)
/** An even number: two batches of the last test halve them. */
const CONTACTS = 2 * sized(80, 450)
const LEAVING = sized(40, 150)
const RUNS = 3 * sized(40, 100)
const FIRST_RUNS = sized(8, 20)
const LEAVING_TOPIC = sized(30, 80)
const PATIENCE_MS = 120_000
const LONGEST_MS = 400_000

let api: Api
let engine: Engine
let mailer: Mailer
let seeded: Seeded
let sandbox: Awaited<ReturnType<typeof startSandbox>>
/** Every call that began, with the time it began at. */
const calls: { to: string; batchId: string; at: number }[] = []

beforeAll(async () => {
  api = await startApi()
  sandbox = await startSandbox({
    host: '127.0.0.1',
    port: 0,
    databaseUrl: api.databaseUrl,
    log: { level: 'silent' } as never,
  })
  process.env['AWS_ENDPOINT_URL'] = sandbox.url
  process.env['AWS_ACCESS_KEY_ID'] = 'LETTERLOOMSANDBOX'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'letterloom-sandbox-secret'
  seeded = await seedOrganization(api.sql, { rate: RATE })
  const [connection] = await api.sql<{ externalId: string }[]>`
    select external_id from connections where id = ${seeded.connectionId}`
  const externalId = connection!.externalId
  const control = sandboxControl(sandbox.url)
  await control.putAccount(seeded.accountId, {
    region: REGION,
    maxSendRate: RATE * 2,
    max24Hour: 100_000,
    productionAccess: true,
    sendingEnabled: true,
    identities: [{ identity: 'example.com', verified: true }],
    roles: [{ name: `letterloom-${externalId.slice(0, 8)}`, externalId, policyVersion: 1 }],
  })
  // A slow provider: dozens of calls are in the air at any moment.
  await control.setFaults({ latencyMs: 600 }, seeded.accountId)
  mailer = createMailer({ roles: createRoles(), callMs: TIMINGS.callMs })
  const noting: Mailer = {
    send: async (mail, call) => {
      // A starved process: a call begins at any moment in which it still may.
      await sleep(Math.random() * (call.beginBy - performance.now()))
      const at = performance.now()
      const outcome = await mailer.send(mail, call)
      const batchId = mail.tags.find(({ name }) => name === BATCH_TAG)?.value ?? ''
      // A mail to the simulator tells a busy machine whether events arrive: that is nobody.
      const isToPerson = mail.to !== SIMULATOR
      if (isToPerson && outcome.kind !== 'not_begun') calls.push({ to: mail.to, batchId, at })
      return outcome
    },
    close: () => mailer.close(),
  }
  engine = await startEngine({
    databaseUrl: api.databaseUrl,
    mailer: noting,
    timings: TIMINGS,
    keyring: api.deps.keyring,
  })
})
afterAll(async () => {
  await engine.stop()
  await mailer.close()
  await sandbox.stop()
  await api.close()
})
beforeEach(async () => {
  const { organizationId } = seeded
  await api.sql`delete from contacts where organization_id = ${organizationId}`
  await api.sql`delete from suppressions where organization_id = ${organizationId}`
  calls.length = 0
})

interface Reader {
  id: string
  email: string
}

/** Leaves by one click; answers when it was told so, on the clock that calls are timed by. */
async function leave({ id, email }: Reader, link: { batchId?: string; topicId?: string }) {
  const { organizationId } = seeded
  const token = signUnsubscribe(api.deps.keyring, {
    organizationId,
    contactId: id,
    addressHash: addressHash(organizationId, email),
    ...link,
  })
  const answer = await inject(api.app, { method: 'POST', url: `/unsubscribe/${token}` })
  expect(answer.status).toBe(200)
  return performance.now()
}

/** Some readers leave, ten at a time, while mail goes out. */
async function leaveAll(readers: readonly Reader[], link: { batchId?: string; topicId?: string }) {
  const told = new Map<string, number>()
  const waiting = [...readers]
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (let reader = waiting.pop(); reader; reader = waiting.pop()) {
        told.set(reader.email, await leave(reader, link))
      }
    }),
  )
  return told
}

const readersOf = (ids: readonly string[]) => api.sql<Reader[]>`
  select id, email from contacts where id = any(${[...ids]}::uuid[]) order by random()`

const completed = (batchId: string) =>
  until(async () => (await batchRow(api.sql, batchId)).status === 'completed', PATIENCE_MS)

it(
  'after a one-click unsubscribe was answered, no call that begins later mails the person',
  async () => {
    const { organizationId } = seeded
    const ids = await seedContacts(api.sql, organizationId, CONTACTS)
    const batchId = await seedBatch(api.sql, seeded)
    await until(async () => calls.length > 0, PATIENCE_MS)
    const readers = await readersOf(ids)
    const told = await leaveAll(readers.slice(0, LEAVING), { batchId })
    await completed(batchId)
    await sleep(1_000)

    const late = calls.filter(({ to, at }) => at > (told.get(to) ?? Number.POSITIVE_INFINITY))
    expect(late).toEqual([])
    const mailed = new Set(calls.map(({ to }) => to))
    const spared = [...told.keys()].filter((email) => !mailed.has(email))
    // The test has power: some had their mail before, some were spared, and all others got theirs.
    expect(spared.length).toBeGreaterThan(0)
    expect(spared.length).toBeLessThan(LEAVING)
    const batch = await batchRow(api.sql, batchId)
    expect([batch.sent, batch.skipped, batch.unknown]).toEqual([
      CONTACTS - spared.length,
      spared.length,
      0,
    ])
    expect(calls).toHaveLength(CONTACTS - spared.length)
    const [figures] = await api.sql`select unsubscribed from batches where id = ${batchId}`
    expect(figures).toEqual({ unsubscribed: LEAVING })
  },
  LONGEST_MS,
)

it(
  'of a flow’s mail as well, and its run goes on',
  async () => {
    const { organizationId } = seeded
    const ids = await seedContacts(api.sql, organizationId, RUNS)
    const config = { subject: 'Hi', html: '<p>Hi</p>', from: 'news@example.com' }
    const steps = [{ id: 'hello', type: 'send_email' as const, config }]
    const flow = await seedFlow(api.sql, organizationId, { steps })
    await seedExecutions(api.sql, flow, ids, { isEnqueued: true })
    await until(async () => calls.length > FIRST_RUNS, PATIENCE_MS)
    const told = await leaveAll((await readersOf(ids)).slice(0, RUNS / 3), {})
    await until(async () => {
      const [row] = await api.sql<{ open: number }[]>`
      select count(*)::int as open from executions
      where flow_id = ${flow.flowId} and status <> 'completed'`
      return row?.open === 0
    }, PATIENCE_MS)

    const isLate = ({ to, at }: (typeof calls)[number]) =>
      at > (told.get(to) ?? Number.POSITIVE_INFINITY)
    expect(calls.filter(isLate)).toEqual([])
    const mailed = new Set(calls.map(({ to }) => to))
    const spared = [...told.keys()].filter((email) => !mailed.has(email))
    expect(spared.length).toBeGreaterThan(0)
    expect(calls).toHaveLength(RUNS - spared.length)
  },
  LONGEST_MS,
)

it(
  'of a topic: its batch mails them no more, another topic’s batch does',
  async () => {
    const { organizationId } = seeded
    const count = CONTACTS / 2
    const ids = await seedContacts(api.sql, organizationId, count)
    const topicId = await seedTopic(api.sql, organizationId, ids)
    const otherId = await seedTopic(api.sql, organizationId, ids)
    const batchId = await seedBatch(api.sql, seeded, { topicId })
    const otherBatchId = await seedBatch(api.sql, seeded, { topicId: otherId })
    await until(async () => calls.some((call) => call.batchId === batchId), PATIENCE_MS)
    const told = await leaveAll((await readersOf(ids)).slice(0, LEAVING_TOPIC), {
      batchId,
      topicId,
    })
    await Promise.all([completed(batchId), completed(otherBatchId)])
    await sleep(1_000)

    const ofTopic = calls.filter((call) => call.batchId === batchId)
    const isLate = ({ to, at }: (typeof calls)[number]) =>
      at > (told.get(to) ?? Number.POSITIVE_INFINITY)
    expect(ofTopic.filter(isLate)).toEqual([])
    const skipped = await api.sql<{ reason: string }[]>`
    select distinct reason from messages where batch_id = ${batchId} and state = 'skipped'`
    expect(skipped).toEqual([{ reason: 'topic_unsubscribed' }])
    expect((await batchRow(api.sql, otherBatchId)).sent).toBe(count)
    const others = calls.filter((call) => call.batchId === otherBatchId)
    expect(others.filter(isLate).length).toBeGreaterThan(0)
  },
  LONGEST_MS,
)
