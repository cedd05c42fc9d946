import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { batchBucket, batchRowId, bucketStart, dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { claimRange } from '../../src/store/delivery/claim-range.ts'
import { recordResults } from '../../src/store/delivery/record-results.ts'
import { enqueue, type SingleMail } from '../../src/store/mails/enqueue-mails.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import { eraseWorkflowId } from '../../workflows/contract.ts'
import { type Api, type Client, createBatch, freeze, insertMail, startApi } from '../support/api.ts'
import { dumpRows, speakingOf, stranger } from '../support/dump.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { seedExecution } from '../support/flow-steps.ts'
import { fakeMailer } from '../support/mailer.ts'
import { REGION } from '../support/seed.ts'

let api: Api
let sql: Sql
let engine: Engine
let connectionId: string
const mailer = fakeMailer()

beforeAll(async () => {
  api = await startApi()
  sql = api.sql
  connectionId = await connectTo(api.alice)
  await connectTo(api.charlie)
  engine = await startEngine({
    databaseUrl: api.databaseUrl,
    mailer,
    keyring: api.deps.keyring,
    erasurePage: 2,
  })
})
afterAll(async () => {
  await engine.stop()
  await api.close()
})

let accounts = 123_000_000_000
async function connectTo({ organizationId }: Client): Promise<string> {
  const id = uuidv7()
  const accountId = String(++accounts)
  await sql`
    insert into connections (organization_id, id, account_id, region, external_id, is_verified)
    values (${organizationId}, ${id}, ${accountId}, ${REGION}, ${uuidv7()}, true)`
  await sendLimits.learn(
    sql,
    { accountId, region: REGION },
    { maxSendRate: 1_000, max24Hour: 1e6, sentLast24Hours: 0 },
  )
  return id
}

const create = async (client: Client, input: object) => {
  const headers = { 'idempotency-key': uuidv7() }
  const answer = await client.send({ method: 'POST', url: '/v1/contacts', headers, payload: input })
  expect(answer.status, answer.text).toBe(201)
  return String(answer.body.id)
}

const erase = async (id: string) => {
  const { status, body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(status).toBe(202)
  return String(body.id)
}
const statusOf = async (erasureId: string) =>
  (await api.alice.get(`/v1/erasures/${erasureId}`)).body.status
const erased = (erasureId: string) => until(async () => (await statusOf(erasureId)) === 'completed')

const mailTo = (recipient: string, more: Partial<SingleMail> = {}): SingleMail => ({
  organizationId: api.alice.organizationId,
  id: uuidv7(),
  source: 'transactional',
  connectionId,
  recipient,
  from: 'shop@example.com',
  subject: `To ${recipient}`,
  text: `Dear ${recipient}`,
  ...more,
})
const mailRow = async (id: string) => {
  const [row] = await sql<Record<string, unknown>[]>`
    select contact_id, recipient, subject, error, state, status, reason, message_id
    from messages where id = ${id}`
  return row
}
const sentMail = async (message: SingleMail) => {
  await enqueue(sql, message)
  await until(async () => (await mailRow(message.id))?.['state'] === 'sent')
  return message.id
}
const event = (id: string, bucket: string, eventType: string, address: string) => ({
  detail: {
    eventType,
    mail: {
      timestamp: new Date().toISOString(),
      messageId: `m-${id}`,
      destination: [address],
      tags: {
        'letterloom-message': [`${bucket}_${id}`],
        'letterloom-organization': [api.alice.organizationId],
      },
    },
    delivery: { smtpResponse: `250 OK for ${address}` },
    reject: { reason: `${address} is refused` },
  },
})
const receive = async (body: object, error: string | null = null) => {
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body, error, applied_at)
    values (${api.alice.organizationId}, ${connectionId}, ${uuidv7()}, ${sql.json(body)},
      ${error}, ${error === null ? null : new Date().toISOString()})`
  await until(
    async () => (await sql`select from inbound_events where applied_at is null`).length === 0,
  )
}

/** As the webhook keeps what it does not give to the applier. */
async function keepAside(event: { body: object; ignored?: string; error?: string }) {
  const { body, ignored = null, error = null } = event
  await sql`
    insert into inbound_events (organization_id, connection_id, envelope_id, body, error, ignored,
      applied_at)
    values (${api.alice.organizationId}, ${connectionId}, ${uuidv7()}, ${sql.json(body)},
      ${error}, ${ignored}, now())`
}

describe('an erasure', () => {
  it('leaves nothing of the person in any table, and nothing of others changed', async () => {
    const person = stranger()
    const other = stranger()
    const { email } = person.input
    const { organizationId } = api.alice
    const id = await create(api.alice, person.input)
    await api.alice.send({
      method: 'POST',
      url: '/v1/contacts/batch',
      headers: { 'idempotency-key': `sync ${email}` },
      payload: { contacts: [person.input] },
    })
    const otherId = await create(api.alice, other.input)
    // The very same person is a contact of somebody else's, too.
    const theirs = await create(api.charlie, person.input)

    const batch = await createBatch(api.alice, { subject: 'Hello {{ contact.firstName }}' })
    await until(async () => (await api.alice.get(`/v1/batch/${batch.id}`)).body.sent >= 2)
    const named = await sentMail(mailTo(email, { contactId: id }))
    const unnamed = await sentMail(mailTo(email))
    const later = mailTo(email, { contactId: id, sendAt: '2099-01-01T00:00:00.000Z' })
    await enqueue(sql, later)
    await receive(event(named, dayBucket(named), 'Delivery', email))
    await receive(event(unnamed, dayBucket(unnamed), 'Reject', email))
    await receive(event(named, dayBucket(named), 'Open', email), `${email} cannot be applied`)
    await keepAside({
      body: event(named, dayBucket(named), 'Open', email),
      ignored: 'other_region',
    })
    await keepAside({ body: { unread: `{"to": "${email}` }, error: 'invalid_json' })
    await keepAside({ body: { unread: `{"to": "${other.input.email}` }, error: 'invalid_json' })
    await transact(sql, (tx) =>
      consent.suppress(tx, organizationId, [
        {
          address: addressed(api.deps.keyring, organizationId, email),
          status: 'complained',
          source: 'event',
        },
      ]),
    )
    await api.alice.post('/v1/suppressions', { phone: person.input.phone })
    const topicId = uuidv7()
    await sql`
      insert into topics (organization_id, id, name, slug)
      values (${organizationId}, ${topicId}, 'News', ${person.mark.slice(0, 3)})`
    await sql`update topics set slug = 'news' where id = ${topicId}`
    await sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status)
      values (${organizationId}, ${id}, ${topicId}, 'subscribed')`
    const importId = uuidv7()
    await sql`
      insert into imports (organization_id, id, format, on_duplicate, dry_run, may_lift)
      values (${organizationId}, ${importId}, 'csv', 'update', false, false)`
    const records = [{ email }, { externalId: person.input.externalId }, other.input]
    await sql`
      insert into import_errors (organization_id, import_id, row, message, record)
      select ${organizationId}, ${importId}, row, 'phone is not valid', record
      from unnest(${records.map((each) => JSON.stringify(each))}::text[]) with ordinality
        as given (record, row)`
    const data = { note: person.mark }
    await seedExecution(sql, api.alice, { contactId: id, steps: [], data })
    const { body: held } = await api.alice.get(`/v1/contacts/${id}/export`)
    expect(held.importErrors.map(({ row }: { row: number }) => row)).toEqual([1, 2])

    const before = await dumpRows(api.admin)
    const tablesOf = (rows: string[]) =>
      [...new Set(rows.map((row) => row.split(' ')[0] ?? ''))].toSorted()
    const ours = (rows: string[]) =>
      speakingOf(rows, person.words).filter((row) => !row.includes(api.charlie.organizationId))
    // What is searched for is really there before.
    expect(tablesOf(ours(before))).toEqual([
      'contacts',
      'delivery_events',
      'executions',
      'idempotency_keys',
      'import_errors',
      'inbound_events',
      'message_bodies',
      'messages',
      'phone_consents',
      'suppressions',
    ])
    const erasureId = await erase(id)
    expect((await api.alice.get(`/v1/contacts/${id}`)).status).toBe(404)
    await erased(erasureId)

    const after = await dumpRows(api.admin)
    expect(ours(after)).toEqual([])
    // Its id is a number that leads to nothing but the proof; a replay still answers it.
    expect(tablesOf(speakingOf(after, [id]))).toEqual([
      'audit_events',
      'erasures',
      'executions',
      'idempotency_keys',
    ])
    const othersRows = (rows: string[]) =>
      speakingOf(rows, [...other.words, otherId, theirs, api.charlie.organizationId]).toSorted()
    expect(othersRows(before).length).toBeGreaterThan(8)
    expect(othersRows(after)).toEqual(othersRows(before))

    expect(await mailRow(named)).toMatchObject({ state: 'sent', status: 'delivered' })
    expect(await mailRow(unnamed)).toMatchObject({ state: 'sent', status: 'failed', error: null })
    expect(await mailRow(later.id)).toMatchObject({ state: 'skipped', reason: 'contact_deleted' })
    expect(await sql`select from mail_queue where id = ${later.id}`).toHaveLength(0)
    expect((await api.alice.get(`/v1/batch/${batch.id}`)).body).toMatchObject({ sent: 2 })
    const { body: proof } = await api.alice.get('/v1/audit-events?action=contact.erased')
    expect(proof.data[0]).toMatchObject({ subjectId: id, detail: { erasureId } })

    // What the provider says later changes nothing of that.
    await receive(event(named, dayBucket(named), 'Delivery', email))
    await receive(event(named, dayBucket(named), 'Reject', email))
    expect(ours(await dumpRows(api.admin))).toEqual([])
    // And the address is still not mailed, though nobody could tell it from the list.
    const address = addressed(api.deps.keyring, organizationId, email)
    const listed = await suppressions.lookUp(sql, organizationId, [address])
    expect(listed(address)).toBe('complained')
    const { phone } = person.input
    const again = await api.alice.post('/v1/contacts', { phone, smsStatus: 'opted_in' })
    expect(again.body).toMatchObject({ smsStatus: 'opted_out', smsStatusKept: true })
  })

  it('empties what was said of every address and number that the contact ever had', async () => {
    const person = stranger()
    const { mark, input } = person
    const { organizationId } = api.alice
    const [first, second] = [`first-${mark}@old.example`, `second-${mark}@old.example`]
    const phone = `+4917${input.phone.slice(5)}`
    const id = await create(api.alice, { ...input, email: first, phone })
    const ids = [await sentMail(mailTo(first)), await sentMail(mailTo(first, { contactId: id }))]
    await receive(event(ids[0]!, dayBucket(ids[0]!), 'Reject', first))
    await api.alice.patch(`/v1/contacts/${id}`, { email: second })
    await api.alice.patch(`/v1/contacts/${id}`, { email: input.email, phone: input.phone })
    // The address is mailed still, now and six days ago.
    ids.push(await sentMail(mailTo(first)), await sentMail(mailTo(second)))
    const lastWeek = Date.now() - 6 * 86_400_000
    await createPartitions(sql, lastWeek)
    const bucket = bucketStart(lastWeek)
    const early = { organizationId, bucket, connectionId, source: 'transactional', state: 'sent' }
    await insertMail(sql, { ...early, id: bucket, status: 'sent', recipient: second })
    await suppressAll([first, second])
    await keepAside({ body: { unread: `{"to": "${second}` }, error: 'invalid_json' })
    await sql`
      insert into idempotency_keys (organization_id, key, fingerprint, status, answer)
      values
        (${organizationId}, ${`sync ${second}`}, ${Buffer.alloc(32)}, 200, '{}'),
        (${organizationId}, ${uuidv7()}, ${Buffer.alloc(32)}, 200,
          ${JSON.stringify({ errors: [`${first} is not valid`] })})`
    const importId = await reported([
      { email: second },
      { phone: `${phone.slice(0, 3)} ${phone.slice(3)}` },
    ])

    const erasureId = await erase(id)
    await erased(erasureId)
    expect(speakingOf(await dumpRows(api.admin), [...person.words, phone, phone.slice(3)])).toEqual(
      [],
    )
    expect(await recordsOf(importId)).toEqual(['{}', '{}'])
    for (const mailId of [...ids, bucket]) {
      expect(await mailRow(mailId)).toMatchObject({ recipient: null, state: 'sent' })
    }
    // Each of them is still not mailed, for the reason that it was not.
    for (const email of [first, second]) {
      const address = addressed(api.deps.keyring, organizationId, email)
      const listed = await suppressions.lookUp(sql, organizationId, [address])
      expect(listed(address)).toBe('bounced')
    }
  })

  it('leaves an address that is another contact’s by now, and longer ones that end alike', async () => {
    const person = stranger()
    const { mark, input } = person
    const { organizationId } = api.alice
    const handedOn = `office-${mark}@shop.example`
    const others = [
      `jo${input.email}`,
      `jo.${input.email}`,
      `jo+${input.email}`,
      `${input.email}.org`,
    ]
    const id = await create(api.alice, { ...input, email: handedOn })
    await api.alice.patch(`/v1/contacts/${id}`, { email: input.email })
    const heir = await create(api.alice, { email: handedOn })
    const deleted = await create(api.alice, { email: `deleted-${handedOn}` })
    await sql`update contacts set email = null, phone = '+4930123' where id = ${heir}`
    await sql`update contacts set email = ${handedOn} where id = ${deleted}`
    await sql`delete from contacts where id = ${deleted}`
    await sql`update contacts set email = ${handedOn} where id = ${heir}`
    const theirs: string[] = []
    for (const email of [handedOn, ...others]) theirs.push(await sentMail(mailTo(email)))
    const early = { organizationId, connectionId, source: 'transactional', state: 'sent' }
    const ofDeleted = uuidv7()
    await insertMail(sql, {
      ...early,
      bucket: dayBucket(ofDeleted),
      id: ofDeleted,
      contactId: deleted,
      recipient: handedOn,
      status: 'sent',
    })
    for (const email of [handedOn, ...others]) {
      await keepAside({ body: { unread: `{"to": "${email}` }, error: 'invalid_json' })
    }
    await sql`
      insert into idempotency_keys (organization_id, key, fingerprint, status, answer)
      select ${organizationId}, 'sync ' || email, ${Buffer.alloc(32)}, 200,
        jsonb_build_object('email', email)::text
      from unnest(${[handedOn, ...others]}::text[]) as email`
    const importId = await reported([handedOn, ...others].map((email) => ({ email })))
    await suppressAll([handedOn, ...others])
    const speaking = async () =>
      speakingOf(await dumpRows(api.admin), [handedOn, ...others]).filter(
        (row) => !row.startsWith('erasures ') && !row.includes(id),
      )
    const before = await speaking()
    // A contact, three rows of each mail, and what was kept aside, answered, reported, listed.
    expect(before.length).toBeGreaterThan(6 * (others.length + 1))

    await erased(await erase(id))
    expect(await speaking()).toEqual(before)
    for (const mailId of [...theirs, ofDeleted]) {
      expect((await mailRow(mailId))?.['recipient']).not.toBeNull()
    }
    expect(await recordsOf(importId)).not.toContain('{}')
  })

  it('finds the logs of who was deleted and made again with the same address', async () => {
    const person = stranger()
    const { email } = person.input
    const first = await create(api.alice, person.input)
    const batch = await createBatch(api.alice)
    await until(
      async () => (await api.alice.get(`/v1/batch/${batch.id}`)).body.status === 'completed',
    )
    await sql`delete from contacts where id = ${first}`
    expect(speakingOf(await dumpRows(api.admin), [email]).length).toBeGreaterThan(0)
    const id = await create(api.alice, person.input)
    await erased(await erase(id))
    const rows = await dumpRows(api.admin)
    expect(speakingOf(rows, person.words)).toEqual([])
    const remembered = rows.filter((row) => row.startsWith('former_addresses '))
    expect(speakingOf(remembered, [first, id])).toEqual([])
  })

  it('empties mail that another program sent them, and waits for events that tell of it', async () => {
    const { input, words } = stranger()
    const id = await create(api.alice, input)
    const told = (messageId: string) => ({
      detail: {
        eventType: 'Bounce',
        mail: { timestamp: new Date().toISOString(), messageId, destination: [input.email] },
        bounce: {
          bounceType: 'Permanent',
          bouncedRecipients: [{ emailAddress: input.email }],
          feedbackId: `about ${input.email}`,
        },
      },
    })
    const messageId = uuidv7()
    await receive(told(messageId))
    const rows = () => sql<{ recipient: string | null }[]>`
      select recipient from messages
      where organization_id = ${api.alice.organizationId} and source = 'external'`
    expect(await rows()).toEqual([{ recipient: input.email }])
    // It waits for a call that is open.
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body, look_at)
      values (${api.alice.organizationId}, ${connectionId}, ${uuidv7()},
        ${sql.json(told(uuidv7()))}, now() + interval '1 hour')`
    const erasureId = await erase(id)
    await until(async () => (await rows()).every(({ recipient }) => recipient === null))
    await sleep(1_000)
    expect(await statusOf(erasureId)).toBe('running')
    await sql`update inbound_events set look_at = now() - interval '1 second' where applied_at is null`
    await erased(erasureId)
    expect(await rows()).toEqual([{ recipient: null }, { recipient: null }])
    // Another event of such a mail brings nothing back.
    await receive(told(messageId))
    expect(await rows()).toHaveLength(2)
    expect(speakingOf(await dumpRows(api.admin), words)).toEqual([])
  })

  it('waits for the mail that is on its way, and empties it then', async () => {
    const person = stranger()
    const { organizationId } = api.alice
    const id = await create(api.alice, person.input)
    const mail = mailTo(person.input.email, { contactId: id })
    const claimId = uuidv7()
    const bucket = dayBucket(mail.id)
    await insertMail(sql, { ...mail, bucket, state: 'claimed', status: 'pending', claimId })
    const erasureId = await erase(id)
    await until(async () => {
      const [row] = await sql<{ past: boolean }[]>`
        select horizon is not null as past from erasures where id = ${erasureId}`
      return row?.past === true
    })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await statusOf(erasureId)).toBe('running')
    expect(await mailRow(mail.id)).toMatchObject({ state: 'claimed', recipient: mail.recipient })

    await recordResults(sql, { organizationId, bucket, claimId, batchId: null }, [
      { id: mail.id, outcome: 'failed', reason: 'refused', error: `${mail.recipient} is refused` },
    ])
    await erased(erasureId)
    expect(await mailRow(mail.id)).toMatchObject({ state: 'failed', recipient: null, error: null })
    expect(speakingOf(await dumpRows(api.admin), person.words)).toEqual([])
  })

  it('is found by a freeze that had read the contact before, and waits for it', async () => {
    const person = stranger()
    const { organizationId } = api.alice
    const id = await create(api.alice, person.input)
    let written: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      written = resolve
    })
    let begun: () => void = () => {}
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve
    })
    const mail = mailTo(person.input.email, { contactId: id })
    const slow = sql.begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      begun()
      await gate
      await tx`
        insert into messages (organization_id, bucket, id, dedupe_key, source, batch_id,
          connection_id, contact_id, recipient)
        values (${organizationId}, ${dayBucket(mail.id)}, ${mail.id}, ${id}, 'batch', ${uuidv7()},
          ${connectionId}, ${id}, ${mail.recipient})`
    })
    await hasBegun
    const erasureId = await erase(id)
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    expect(await statusOf(erasureId)).toBe('running')
    written()
    await slow
    await erased(erasureId)
    expect(await mailRow(mail.id)).toMatchObject({ recipient: null, contactId: null })
    expect(speakingOf(await dumpRows(api.admin), person.words)).toEqual([])
  })

  it('leaves the queued row of a batch to the claim, which skips and counts it', async () => {
    const person = stranger()
    const { organizationId } = api.alice
    const id = await create(api.alice, person.input)
    const batch = await createBatch(api.alice, { scheduledFor: '2099-01-01T00:00:00.000Z' })
    const bucket = batchBucket()
    await freeze(sql, batch.id, bucket, 1)
    const row = { organizationId, bucket, id: batchRowId(bucket, 0), connectionId }
    await insertMail(sql, {
      ...row,
      batchId: batch.id,
      contactId: id,
      recipient: person.input.email,
    })
    await erased(await erase(id))
    expect(await mailRow(row.id)).toMatchObject({ state: 'queued', recipient: null })
    const claimed = await claimRange(sql, {
      ...row,
      batchId: batch.id,
      attempt: 1,
      claimId: uuidv7(),
      from: batchRowId(bucket, 0),
      to: batchRowId(bucket, 10),
      limit: 10,
    })
    expect(claimed).toMatchObject({ live: true, skipped: 1, recipients: [] })
    expect(await mailRow(row.id)).toMatchObject({ state: 'skipped', reason: 'contact_deleted' })
    expect((await api.alice.get(`/v1/batch/${batch.id}`)).body).toMatchObject({ skipped: 1 })
  })

  it('goes on where it was when its worker is lost between two pages', async () => {
    const person = stranger()
    const id = await create(api.alice, person.input)
    const ids = Array.from({ length: 300 }, () => uuidv7())
    await sql`
      insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
        contact_id, recipient, state, status)
      select ${api.alice.organizationId}, ${dayBucket(ids[0]!)}, id, id, 'transactional',
        ${connectionId}, ${id}, ${person.input.email}, 'sent', 'sent'
      from unnest(${ids}::uuid[]) as id`
    const left = async () => {
      const [row] = await sql<{ left: number }[]>`
        select count(*) as left from messages where contact_id = ${id}`
      return row?.left ?? 0
    }
    const erasureId = await erase(id)
    // Without a pause: on a busy machine it would be over at the next look.
    while ((await left()) === 300);
    await engine.stop()
    const stopped = await left()
    engine = await startEngine({
      databaseUrl: api.databaseUrl,
      mailer,
      keyring: api.deps.keyring,
      erasurePage: 2,
      namespace: engine.namespace,
    })
    await erased(erasureId)
    expect(stopped).toBeGreaterThan(0)
    expect(await left()).toBe(0)
    const { body } = await api.alice.get(`/v1/erasures/${erasureId}`)
    expect(body.mails).toBe(300)
  })

  it('has nothing in any history of Temporal but ids', async () => {
    const person = stranger()
    const former = `former-${person.mark}@old.example`
    const id = await create(api.alice, { ...person.input, email: former })
    await sentMail(mailTo(former, { contactId: id }))
    await api.alice.patch(`/v1/contacts/${id}`, { email: person.input.email })
    await sentMail(mailTo(person.input.email))
    const erasureId = await erase(id)
    await erased(erasureId)
    const texts: string[] = []
    for await (const { workflowId, runId } of engine.client.workflow.list()) {
      const handle = engine.client.workflow.getHandle(workflowId, runId)
      texts.push(JSON.stringify([await handle.fetchHistory(), await handle.describe()], legible))
    }
    const erasure = engine.client.workflow.getHandle(eraseWorkflowId(erasureId))
    texts.push(JSON.stringify(await erasure.fetchHistory(), legible))
    expect(speakingOf(texts, [erasureId]).length).toBeGreaterThan(0)
    expect(speakingOf(texts, person.words)).toEqual([])
    const outbox = await sql<{ text: string }[]>`select outbox::text as text from outbox`
    const payloads = outbox.map((row) => row.text)
    expect(speakingOf(payloads, [erasureId]).length).toBe(1)
    expect(speakingOf(payloads, person.words)).toEqual([])
  })
})

/** Puts addresses on the suppression list, as bounces do. */
async function suppressAll(emails: readonly string[]): Promise<void> {
  const { organizationId } = api.alice
  const requests = emails.map((email) => ({
    address: addressed(api.deps.keyring, organizationId, email),
    status: 'bounced' as const,
    source: 'event' as const,
  }))
  await transact(sql, (tx) => consent.suppress(tx, organizationId, requests))
}

/** The report of an import that refused these rows; returns the import's id. */
async function reported(records: readonly object[]): Promise<string> {
  const importId = uuidv7()
  await sql`
    insert into imports (organization_id, id, format, on_duplicate, dry_run, may_lift)
    values (${api.alice.organizationId}, ${importId}, 'csv', 'update', false, false)`
  await sql`
    insert into import_errors (organization_id, import_id, row, message, record)
    select ${api.alice.organizationId}, ${importId}, row, 'jobTitle is too long', record
    from unnest(${records.map((each) => JSON.stringify(each))}::text[]) with ordinality
      as given (record, row)`
  return importId
}

async function recordsOf(importId: string): Promise<string[]> {
  const rows = await sql<{ record: string }[]>`
    select record from import_errors where import_id = ${importId} order by row`
  return rows.map(({ record }) => record)
}

/** Bytes as the text they are. */
function legible(_key: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return typeof value === 'bigint' ? String(value) : value
}
