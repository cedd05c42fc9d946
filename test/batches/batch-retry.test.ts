import { afterAll, beforeAll, expect, test } from 'vitest'
import { RENDER_TIMEOUT } from '../../src/domain/batches/breaker.ts'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import {
  type Api,
  connectAccount,
  createBatch,
  createContact,
  freeze,
  insertMail,
  startApi,
} from '../support/api.ts'
import { seedContacts } from '../support/seed.ts'

let api: Api
let connectionId: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

/** A batch whose recipients, by name, have come to this; returns its id and theirs. */
async function batchOf(
  rows: Record<string, { state: string; status?: string; reason?: string; isGone?: true }>,
  status = 'completed',
  input: object = {},
) {
  const { id } = await createBatch(api.alice, { name: 'Weekly', ...input })
  const bucket = batchBucket()
  await freeze(api.sql, id, bucket, Object.keys(rows).length)
  const contacts: Record<string, string> = {}
  for (const [seq, [name, { isGone, ...row }]] of Object.entries(rows).entries()) {
    const email = `${name}-${uuidv7()}@example.com`
    const contactId = isGone ? uuidv7() : (await createContact(api.alice, { email })).id
    contacts[name] = contactId
    const mail = { organizationId: api.alice.organizationId, connectionId, bucket, batchId: id }
    await insertMail(api.sql, {
      ...mail,
      ...row,
      status: row.status ?? row.state,
      id: batchRowId(bucket, seq),
      contactId,
    })
  }
  await api.sql`update batches set status = ${status} where id = ${id}`
  return { id, contacts, bucket }
}

const retry = (id: string) => api.alice.post(`/v1/batch/${id}/retry-failed`)

test('recipients who failed and were certainly not mailed get the same mail in a new batch', async () => {
  const { id, contacts } = await batchOf({
    sent: { state: 'sent', status: 'sent' },
    bounced: { state: 'sent', status: 'bounced' },
    rejected: { state: 'failed', reason: 'message_rejected' },
    doubtful: { state: 'failed', reason: 'unknown_outcome' },
    silent: { state: 'failed', reason: 'not_accepted' },
    deleted: { state: 'failed', reason: 'render_failed', isGone: true },
    suppressed: { state: 'skipped', status: 'suppressed', reason: 'bounced' },
  })
  const { status, body } = await retry(id)
  expect([status, body]).toMatchObject([
    201,
    {
      status: 'queued',
      subject: 'News',
      audience: { type: 'contacts', contactCount: 2 },
      totalRecipients: 2,
    },
  ])
  expect(body.id).not.toBe(id)
  const [row] = await api.sql<{ contactIds: string[] }[]>`
    select contact_ids from batches where id = ${body.id}`
  expect(row?.contactIds).toEqual([contacts['rejected'], contacts['silent']])
})

test('recipients of a test get the winner’s content in the version that was sent', async () => {
  const make = async (said: string): Promise<string> =>
    (await api.alice.post('/v1/templates', { name: said, subject: said, source: `<p>${said}</p>` }))
      .body.id
  const [own, templateId] = [await make('Own'), await make('One')]
  const abTest = {
    variants: [{ name: 'A' }, { name: 'B', templateId }],
    sharePercent: 100,
    winnerBy: 'manual',
  }
  const failed = { state: 'failed', reason: 'message_rejected' }
  await seedContacts(api.sql, api.alice.organizationId, 20)
  const said = { templateId: own, subject: undefined, htmlContent: undefined }
  const { id } = await batchOf({ failed }, 'completed', { ...said, abTest })
  await api.sql`update batches set ab_winner = 1, ab_decision = '{}' where id = ${id}`
  await api.alice.patch(`/v1/templates/${templateId}`, { source: '<p>Two</p>', subject: 'Two' })
  await api.alice.post(`/v1/templates/${templateId}/publish`)
  const { status, body } = await retry(id)
  expect([status, body.subject, body.templateId]).toEqual([201, 'One', templateId])
  const [content] = await api.sql`
    select html from batches join contents on contents.id = content_id where batches.id = ${body.id}`
  expect(content).toEqual({ html: '<p>One</p>' })
})

test('a batch is not retried while it is sent, nor without failed recipients', async () => {
  const { id } = await batchOf({ a: { state: 'failed', reason: 'x' } }, 'processing')
  const early = await retry(id)
  expect([early.status, early.body.reason]).toEqual([409, 'batch_not_retryable'])
  const nobody = await retry(
    (await batchOf({ a: { state: 'failed', reason: 'unknown_outcome' } })).id,
  )
  expect([nobody.status, nobody.body.reason]).toEqual([409, 'nothing_to_retry'])
  expect((await api.charlie.post(`/v1/batch/${id}/retry-failed`)).status).toBe(403)
})

test('a recipient is retried once, despite a second call, many concurrent ones and a resume', async () => {
  const failed = { state: 'failed', reason: RENDER_TIMEOUT }
  const { id, contacts } = await batchOf({ a: failed, b: failed }, 'failed')
  const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array<number>(7).fill(409),
  ])
  const refused = answers.filter(({ status }) => status === 409)
  expect(new Set(refused.map(({ body }) => body.reason))).toEqual(new Set(['nothing_to_retry']))
  const made = await api.sql<{ contactIds: string[] }[]>`
    select contact_ids from batches
    where organization_id = ${api.alice.organizationId} and contact_ids @> array[${contacts['a']!}::uuid]`
  expect(made).toEqual([{ contactIds: [contacts['a'], contacts['b']] }])
  expect((await api.alice.post(`/v1/batch/${id}/resume`)).status).toBe(200)
  expect(await api.sql`select state from messages where batch_id = ${id}`).toEqual([
    { state: 'failed' },
    { state: 'failed' },
  ])
})

test('clicks are listed by link, once each however often they were reported', async () => {
  const { id, bucket } = await batchOf({ a: { state: 'sent' }, b: { state: 'sent' } })
  const { organizationId } = api.alice
  const click = (seq: number, link: string, minute: number) => api.sql`
    insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
    values (${organizationId}, ${bucket}, ${batchRowId(bucket, seq)}, 'click',
      decode(md5(${`${seq} ${link} ${minute}`}), 'hex'), ${`2026-11-23T10:0${minute}:00.000Z`},
      ${api.sql.json({ link })})
    on conflict do nothing`
  const offer = 'https://example.com/offer'
  for (const [seq, link, minute] of [
    [0, offer, 3],
    [0, offer, 3],
    [0, offer, 1],
    [1, offer, 2],
    [1, 'https://example.com/other', 5],
    [1, `https://mail.example.com/unsubscribe/${'a'.repeat(140)}`, 6],
  ] as const) {
    await click(seq, link, minute)
  }
  const url = `/v1/batch/${id}/clicks`
  const { status, body } = await api.alice.get(url)
  expect([status, body.nextCursor]).toEqual([200, null])
  expect(body.data).toHaveLength(2)
  expect(body.data).toContainEqual({
    id: expect.any(String),
    url: offer,
    clicks: 3,
    recipients: 2,
    firstClickedAt: '2026-11-23T10:01:00.000Z',
    lastClickedAt: '2026-11-23T10:03:00.000Z',
  })
  const first = await api.alice.get(`${url}?limit=1`)
  const second = await api.alice.get(`${url}?limit=1&cursor=${first.body.nextCursor}`)
  expect([...first.body.data, ...second.body.data]).toEqual(body.data)
  expect(second.body.nextCursor).toBe(null)
  expect((await api.charlie.get(url)).status).toBe(403)
})
