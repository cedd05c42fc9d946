import { afterAll, beforeAll, expect, test } from 'vitest'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { rematch } from '../../src/core/delivery/match-untagged.ts'
import { batchRowId, bucketStart, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startEventApplier } from '../../src/loops/event-applier.ts'
import * as batchRuns from '../../src/store/batches/batch-runs.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Api, connectAccount, createContact, inject, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { seedBatch } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

/**
 * Delivery events without a tag of ours: of mails of ours, which their message id finds, and of
 * mails that other programs sent through the same account.
 */
const region = 'eu-central-1'
const HOUR_MS = 3_600_000

let api: Api
let worker: Sql
let connection: Connected
let other: Connected

interface Connected {
  id: Uuid
  accountId: string
  secret: string
}

beforeAll(async () => {
  api = await startApi()
  worker = connectAs(api.databaseUrl, { name: 'applier', role: 'letterloom_worker' })
  connection = await connectTo('123456789012')
  other = await connectTo('123456789013')
})
afterAll(async () => {
  await worker.end()
  await api.close()
})

async function connectTo(accountId: string): Promise<Connected> {
  const { connectionId: id, webhookSecret } = await connectAccount(api.alice, { accountId, region })
  await api.sql`update connections set is_verified = true where id = ${id}`
  return { id, accountId, secret: webhookSecret }
}

interface Told {
  type: 'Send' | 'Delivery' | 'Bounce' | 'Complaint' | 'Open'
  messageId: string
  to?: string[]
  /** Seconds after ten o'clock. */
  second?: number
  mail?: object
}

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString()

function detailOf({ type, messageId, to = [], second = 5, mail = {} }: Told) {
  const named = to.map((emailAddress) => ({ emailAddress }))
  const timestamp = at(second)
  const part = {
    Send: { send: {} },
    Delivery: { delivery: { timestamp, recipients: to } },
    Bounce: {
      bounce: {
        timestamp,
        bounceType: 'Permanent',
        bounceSubType: 'General',
        feedbackId: `b-${messageId}-${second}`,
        bouncedRecipients: named,
      },
    },
    Complaint: {
      complaint: {
        timestamp,
        feedbackId: `c-${messageId}-${second}`,
        complaintFeedbackType: 'abuse',
        complainedRecipients: named,
      },
    },
    Open: { open: { timestamp, userAgent: 'Mail' } },
  }[type]
  return {
    eventType: type,
    mail: { messageId, timestamp: at(0), destination: to, ...mail },
    ...part,
  }
}

/** Posts an event to the webhook, as the event bus does; returns its answer. */
async function post(told: Told, { accountId, secret }: Connected = connection) {
  const envelope = {
    id: uuidv7(),
    account: accountId,
    region,
    source: 'aws.ses',
    detail: detailOf(told),
  }
  const { status, body } = await inject(api.app, {
    method: 'POST',
    url: `/webhooks/ses/${accountId}`,
    headers: { 'x-webhook-secret': secret },
    payload: envelope,
  })
  expect(status).toBe(200)
  return { ...body, envelopeId: envelope.id }
}

async function apply(): Promise<void> {
  while ((await applyEvents(worker, api.deps.keyring)) > 0);
}
const tell = async (told: Told, to?: Connected) => {
  const answer = await post(told, to)
  await apply()
  return answer
}

/** Makes the next look at other programs' mails due. */
async function lookAgain(): Promise<void> {
  await api.sql`update external_mails set look_at = now() - interval '1 second' where look_at is not null`
  await rematch(worker, 1_000)
  await apply()
}
/** Makes postponed events due. */
async function waitNoMore(): Promise<void> {
  await api.sql`update inbound_events set look_at = now() - interval '1 second' where applied_at is null`
  await apply()
}

const logsOf = async (recipient: string) =>
  (await api.alice.get(`/v1/email/logs?recipient=${encodeURIComponent(recipient)}`)).body.logs
