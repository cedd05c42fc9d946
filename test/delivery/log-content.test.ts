import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { batchBucket, batchRowId, dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { linksOf } from '../../src/core/content/compose.ts'
import {
  type Api,
  type Client,
  connectAccount,
  createBatch,
  createContact,
  freeze,
  insertMail,
  startApi,
} from '../support/api.ts'

let api: Api
let reader: Client
let connectionId: Uuid
beforeAll(async () => {
  api = await startApi()
  reader = await api.client(api.alice.organizationId, ['read'])
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

const detail = async (id: string, client = api.alice) => {
  const { status, body } = await client.get(`/v1/email/logs/${id}`)
  expect(status).toBe(200)
  return body
}
const reads = async () =>
  (await api.alice.get('/v1/audit-events?action=email.read')).body.data.map(
    ({ subjectId }: { subjectId: string }) => subjectId,
  )

/** A mail of a batch as it is once it was sent. */
async function sentBatch(batch: object, contactId: Uuid) {
  const { id: batchId } = await createBatch(api.alice, batch)
  const bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, 1)
  const id = batchRowId(bucket, 0)
  const { organizationId } = api.alice
  const mail = { organizationId, connectionId, bucket, id, batchId, contactId }
  await insertMail(api.sql, {
    ...mail,
    state: 'sent',
    status: 'sent',
    recipient: 'old@example.com',
  })
  await api.sql`update messages set sent_at = now(), variant = 1 where id = ${id}`
  return { id, batchId }
}

describe('mail of a batch', () => {
  test('is rendered again from its version for its recipient, for keys that may read it', async () => {
    const contact = { email: 'ada@example.com', firstName: 'Ada <3', properties: { city: 'Ulm' } }
    const { id: contactId } = await createContact(api.alice, contact)
    const { id, batchId } = await sentBatch(
      {
        subject: 'Hello {{ contact.firstName }}',
        htmlContent:
          '<p>{{ contact.firstName }} of {{ town }}, {{ contact.email }}</p><a href="{{ unsubscribeUrl }}">Leave</a>',
        variableMappings: [
          { variableName: 'town', source: { type: 'contact', field: 'properties.city' } },
        ],
      },
      contactId,
    )
    const { content, contentMissing } = await detail(id)
    expect(contentMissing).toBeNull()
    expect(content).toMatchObject({ subject: 'Hello Ada <3', origin: 'rendered_again' })
    expect(content.html).toContain('Ada &lt;3 of Ulm, old@example.com')
    expect(content.text).toContain('Ada <3 of Ulm')
    // Who reads it unsubscribes nobody.
    expect(content.html).toContain('https://mail.example.com/unsubscribe/preview')
    expect(await reads()).toEqual([id])
    expect(await detail(id, reader)).toMatchObject({ content: null, contentMissing: 'scope' })
    expect(await reads()).toEqual([id])
    expect((await api.charlie.get(`/v1/email/logs/${id}`)).status).toBe(403)

    await api.sql`update contacts set first_name = null where id = ${contactId}`
    expect(await detail(id)).toMatchObject({ content: null, contentMissing: 'render_failed' })
    await api.alice.delete(`/v1/contacts/${contactId}`)
    expect(await detail(id)).toMatchObject({ content: null, contentMissing: 'contact_gone' })
    expect(await reads()).toEqual([id])
    await api.sql`delete from batches where id = ${batchId}`
  })

  test('of a test is the content of its variant', async () => {
    const { id: contactId } = await createContact(api.alice, { email: 'eve@example.com' })
    const { id, batchId } = await sentBatch({}, contactId)
    await api.sql`
      insert into batch_variants (organization_id, batch_id, position, content_id, subject)
      select organization_id, id, 1, content_id, 'Second' from batches where id = ${batchId}`
    expect((await detail(id)).content.subject).toBe('Second')
    await api.sql`update messages set variant = 0 where id = ${id}`
    expect((await detail(id)).content.subject).toBe('News')
    await api.sql`update messages set sent_at = null where id = ${id}`
    expect(await detail(id)).toMatchObject({ content: null, contentMissing: 'not_sent' })
  })
})

describe('single mail', () => {
  async function insertSingle(source: string, said?: { html: string; text: string }) {
    const { organizationId } = api.alice
    const id = uuidv7()
    const bucket = dayBucket(id)
    const mail = { organizationId, connectionId, bucket, id, source }
    await insertMail(api.sql, { ...mail, state: 'sent', status: 'sent' })
    await api.sql`update messages set sent_at = now() where id = ${id}`
    if (said) {
      const body = {
        organizationId,
        bucket,
        id,
        fromAddress: 'a@example.com',
        subject: 'Hi',
        ...said,
      }
      await api.sql`insert into message_bodies ${api.sql(body)}`
    }
    return id
  }

  test('of workflows and confirmations is shown as it was sent, with disabled links', async () => {
    const { organizationId } = api.alice
    const mailed = {
      organizationId,
      contactId: uuidv7(),
      email: 'a@example.com',
      topicId: uuidv7(),
    }
    const { unsubscribeUrl, preferencesUrl } = linksOf(api.deps, mailed, Date.now())
    const confirmUrl = unsubscribeUrl.replace('unsubscribe', 'confirm')
    const html = `<a href="${unsubscribeUrl}">x</a> <a href="https://r.example/?to=${encodeURIComponent(preferencesUrl)}">y</a> <a href="https://example.com/unsubscribe/how">z</a>`
    const id = await insertSingle('workflow', { html, text: `Yes: ${confirmUrl} or not` })
    const origin = 'https://mail.example.com'
    expect((await detail(id)).content).toEqual({
      subject: 'Hi',
      html: `<a href="${origin}/unsubscribe/preview">x</a> <a href="https://r.example/?to=${encodeURIComponent(`${origin}/preferences/preview`)}">y</a> <a href="https://example.com/unsubscribe/how">z</a>`,
      text: `Yes: ${origin}/confirm/preview or not`,
      origin: 'kept',
    })
    await api.sql`delete from message_bodies where id = ${id}`
    expect(await detail(id)).toMatchObject({ content: null, contentMissing: 'not_kept' })
  })

  test('of the API is shown while it is stored, and other programs’ mail is not', async () => {
    const mail = {
      from: 'a@example.com',
      to: 'b@example.com',
      subject: 'Receipt',
      text: 'Thank you',
    }
    const kept = (await api.alice.post('/v1/email/send', mail)).body.id
    const gone = (await api.alice.post('/v1/email/send', { ...mail, retainBody: false })).body.id
    expect(await detail(kept)).toMatchObject({ content: null, contentMissing: 'not_sent' })
    await api.sql`update messages set sent_at = now() where id in (${kept}, ${gone})`
    expect((await detail(kept)).content).toEqual({
      subject: 'Receipt',
      html: null,
      text: 'Thank you',
      origin: 'kept',
    })
    expect(await detail(gone)).toMatchObject({ content: null, contentMissing: 'not_kept' })
    const external = await insertSingle('external')
    expect(await detail(external)).toMatchObject({ content: null, contentMissing: 'not_ours' })
  })
})

test('the first thousand events of a long timeline are shown', async () => {
  const { organizationId } = api.alice
  const id = uuidv7()
  const bucket = dayBucket(id)
  await insertMail(api.sql, { organizationId, connectionId, bucket, id, source: 'workflow' })
  const insert = (from: number, to: number) => api.sql`
    insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
    select ${organizationId}, ${bucket}, ${id}, 'open', decode(md5(n::text), 'hex'),
      '2026-11-21T00:00:00Z'::timestamptz + n * interval '1 second', '{}'
    from generate_series(${from}::int, ${to}::int) n`
  await insert(1, 1_000)
  expect(await detail(id)).toMatchObject({ eventsTruncated: false })
  await insert(1_001, 1_002)
  const { events, eventsTruncated } = await detail(id)
  expect([events.length, eventsTruncated]).toEqual([1_000, true])
  expect(events.at(-1).occurredAt).toBe('2026-11-21T00:16:40.000Z')
})

test('items show when a person opened the mail and when they unsubscribed', async () => {
  const { id: contactId } = await createContact(api.alice, { email: 'items@example.com' })
  const at = '2026-11-24T10:00:00.000Z'
  const { id, batchId } = await sentBatch({}, contactId)
  await api.sql`
    update messages set human_opened_at = ${at}, unsubscribed_at = ${at} where id = ${id}`
  const { logs } = (await api.alice.get(`/v1/email/logs?batchId=${batchId}`)).body
  expect(logs).toMatchObject([{ id, openedAt: null, humanOpenedAt: at, unsubscribedAt: at }])
})
