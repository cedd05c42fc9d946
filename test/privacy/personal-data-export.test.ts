import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as consent from '../../src/core/consent/email-status.ts'
import { enqueue } from '../../src/store/mails/enqueue-mails.ts'
import { transact } from '../../src/store/db/sql.ts'
import { type Api, connectAccount, createContact, insertMail, startApi } from '../support/api.ts'
import { seedExecution } from '../support/flow-steps.ts'
import { importFile } from '../support/imports.ts'

let api: Api
let connectionId: string

beforeAll(async () => {
  api = await startApi()
  ;({ connectionId } = await connectAccount(api.alice))
})
afterAll(() => api.close())

test('the export has all that is held about the contact, and nothing of anybody else', async () => {
  const { organizationId } = api.alice
  const email = 'ada@example.com'
  const { id } = await createContact(api.alice, {
    email,
    externalId: 'ada-1',
    firstName: 'Ada',
    properties: { plan: 'pro' },
  })
  const other = await createContact(api.alice, { email: 'bob@example.com' })
  const bucket = dayBucket(uuidv7())
  const mail = { organizationId, bucket, connectionId, state: 'sent', status: 'sent' }
  const batchId = uuidv7()
  const broadcast = uuidv7()
  await insertMail(api.sql, { ...mail, id: broadcast, batchId, contactId: id, recipient: email })
  await insertMail(api.sql, {
    ...mail,
    id: uuidv7(),
    batchId,
    contactId: other.id,
    recipient: 'bob@example.com',
  })
  const token = 'A'.repeat(96)
  const actsForAda = `https://mail.example.com/confirm/${token}`
  const receipt = uuidv7()
  const unnamed = uuidv7()
  for (const [mailId, contactId] of [[receipt, id] as const, [unnamed, undefined] as const]) {
    await enqueue(api.sql, {
      organizationId,
      id: mailId,
      source: 'transactional',
      connectionId,
      ...(contactId === undefined ? {} : { contactId }),
      recipient: email,
      from: 'shop@example.com',
      subject: 'Your receipt',
      text: `Thank you, Ada: ${actsForAda}`,
      headers: [{ name: 'List-Unsubscribe', value: `<${actsForAda}>` }],
    })
  }
  await api.sql`
    insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
    values (${organizationId}, ${bucket}, ${broadcast}, 'open', ${Buffer.alloc(16)},
      '2026-11-21T10:00:00.000Z', jsonb_build_object('link', ${actsForAda}::text))`
  const topicId = uuidv7()
  await api.sql`
    insert into topics (organization_id, id, name, slug)
    values (${organizationId}, ${topicId}, 'News', 'news')`
  await api.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    values (${organizationId}, ${id}, ${topicId}, 'subscribed')`
  await api.sql`
    insert into contact_stats (organization_id, contact_id, emails_sent)
    values (${organizationId}, ${id}, 7)`
  const steps = { organizationId, stepId: 'hook', visit: 1, position: 1, type: 'webhook' }
  for (const contactId of [id, other.id]) {
    const data = { note: contactId }
    const execution = await seedExecution(api.sql, api.alice, { contactId, steps: [], data })
    const step = { ...steps, executionId: execution.id, status: 'completed', result: { ok: true } }
    await api.sql`insert into execution_steps ${api.sql(step)}`
    for (const name of ['bought', 'left']) {
      await api.sql`insert into events ${api.sql({
        organizationId,
        id: uuidv7(),
        contactId,
        name,
        properties: data,
        occurredAt: '2026-11-21T10:00:00.000Z',
      })}`
    }
  }
  const address = addressed(api.deps.keyring, organizationId, email)
  await transact(api.sql, (tx) =>
    consent.suppress(tx, organizationId, [{ address, status: 'bounced', source: 'event' }]),
  )

  const { status, headers, body, text } = await api.alice.get(`/v1/contacts/${id}/export`)
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  })
  expect(body).toMatchObject({
    contact: { id, email, externalId: 'ada-1', firstName: 'Ada', properties: { plan: 'pro' } },
    stats: { emailsSent: 7 },
    topics: [{ topicId, topicName: 'News', status: 'subscribed' }],
    suppression: { reason: 'bounced', source: 'event', address: email },
    consentEvents: [{ kind: 'bounced', source: 'event' }],
    auditEvents: [{ action: 'contact.exported', actorKind: 'key' }],
    events: [
      { name: 'bought', properties: { note: id }, occurredAt: '2026-11-21T10:00:00.000Z' },
      { name: 'left', properties: { note: id } },
    ],
    executions: [
      {
        workflowName: 'Welcome',
        status: 'active',
        data: { note: id },
        steps: [{ stepId: 'hook', status: 'completed', result: { ok: true } }],
      },
    ],
  })
  expect([body.events.length, body.executions.length]).toEqual([2, 1])
  expect(body.mails.map((each: { id: string }) => each.id)).toEqual([broadcast, receipt, unnamed])
  expect(body.mails[0].events).toEqual([
    {
      type: 'open',
      occurredAt: '2026-11-21T10:00:00.000Z',
      data: { link: 'https://mail.example.com/confirm/preview' },
    },
  ])
  expect(body.mails[1].body).toMatchObject({
    text: 'Thank you, Ada: https://mail.example.com/confirm/preview',
    fromAddress: 'shop@example.com',
  })
  expect(text).not.toContain(token)
  expect(text).not.toContain('bob@example.com')
  // What a later migration adds to a contact is exported, too, or this fails.
  const columns = await api.sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'contacts'::regclass and attnum > 0 and not attisdropped
      and attname <> 'organization_id'`
  const named = Object.keys(body.contact).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  )
  expect(named.toSorted()).toEqual(columns.map(({ name }) => name).toSorted())
})