const statusOf = async (contactId: Uuid) =>
  (await api.alice.get(`/v1/contacts/${contactId}`)).body.emailStatus
const suppressed = async (email: string) => {
  const { body } = await api.alice.get('/v1/suppressions?limit=100')
  return body.data.find(({ email: listed }: { email: string }) => listed === email)?.reason
}
const ignoredFor = async (envelopeId: string) => {
  const [row] = await api.sql<{ ignored: string; body: object }[]>`
    select ignored, body from inbound_events where envelope_id = ${envelopeId}`
  return row
}
const newAddress = () => `ada-${uuidv7()}@example.com`

interface Claimed {
  email: string
  contactId: Uuid
  id: Uuid
  bucket: Uuid
  claimId: Uuid
  batchId: Uuid
  messageId: string
}

/** A mail of a batch whose call is open. */
async function claimed(): Promise<Claimed> {
  const email = newAddress()
  const { id: contactId } = await createContact(api.alice, { email })
  const { organizationId } = api.alice
  const connectionId = connection.id
  const batchId = await seedBatch(
    api.sql,
    { organizationId, connectionId, accountId: connection.accountId },
    { contactIds: [contactId] },
  )
  const run = { organizationId, batchId, attempt: 1 }
  await freezePage(api.sql, { ...run, pageSize: 100, chunkSize: 100 })
  const bucket = (await batchRuns.context(api.sql, organizationId, batchId))?.bucket ?? ''
  const claimId = uuidv7()
  const [from, to] = [batchRowId(bucket, 0), batchRowId(bucket, 1)]
  const range = { ...run, bucket, connectionId, claimId, from, to, limit: 1 }
  const { recipients } = await claimRange(api.sql, range)
  const id = recipients[0]?.id ?? ''
  return { email, contactId, id, bucket, claimId, batchId, messageId: `m-${id}` }
}

const answer = ({ id, bucket, claimId, batchId, messageId }: Claimed) =>
  recordResults(worker, { organizationId: api.alice.organizationId, bucket, claimId, batchId }, [
    { id, outcome: 'sent', messageId, subject: 'News' },
  ])

async function sent(): Promise<Claimed> {
  const mail = await claimed()
  await answer(mail)
  return mail
}

/** An event as if its mail had been accepted now. */
const now = () => ({ timestamp: new Date().toISOString() })

test('events without a tag are applied to the mail that has their message id', async () => {
  const { email, contactId, messageId, batchId, id } = await sent()
  const bounce: Told = { type: 'Bounce', messageId, to: [email] }
  expect(await tell(bounce)).toMatchObject({ status: 'processed' })
  await tell({ type: 'Delivery', messageId, to: [email], second: 3 })
  await tell(bounce)

  const logs = await logsOf(email)
  expect(logs).toMatchObject([
    { id, sourceType: 'batch', status: 'bounced', deliveredAt: at(3), bouncedAt: at(5) },
  ])
  expect(await statusOf(contactId)).toBe('bounced')
  expect(await suppressed(email)).toBe('bounced')
  const batch = (await api.alice.get(`/v1/batch/${batchId}`)).body
  expect(batch).toMatchObject({ bounced: 1, delivered: 1 })
  const { body } = await api.alice.get(`/v1/email/logs/${messageId}`)
  expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['delivery', 'bounce'])
})

test('a message id is looked up within the connection only', async () => {
  const { email, messageId, id } = await sent()
  await tell({ type: 'Delivery', messageId, to: [email] }, other)
  const logs = await logsOf(email)
  expect(logs).toMatchObject([
    { sourceType: 'external', cloudAccountId: other.id, status: 'delivered' },
    { id, sourceType: 'batch', cloudAccountId: connection.id, status: 'sent' },
  ])
})

