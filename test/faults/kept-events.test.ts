import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { batchRowId, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { type Api, connectAccount, startApi, wasVerified } from '../support/api.ts'
import { startApiProcess } from '../support/api-process.ts'
import { until } from '../support/engine.ts'
import { queueUrl, startQueues } from '../support/event-queues.ts'
import { startEventWorker } from '../support/event-workers.ts'
import { newAccountId, REGION, seedBatch, seedContacts } from '../support/seed.ts'
import { sized } from '../support/size.ts'

/** Real processes, killed as by kill -9. No event is sent a second time by anybody. */
const KILLS = sized(1, 10)
const SENDERS = sized(8, 16)
/** Events that the API has acknowledged before it is killed. */
const ACKNOWLEDGED = sized(30, 100)
const MAILS = sized(20, 2_000)

const keys = newKeyringText()
let api: Api
let queues: Awaited<ReturnType<typeof startQueues>>
beforeAll(async () => {
  api = await startApi({ keyring: parseKeyring(keys) })
  queues = await startQueues(api.sql, api.databaseUrl)
})
afterAll(async () => {
  await queues.stop()
  await api.close()
})

const envelope = (accountId: string, detail: object) => ({
  version: '0',
  id: uuidv7(),
  'detail-type': 'Email Delivered',
  source: 'aws.ses',
  account: accountId,
  time: new Date().toISOString(),
  region: REGION,
  resources: [],
  detail,
})

test(
  'what the API has acknowledged is there after it was killed',
  async () => {
    const { organizationId } = api.alice
    const accountId = newAccountId()
    const { webhookSecret, connectionId } = await connectAccount(api.alice, {
      accountId,
      region: REGION,
    })
    await wasVerified(api.sql, connectionId)
    const detail = {
      eventType: 'Delivery',
      mail: { messageId: 'm', timestamp: '2026-11-21T10:00:00Z', destination: ['ada@example.com'] },
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const program = await startApiProcess(api.databaseUrl, { LETTERLOOM_KEYS: keys })
      const acknowledged: string[] = []
      let sent = 0
      const sending = Array.from({ length: SENDERS }, async () => {
        for (;;) {
          const event = envelope(accountId, detail)
          sent++
          const answer = await fetch(`${program.url}/webhooks/ses/${accountId}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-webhook-secret': webhookSecret },
            body: JSON.stringify(event),
          }).catch(() => undefined)
          if (answer === undefined) return
          if (answer.status === 200) acknowledged.push(event.id)
        }
      })
      await until(async () => acknowledged.length > ACKNOWLEDGED)
      await sleep(randomInt(50))
      await program.kill()
      await Promise.all(sending)
      // Some were on their way.
      expect(sent).toBeGreaterThan(acknowledged.length)
      const lost = await api.sql`
      select id
      from unnest(${acknowledged}::text[]) as told (id)
      where not exists (
        select from inbound_events e
        where e.organization_id = ${organizationId} and e.envelope_id = told.id
      )`
      expect(lost).toEqual([])
    }
  },
  300_000 * KILLS,
)

test(
  'a worker is killed when it has received, or stored, what a queue has: nothing is lost or counted twice',
  async () => {
    const { organizationId } = api.alice
    const accountId = newAccountId()
    const made = await connectAccount(api.alice, { accountId, region: REGION })
    const { connectionId, externalId } = made
    const queue = await queues.putQueue({ accountId, externalId, maxReceiveCount: 1_000 })
    const seeded = { organizationId, connectionId, accountId }
    await api.alice.patch(`/v1/connections/${connectionId}`, {
      eventQueueUrl: queueUrl({ ...seeded, queue }),
    })
    await api.sql`update connections set is_verified = true where id = ${connectionId}`
    await seedContacts(api.sql, organizationId, MAILS)
    const batchId = await seedBatch(api.sql, seeded)
    const run = { organizationId, batchId, attempt: 1 }
    await freezePage(api.sql, { ...run, pageSize: 100_000, chunkSize: 500 })
    const bucket = (await batchRuns.context(api.sql, organizationId, batchId))?.bucket ?? ''
    const claimId = uuidv7()
    const range = { from: batchRowId(bucket, 0), to: batchRowId(bucket, MAILS), limit: MAILS }
    await claimRange(api.sql, { ...run, bucket, connectionId, claimId, ...range })
    // No call was answered: that a mail was sent is known by its events alone.
    const told = Array.from({ length: MAILS }, (_, seq) =>
      eventsOf(organizationId, bucket, batchRowId(bucket, seq)),
    ).flat()
    const bodies = told.map((detail) => JSON.stringify(envelope(accountId, detail)))
    const put = (from: number, to: number) =>
      queues.control.putMessages(accountId, queue, bodies.slice(from, to))

    const work = { databaseUrl: api.databaseUrl, keys, polls: true }
    await put(0, Math.ceil(bodies.length / 2))
    for (let kill = 0; kill < 2 * KILLS; kill++) {
      const dying = await startEventWorker({ ...work, death: kill % 2 ? 'stored' : 'received' })
      expect(await dying.killed()).toBe('SIGKILL')
      // As when its lease has ended; what it received stays hidden for a while.
      await api.sql`
      update event_queue_polls
      set held_by = null, held_until = null
      where connection_id = ${connectionId}`
    }
    await put(Math.ceil(bodies.length / 2), bodies.length)
    const worker = await startEventWorker(work)
    await until(async () => {
      const { visible, hidden } = await queues.control.queue(accountId, queue)
      const waiting = await api.sql`
      select from inbound_events
      where connection_id = ${connectionId} and applied_at is null`
      return visible + hidden + waiting.length === 0
    })
    await worker.stop()
    const [stored] = await api.sql<{ rows: number; odd: number }[]>`
    select count(*)::int as rows,
      (count(*) filter (where error is not null or ignored is not null))::int as odd
    from inbound_events
    where connection_id = ${connectionId}`
    expect(stored).toEqual({ rows: bodies.length, odd: 0 })
    const [batch] = await api.sql`
    select sent, delivered, opened, clicked from batches where id = ${batchId}`
    expect(batch).toEqual({ sent: MAILS, delivered: MAILS, opened: MAILS, clicked: 0 })
    const [stats] = await api.sql`
    select sum(emails_sent)::int as sent, sum(emails_opened)::int as opened
    from contact_stats where organization_id = ${organizationId}`
    expect(stats).toEqual({ sent: MAILS, opened: MAILS })
  },
  300_000 * KILLS,
)

function eventsOf(organizationId: Uuid, bucket: Uuid, id: Uuid): object[] {
  const timestamp = new Date().toISOString()
  const tags = {
    'letterloom-message': [`${bucket}_${id}`],
    'letterloom-organization': [organizationId],
  }
  const mail = { timestamp, messageId: `m-${id}`, tags }
  return [
    { eventType: 'Delivery', mail, delivery: { timestamp } },
    { eventType: 'Open', mail, open: { timestamp, userAgent: 'Mail' } },
  ]
}