test('rows of reports that name the contact, and none of others whose names only hold theirs', async () => {
  const email = 'im@example.com'
  const phone = '+4915112345678'
  const { id } = await createContact(api.alice, { email, phone, externalId: '1' })
  const broken = (fields: Record<string, unknown>) => ({ ...fields, emailStatus: 'happy' })
  const ours = [
    { email: 'IM@example.com' },
    { phone },
    { externalId: '1' },
    { firstName: 'a\tim@example.com,\n' },
  ]
  const others = [
    { email: 'tim@example.com' },
    { email: "o'im@example.com" },
    { email: 'im@example.com.mx' },
    { email: 'j.im@example.com', company: '1' },
    { phone: `${phone}9` },
    { externalId: '11' },
  ]
  const file = [...ours, ...others].map((row) => JSON.stringify(broken(row))).join('\n')
  await importFile(api, api.alice, file, {}, { 'content-type': 'application/x-ndjson' })
  const { body } = await api.alice.get(`/v1/contacts/${id}/export`)
  const records: { row: number }[] = body.importErrors
  expect(records.map(({ row }) => row)).toEqual(ours.map((_, n) => n + 1))
})

test('mails to an address that the contact had before, and reports of it, until another has it', async () => {
  const { organizationId } = api.alice
  const [first, second] = ['eva@old.example.com', 'eva@older.example.com']
  const { id } = await createContact(api.alice, { email: first })
  for (const email of [second, 'eva@new.example.com']) {
    await api.alice.patch(`/v1/contacts/${id}`, { email })
  }
  await createContact(api.alice, { email: second })
  for (const recipient of [first, second, `x${first}`]) {
    await enqueue(api.sql, {
      organizationId,
      id: uuidv7(),
      source: 'transactional',
      connectionId,
      recipient,
      from: 'shop@example.com',
      subject: 'Your receipt',
      text: 'Thank you',
    })
  }
  const rows = [first, second, `x${first}`].map((email) => ({ email, emailStatus: 'happy' }))
  const file = rows.map((row) => JSON.stringify(row)).join('\n')
  await importFile(api, api.alice, file, {}, { 'content-type': 'application/x-ndjson' })
  const { body } = await api.alice.get(`/v1/contacts/${id}/export`)
  expect(body.mails.map((mail: { recipient: string }) => mail.recipient)).toEqual([first])
  const records: { row: number }[] = body.importErrors
  expect(records.map(({ row }) => row)).toEqual([1])
})

test('a contact is exported by address and external id, too, and an unknown one is 404', async () => {
  await createContact(api.alice, { email: 'cleo@example.com', externalId: 'cleo' })
  for (const id of ['cleo@example.com', 'cleo']) {
    expect((await api.alice.get(`/v1/contacts/${id}/export`)).body.contact).toMatchObject({
      externalId: 'cleo',
    })
  }
  expect((await api.alice.get('/v1/contacts/nobody/export')).status).toBe(404)
  expect((await api.charlie.get('/v1/contacts/cleo/export')).status).toBe(404)
  expect((await api.alice.get('/v1/contacts/cleo/export?by=id')).status).toBe(404)
})