test('untagged mail with an unknown message id becomes one log row a recipient', async () => {
  const [ada, bob] = [newAddress(), newAddress()]
  const { id: contactId } = await createContact(api.alice, { email: ada })
  const { id: stranger } = await createContact(api.charlie, { email: ada })
  const messageId = `theirs-${uuidv7()}`
  const mail = { destination: [ada, bob], commonHeaders: { subject: 'Your invoice' } }
  await tell({ type: 'Bounce', messageId, to: [` Ada <${ada.toUpperCase()}>`], mail })
  await tell({ type: 'Send', messageId, mail })
  await tell({ type: 'Delivery', messageId, to: [bob], mail })
  await tell({ type: 'Delivery', messageId, to: [ada], second: 2, mail })
  await tell({ type: 'Bounce', messageId, to: [ada], mail })

  const row = { sourceType: 'external', subject: 'Your invoice', messageId, sentAt: at(0) }
  const expected = { ...row, status: 'bounced', bounceType: 'Permanent', recipient: ada }
  expect(await logsOf(ada)).toMatchObject([{ ...expected, batchId: null }])
  expect(await logsOf(bob)).toMatchObject([{ ...row, status: 'delivered', recipient: bob }])
  expect((await api.alice.get('/v1/email/logs?sourceType=external&limit=100')).body.logs).toEqual(
    expect.arrayContaining([expect.objectContaining(expected)]),
  )
  expect((await api.alice.get(`/v1/email/logs/${messageId}`)).body).toMatchObject(row)
  expect(await statusOf(contactId)).toBe('bounced')
  expect(await suppressed(ada)).toBe('bounced')
  expect(await suppressed(bob)).toBeUndefined()
  expect((await api.charlie.get(`/v1/contacts/${stranger}`)).body.emailStatus).toBe('active')
  expect((await api.charlie.get('/v1/email/logs')).body.logs).toEqual([])
})

test('a complaint about another program’s mail suppresses the address', async () => {
  const email = newAddress()
  const { id } = await createContact(api.alice, { email })
  await tell({ type: 'Complaint', messageId: `theirs-${uuidv7()}`, to: [email] })
  expect([await statusOf(id), await suppressed(email)]).toEqual(['complained', 'complained'])
  expect(await logsOf(email)).toMatchObject([{ sourceType: 'external', status: 'complained' }])
})

test('the rows are the same in any order of events and after repetitions', async () => {
  const forms = []
  for (const order of [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1, 2, 0],
  ]) {
    const email = newAddress()
    const messageId = `theirs-${uuidv7()}`
    const to = [email]
    const events: Told[] = [
      { type: 'Send', messageId, to },
      { type: 'Delivery', messageId, to, second: 2 },
      { type: 'Open', messageId, to, second: 4 },
      { type: 'Complaint', messageId, to, second: 6 },
    ]
    for (const each of order) await tell(events[each]!)
    const logs = await logsOf(email)
    expect(logs).toHaveLength(1)
    const { status, sentAt, deliveredAt, openedAt, complainedAt } = logs[0]
    forms.push({ status, sentAt, deliveredAt, openedAt, complainedAt })
  }
  expect(new Set(forms.map((form) => JSON.stringify(form))).size).toBe(1)
  expect(forms[0]?.status).toBe('complained')
})

test('twenty events of one mail at once, with four appliers, make one row', async () => {
  const email = newAddress()
  const messageId = `theirs-${uuidv7()}`
  const { keyring } = api.deps
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const appliers = Array.from({ length: 4 }, () => startEventApplier({ sql: worker, keyring, log }))
  await Promise.all(
    Array.from({ length: 20 }, (_, second) =>
      post({ type: 'Delivery', messageId, to: [email], second }),
    ),
  )
  await until(
    async () => (await api.sql`select from inbound_events where applied_at is null`).length === 0,
  )
  await Promise.all(appliers.map((applier) => applier.stop()))
  expect(await logsOf(email)).toMatchObject([{ status: 'delivered', deliveredAt: at(0) }])
})

