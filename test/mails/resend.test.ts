import type { AddressInfo } from 'node:net'
import { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, connectAccount, startApi } from '../support/api.ts'

/*
 * The official package of Resend against the API: only its base address is another one.
 */

let api: Api
let baseUrl: string
let resend: Resend
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}/compat/resend`
  resend = new Resend(api.alice.key, { baseUrl })
})
afterAll(() => api.close())

const receipt = {
  from: 'Example Shop <shop@example.com>',
  to: 'ada@example.com',
  subject: 'Your receipt',
  html: '<p>Thank you</p>',
}
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const bodyOf = async (id: string | undefined) => (await api.alice.get(`/v1/email/${id}/body`)).body

describe('the package of Resend', () => {
  test('sends one mail, which is a single mail like any other', async () => {
    const { data, error, headers } = await resend.emails.send({
      ...receipt,
      to: ['Ada Lovelace <ada@example.com>'],
      replyTo: 'Help <help@example.com>',
      text: 'Thank you, Ada',
      headers: { 'X-Order': '42' },
      tags: [{ name: 'kind', value: 'receipt' }],
      attachments: [
        { filename: 'a.pdf', content: Buffer.from('%PDF'), contentType: 'application/pdf' },
        { filename: 'logo.png', content: 'iVBO', contentId: 'logo' },
      ],
    })
    expect(error).toBeNull()
    expect(headers?.['ratelimit-limit']).toBeDefined()
    const { body } = await api.alice.get(`/v1/email/${data?.id}`)
    expect(body).toMatchObject({
      status: 'queued',
      to: 'ada@example.com',
      from: receipt.from,
      replyTo: 'help@example.com',
      subject: 'Your receipt',
      tags: [{ name: 'kind', value: 'receipt' }],
    })
    expect(await bodyOf(data?.id)).toEqual({
      html: '<p>Thank you</p>',
      text: 'Thank you, Ada',
      headers: { 'X-Order': '42' },
      attachments: [
        { filename: 'a.pdf', contentType: 'application/pdf', contentId: null, bytes: 4 },
        { filename: 'logo.png', contentType: null, contentId: 'logo', bytes: 3 },
      ],
    })
  })

  test('shows a mail, reschedules a waiting one, and cancels it', async () => {
    const { data } = await resend.emails.send({ ...receipt, scheduledAt: inAnHour() })
    const id = data?.id ?? ''
    const shown = await resend.emails.get(id)
    expect(shown.data).toEqual({
      object: 'email',
      id,
      message_id: null,
      to: ['ada@example.com'],
      from: receipt.from,
      created_at: expect.any(String),
      subject: 'Your receipt',
      html: null,
      text: null,
      cc: null,
      bcc: null,
      reply_to: null,
      tags: [],
      last_event: 'scheduled',
      scheduled_at: expect.any(String),
    })
    const later = new Date(Date.now() + 7_200_000).toISOString()
    expect((await resend.emails.update({ id, scheduledAt: later })).data).toEqual({
      object: 'email',
      id,
    })
    expect((await resend.emails.get(id)).data?.scheduled_at).toBe(later)
    expect((await resend.emails.cancel(id)).data).toEqual({ object: 'email', id })
    expect((await resend.emails.get(id)).data?.last_event).toBe('canceled')
    const again = await resend.emails.cancel(id)
    expect(again.error).toMatchObject({
      statusCode: 409,
      name: 'validation_error',
      message: 'A cancelled mail cannot be cancelled',
    })
  })

  test('sends a template with its variables', async () => {
    const { body: template } = await api.alice.post('/v1/templates', {
      name: 'Receipt',
      subject: 'Order {{ order }}',
      source: '<p>{{ order }}</p>',
      emailType: 'transactional',
      variables: [{ name: 'order' }],
    })
    const { from, to } = receipt
    const { data } = await resend.emails.send({
      from,
      to,
      template: { id: template.id, variables: { order: '<7>' } },
    })
    expect((await resend.emails.get(data?.id ?? '')).data?.subject).toBe('Order <7>')
    const missing = await resend.emails.send({ from, to, template: { id: template.id } })
    expect(missing.error).toMatchObject({ statusCode: 400, name: 'validation_error' })
    expect(missing.error?.message).not.toContain('templateId')
  })

  test('sends nothing twice with an idempotency key', async () => {
    const options = { idempotencyKey: 'receipt/7' }
    const first = await resend.emails.send(receipt, options)
    const again = await resend.emails.send(receipt, options)
    expect([again.data, again.headers?.['idempotency-replayed']]).toEqual([first.data, 'true'])
    const other = await resend.emails.send({ ...receipt, subject: 'Other' }, options)
    expect(other.error).toMatchObject({ statusCode: 422, name: 'invalid_idempotent_request' })
    const rows = await api.sql`
      select id from messages where organization_id = ${api.alice.organizationId}
        and subject in ('Other', 'Your receipt') and id = ${first.data?.id ?? ''}`
    expect(rows).toHaveLength(1)
  })

  test('sends a set whole or not at all, or only its valid mails', async () => {
    const good = await resend.batch.send([receipt, { ...receipt, to: 'grace@example.com' }])
    expect(good.data?.data.map(({ id }) => id)).toEqual([expect.any(String), expect.any(String)])
    const mixed = [receipt, { ...receipt, to: 'nobody' }, { ...receipt, cc: 'b@example.com' }]
    const count = async () => {
      const [row] = await api.sql`
        select count(*)::int as count from messages
        where organization_id = ${api.alice.organizationId}`
      return row?.['count']
    }
    const before = await count()
    const strict = await resend.batch.send(mixed)
    expect(strict.error).toMatchObject({ statusCode: 422, name: 'validation_error' })
    expect(strict.error?.message).toMatch(/^\[1\]\.to must be /)
    expect(await count()).toBe(before)
    const permissive = await resend.batch.send(mixed, { batchValidation: 'permissive' })
    expect(permissive.data).toEqual({
      data: [{ id: expect.any(String) }],
      errors: [
        { index: 1, message: expect.stringMatching(/^\[1\]\.to must be /) },
        { index: 2, message: '[2].cc is not supported: send one mail to each recipient' },
      ],
    })
  })
})

describe('a field that single mail does not have is refused by name in the shape of Resend', () => {
  const two = ['a@example.com', 'b@example.com']
  test.each([
    ['several to', { to: two }, 422, 'to', 'validation_error'],
    ['cc', { cc: 'b@example.com' }, 422, 'cc', 'validation_error'],
    ['bcc', { bcc: two }, 422, 'bcc', 'validation_error'],
    ['several reply_to', { replyTo: two }, 422, 'reply_to', 'validation_error'],
    ['a topic', { topicId: 'news' }, 422, 'topic_id', 'validation_error'],
    [
      'a remote file',
      { attachments: [{ filename: 'a', content: 'AAAA', path: 'https://example.com/a' }] },
      422,
      'attachments[0].path',
      'invalid_attachment',
    ],
    ['words for a time', { scheduledAt: 'in 1 hour' }, 422, 'scheduled_at', 'validation_error'],
    [
      'a time that is over',
      { scheduledAt: '2020-01-01T00:00:00Z' },
      400,
      'scheduled_at',
      'validation_error',
    ],
    [
      'a header of ours',
      { headers: { 'List-Id': 'x' } },
      400,
      'headers.List-Id',
      'validation_error',
    ],
    ['no sender', { from: undefined }, 422, 'from', 'missing_required_field'],
    ['a bad sender', { from: 'nobody' }, 422, 'from', 'invalid_from_address'],
    [
      'a file that is no base64',
      { attachments: [{ filename: 'a', content: '???' }] },
      400,
      'attachments[0].content',
      'invalid_attachment',
    ],
  ])('%s', async (_what, more, status, path, name) => {
    const { data, error } = await resend.emails.send({ ...receipt, ...more } as typeof receipt)
    expect(data).toBeNull()
    expect(error).toMatchObject({
      statusCode: status,
      name,
      code: status === 422 ? 'VALIDATION_FAILED' : 'BAD_REQUEST',
      requestId: expect.any(String),
    })
    expect(error?.message).toContain(path)
    expect((error as unknown as { details: object[] }).details[0]).toMatchObject({ path })
  })

  test('lists without an address count as absent', async () => {
    const { error } = await resend.emails.send({ ...receipt, cc: [], bcc: [] })
    expect(error).toBeNull()
  })
})

test('refusals of keys, scopes, paths and bodies have the shape of Resend', async () => {
  const send = (key: string) => new Resend(key, { baseUrl }).emails.send(receipt)
  expect((await send('re_wrong')).error).toMatchObject({ statusCode: 401, name: 'invalid_api_key' })
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await send(reader.key)).error).toMatchObject({
    statusCode: 403,
    name: 'restricted_api_key',
    message: 'This key lacks the scope "send"',
  })
  expect((await resend.domains.list()).error).toMatchObject({ statusCode: 404, name: 'not_found' })
  expect((await resend.emails.list()).error).toMatchObject({
    statusCode: 405,
    name: 'method_not_allowed',
  })
  const unknown = await resend.emails.get('0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11')
  expect(unknown.error).toMatchObject({ statusCode: 404, name: 'not_found' })
  const malformed = await api.app.inject({
    method: 'POST',
    url: '/compat/resend/emails',
    headers: { authorization: `Bearer ${api.alice.key}`, 'content-type': 'application/json' },
    payload: '{',
  })
  expect(malformed.json()).toMatchObject({ statusCode: 400, name: 'validation_error' })
  const anonymous = await api.app.inject({ method: 'POST', url: '/compat/resend/emails' })
  expect(anonymous.json()).toMatchObject({ statusCode: 401, name: 'missing_api_key' })
})

test('a mail to a suppressed address is a row of the log, which another organization does not see', async () => {
  await api.alice.post('/v1/suppressions', { email: 'gone@example.com', reason: 'bounced' })
  const { data } = await resend.emails.send({ ...receipt, to: 'gone@example.com' })
  expect((await resend.emails.get(data?.id ?? '')).data?.last_event).toBe('suppressed')
  const charlie = new Resend(api.charlie.key, { baseUrl })
  expect((await charlie.emails.get(data?.id ?? '')).error).toMatchObject({
    statusCode: 403,
    name: 'invalid_access',
  })
})

test('a header names one of several accounts', async () => {
  const dora = await api.client(api.charlie.organizationId, ['send'])
  const ids = []
  for (const accountId of ['111111111111', '222222222222']) {
    ids.push((await connectAccount(api.charlie, { accountId })).connectionId)
  }
  const theirs = new Resend(dora.key, { baseUrl })
  expect((await theirs.emails.send(receipt)).error?.message).toContain('x-letterloom-account')
  const headers = { 'X-Letterloom-Account': ids[1] ?? '' }
  const { data } = await theirs.emails.send(receipt, { headers })
  const { body } = await api.charlie.get(`/v1/email/${data?.id}`)
  expect(body.cloudAccountId).toBe(ids[1])
})

test('refusals of the router have the shape of Resend', async () => {
  const { status, body } = await api.alice.get(`/compat/resend/emails/${'0'.repeat(2_000)}`)
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ statusCode: 400, name: expect.any(String), message: body.error }),
  ])
})
