import { afterAll, beforeAll, expect, test } from 'vitest'
import { openContent } from '../../src/core/content/mail-content.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'

let api: Api
let templateId: string
beforeAll(async () => {
  api = await startApi()
  await connectAccount(api.alice)
  const { body } = await api.alice.post('/v1/templates', {
    name: 'News',
    subject: 'News for {{ contact.firstName }}',
    source: '<p>{{ contact.firstName }}, read on</p>',
  })
  templateId = body.id
})
afterAll(() => api.close())

const send = (more: object = {}) =>
  api.alice.post(`/v1/templates/${templateId}/test`, {
    to: ['editor@example.com'],
    from: 'Example News <news@example.com>',
    ...more,
  })

async function said(id: string) {
  const [row] = await api.sql<{ sealed: Buffer }[]>`
    select sealed from transactional_mails where id = ${id}`
  return openContent(api.deps.keyring, api.alice.organizationId, id, row?.sealed ?? Buffer.of())
}

test('each address gets the mail of a contact, marked as a test', async () => {
  const { id: contactId } = await createContact(api.alice, {
    email: 'grace@example.com',
    firstName: 'Grace',
  })
  const to = ['editor@example.com', ' Boss@Example.com ', 'EDITOR@example.com']
  const { status, body } = await send({ to, contactId })
  expect([status, body]).toEqual([
    202,
    {
      subject: '[Test] News for Grace',
      mails: ['editor@example.com', 'boss@example.com'].map((address) => ({
        id: expect.any(String),
        to: address,
        status: 'queued',
      })),
    },
  ])
  const mail = await said(body.mails[0].id)
  expect(mail).toMatchObject({
    from: 'Example News <news@example.com>',
    subject: '[Test] News for Grace',
    html: expect.stringContaining('<p>Grace, read on</p>'),
    // Nothing to unsubscribe from: it is no mail to a contact.
    headers: [],
  })
  // Who gets the test sees the whole mail, and unsubscribes nobody.
  expect(mail?.html).toContain('https://mail.example.com/unsubscribe/preview')
  const { body: email } = await api.alice.get(`/v1/email/${body.mails[0].id}`)
  expect(email).toMatchObject({ templateId, subject: '[Test] News for Grace', bodyKeptUntil: null })
})

test('a test by a key that may not read contacts contains no contact’s address or number', async () => {
  const { body: template } = await api.alice.post('/v1/templates', {
    name: 'Private',
    subject: 'For {{ contact.firstName }}',
    source: '<p>{{ contact.email }} {{ contact.phone }}</p>',
  })
  const person = { email: 'mary@hidden.example', phone: '+4915187654399', firstName: 'Mary' }
  const { id: contactId } = await createContact(api.alice, person)
  const sender = await api.client(api.alice.organizationId, ['send'])
  const { status, body } = await sender.post(`/v1/templates/${template.id}/test`, {
    contactId,
    to: ['editor@example.com'],
    from: 'news@example.com',
  })
  expect(status).toBe(202)
  const mail = await said(body.mails[0].id)
  expect(mail?.html).toContain('m•••@h•••••.example')
  expect(JSON.stringify(mail)).not.toMatch(/mary@|15187654399/)
})

test('a test is not counted as a mail to the contact with the address', async () => {
  await createContact(api.alice, { email: 'reader@example.com', emailStatus: 'unsubscribed' })
  const { body } = await send({ to: ['reader@example.com'] })
  expect(body.mails[0].status).toBe('queued')
  const [row] =
    await api.sql`select contact_id, source from messages where id = ${body.mails[0].id}`
  expect(row).toEqual({ contactId: null, source: 'transactional' })
})

test('a suppressed address is not mailed', async () => {
  await api.alice.post('/v1/suppressions', { email: 'gone@example.com', reason: 'bounced' })
  const { body } = await send({ to: ['gone@example.com', 'here@example.com'] })
  expect(body.mails.map(({ status }: { status: string }) => status)).toEqual([
    'suppressed',
    'queued',
  ])
})

test('a test that cannot be sent is refused as a whole and leaves nothing', async () => {
  const count = async () => (await api.sql`select count(*)::int as n from messages`)[0]?.['n']
  const before = await count()
  const six = Array.from({ length: 6 }, (_, n) => `a${n}@example.com`)
  const refusals = [
    [await send({ to: six }), 'to'],
    [await send({ to: [] }), 'to'],
    [await send({ to: ['nobody'] }), 'to[0]'],
    [await send({ from: 'news' }), 'from'],
    [await send({ cloudAccountId: '0199c2f4-7d1e-7a60-9c1b-2f6d1f0b7a11' }), 'cloudAccountId'],
    [await send({ contact: {} }), 'variables'],
    [await send({ contactId: 'x' }), 'contactId'],
  ] as const
  for (const [{ status, body }, path] of refusals) {
    expect([path, status, body.details?.[0]?.path]).toEqual([
      path,
      expect.toSatisfy((code: number) => code === 400 || code === 422),
      path,
    ])
  }
  const stranger = await api.charlie.post(`/v1/templates/${templateId}/test`, {
    to: ['a@example.com'],
    from: 'a@example.com',
  })
  expect(stranger.status).toBe(403)
  expect(await count()).toBe(before)
})

test('a key that may only read sends no test', async () => {
  const reader = await api.client(api.alice.organizationId, ['read'])
  const { status } = await reader.post(`/v1/templates/${templateId}/test`, {
    to: ['a@example.com'],
    from: 'news@example.com',
  })
  expect(status).toBe(403)
})