test('an event that overtakes the answer of its call waits for it', async () => {
  const mail = await claimed()
  const { email, messageId, id, contactId } = mail
  await tell({ type: 'Bounce', messageId, to: [email], mail: now() })
  expect(await logsOf(email)).toMatchObject([{ id, status: 'pending' }])
  await answer(mail)
  await waitNoMore()
  expect(await logsOf(email)).toMatchObject([{ id, sourceType: 'batch', status: 'bounced' }])
  expect(await statusOf(contactId)).toBe('bounced')
  expect(await api.sql`select from external_mails where message_id = ${messageId}`).toHaveLength(0)
})

test('an event of another program’s mail waits only while a call is open', async () => {
  const mail = await claimed()
  const email = newAddress()
  const earlier = new Date(Date.now() - HOUR_MS).toISOString()
  const before: Told = { type: 'Delivery', messageId: uuidv7(), to: [newAddress()] }
  await tell({ ...before, mail: { timestamp: earlier } })
  expect(await logsOf(before.to?.[0] ?? '')).toHaveLength(1)

  await tell({ type: 'Delivery', messageId: `theirs-${email}`, to: [email], mail: now() })
  expect(await logsOf(email)).toHaveLength(0)
  await answer(mail)
  await waitNoMore()
  expect(await logsOf(email)).toMatchObject([{ sourceType: 'external', status: 'delivered' }])
})

test('no event waits longer than a minute, whatever calls are open', async () => {
  const mail = await claimed()
  const email = newAddress()
  await tell({
    type: 'Delivery',
    messageId: uuidv7(),
    to: [email],
    mail: { timestamp: '2099-01-01T00:00:00Z' },
  })
  expect(await logsOf(email)).toHaveLength(0)
  await api.sql`
    update inbound_events set received_at = received_at - interval '61 seconds'
    where applied_at is null`
  await waitNoMore()
  expect(await logsOf(email)).toHaveLength(1)
  await answer(mail)
})

test('a message id that becomes known later corrects the mail and removes the extra row', async () => {
  const mail = await claimed()
  const { email, messageId, id, contactId, bucket } = mail
  // Nobody waits for the call any more: its worker was lost.
  await api.sql`
    update claims set claimed_at = claimed_at - interval '10 minutes' where id = ${mail.claimId}`
  const to = [email]
  await tell({ type: 'Bounce', messageId, to, mail: { commonHeaders: { subject: 'News' } } })
  await tell({ type: 'Delivery', messageId, to, second: 1 })
  expect(await logsOf(email)).toMatchObject([
    { sourceType: 'external', status: 'bounced' },
    { id, status: 'pending' },
  ])
  expect(await statusOf(contactId)).toBe('bounced')

  await lookAgain()
  expect(await logsOf(email)).toHaveLength(2)
  const { organizationId } = api.alice
  const tags = {
    'letterloom-message': [`${bucket}_${id}`],
    'letterloom-organization': [organizationId],
  }
  await tell({ type: 'Send', messageId, to, mail: { tags } })
  await lookAgain()
  const corrected = {
    id,
    sourceType: 'batch',
    status: 'bounced',
    messageId,
    subject: 'News',
    deliveredAt: at(1),
    bouncedAt: at(5),
    bounceType: 'Permanent',
    bounceSubType: 'General',
  }
  expect(await logsOf(email)).toMatchObject([corrected])
  const { body } = await api.alice.get(`/v1/email/logs/${messageId}`)
  const types = body.events.map(({ type }: { type: string }) => type)
  expect([body.id, types]).toEqual([id, ['send', 'delivery', 'bounce']])

  // The same event once more is found again, and its mail has it already.
  await tell({ type: 'Bounce', messageId, to })
  const again = (await api.alice.get(`/v1/email/logs/${messageId}`)).body
  expect(again.events).toHaveLength(3)
  expect(await api.sql`select from external_mails where message_id = ${messageId}`).toHaveLength(0)
})

test('look-ups of a message id become rare and end after the event bus has given up', async () => {
  const email = newAddress()
  const messageId = uuidv7()
  await tell({ type: 'Delivery', messageId, to: [email] })
  const waits = async () => {
    const [row] = await api.sql<{ waits: number | null }[]>`
      select extract(epoch from look_at - clock_timestamp())::float8 as waits
      from external_mails where message_id = ${messageId}`
    return row?.waits ?? null
  }
  expect(await waits()).toBeLessThanOrEqual(5)
  await lookAgain()
  expect(await waits()).toBeLessThanOrEqual(30)
  const id = bucketStart(Date.now() - 28 * HOUR_MS)
  await api.sql`
    update external_mails set id = ${id}, look_at = now() - interval '1 second' where message_id = ${messageId}`
  await lookAgain()
  expect(await waits()).toBeNull()
})

test('an event without a tag is no witness for other mails', async () => {
  const { email, messageId, id } = await sent()
  const count = async () => {
    const [row] = await api.sql<{ arrived: number; firstEventAt: string | null }[]>`
      select (select sum(arrived)::int from answered_counts where connection_id = ${connection.id})
        as arrived, first_event_at
      from messages where id = ${id}`
    return row
  }
  const before = await count()
  await tell({ type: 'Delivery', messageId, to: [email] })
  expect(await count()).toEqual({ arrived: before?.arrived, firstEventAt: null })
})

test('events of an unknown mail without a recipient are ignored with the reason and stored', async () => {
  const lonely = await tell({ type: 'Bounce', messageId: uuidv7(), to: [] })
  expect(lonely).toMatchObject({ status: 'ignored', reason: 'no_recipient' })
  expect(await ignoredFor(lonely.envelopeId)).toMatchObject({
    ignored: 'no_recipient',
    body: { detail: { eventType: 'Bounce' } },
  })
  // SES does not say which of them opened it.
  const opened = await tell({ type: 'Open', messageId: uuidv7(), to: [newAddress(), newAddress()] })
  expect(opened).toMatchObject({ status: 'ignored', reason: 'no_recipient' })
  const known = await sent()
  const named = await tell({ type: 'Bounce', messageId: known.messageId, to: [] })
  expect(named.status).toBe('processed')
  expect((await ignoredFor(named.envelopeId))?.ignored).toBeNull()
  expect(await logsOf(known.email)).toMatchObject([{ status: 'bounced' }])
})

test('events whose tag names no mail of the connection are ignored, and no row is made', async () => {
  const { id, bucket } = await sent()
  const email = newAddress()
  const told = (tag: string): Told => ({
    type: 'Delivery',
    messageId: uuidv7(),
    to: [email],
    mail: { tags: { 'letterloom-message': [tag] } },
  })
  const unknown = await tell(told(`${bucket}_${uuidv7()}`))
  const unreadable = await tell(told('what'))
  const elsewhere = await tell(told(`${bucket}_${id}`), other)
  for (const answered of [unknown, unreadable, elsewhere]) {
    expect(answered).toMatchObject({ status: 'ignored', reason: 'unknown_mail' })
    expect((await ignoredFor(answered.envelopeId))?.ignored).toBe('unknown_mail')
  }
  // Stored before it could be known, as another process may have done.
  await api.sql`
    update inbound_events set applied_at = null, ignored = null
    where envelope_id = ${unknown.envelopeId}`
  await apply()
  expect(await ignoredFor(unknown.envelopeId)).toMatchObject({
    ignored: 'unknown_mail',
    body: { detail: { eventType: 'Delivery' } },
  })
  const strange: Told = {
    ...told(''),
    mail: {
      tags: {
        'letterloom-message': [`${bucket}_${id}`],
        'letterloom-organization': [api.charlie.organizationId],
      },
    },
  }
  expect(await tell(strange)).toMatchObject({ status: 'ignored', reason: 'other_organization' })
  expect(await logsOf(email)).toEqual([])
})
