import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'

let api: Api
let contactsKey: Client
beforeAll(async () => {
  api = await startApi()
  contactsKey = await api.client(api.alice.organizationId, ['contacts'])
})
afterAll(() => api.close())

const fresh = () => `ada-${uuidv7()}@example.com`
const statusOf = async (id: string) =>
  (await api.sql<{ emailStatus: string }[]>`select email_status from contacts where id = ${id}`)[0]
    ?.emailStatus
const remove = (client: Client, email: string) =>
  client.delete(`/v1/suppressions/${encodeURIComponent(email)}`)

test('suppressing an address changes the status of its contact, in this organization only', async () => {
  const email = fresh()
  const { id } = await createContact(api.alice, { email })
  const { id: theirs } = await createContact(api.charlie, { email })
  const { status, body } = await contactsKey.post('/v1/suppressions', {
    email: `  ${email.toUpperCase()} `.trim(),
  })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      channel: 'email',
      email,
      phone: null,
      reason: 'suppressed',
      source: 'api',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  expect([await statusOf(id), await statusOf(theirs)]).toEqual(['suppressed', 'active'])
  expect((await api.charlie.get('/v1/suppressions')).body.data).toEqual([])
})

test('a reason that is absent means never; one that is given holds', async () => {
  for (const [reason, expected] of [
    [undefined, 'suppressed'],
    ['unsubscribed', 'unsubscribed'],
    ['bounced', 'bounced'],
    ['complained', 'complained'],
  ]) {
    const email = fresh()
    const { body } = await api.alice.post('/v1/suppressions', { email, reason })
    expect(body.reason).toBe(expected)
  }
})

test('again it only gets worse, never better', async () => {
  const email = fresh()
  const { id } = await createContact(api.alice, { email })
  const put = async (reason: string) => {
    const { status, body } = await contactsKey.post('/v1/suppressions', { email, reason })
    return [status, body.reason, await statusOf(id)]
  }
  expect(await put('bounced')).toEqual([201, 'bounced', 'bounced'])
  expect(await put('unsubscribed')).toEqual([200, 'bounced', 'bounced'])
  expect(await put('complained')).toEqual([200, 'complained', 'complained'])
  const found = await api.alice.get(`/v1/suppressions?email=${encodeURIComponent(email)}`)
  expect(found.body.data).toHaveLength(1)
})

test.each([
  [{ email: 'nobody' }, 422],
  [{}, 400],
  [{ email: 'a@example.com', phone: '+4915112345678' }, 400],
  [{ email: 'a@example.com', reason: 'opted_out' }, 400],
  [{ phone: '+4915112345678', reason: 'bounced' }, 400],
  [{ phone: 'nobody' }, 400],
  [{ email: 'a@example.com', reason: 'active' }, 422],
  [{ email: 'a@example.com', source: 'link' }, 422],
])('%j is refused', async (body, status) => {
  expect((await api.alice.post('/v1/suppressions', body)).status).toBe(status)
})

test('the list has cursors and filters, and finds an address whose text is gone', async () => {
  const client = await api.client(api.charlie.organizationId, ['read'])
  const emails = Array.from({ length: 5 }, fresh)
  for (const [index, email] of emails.entries()) {
    await api.charlie.post('/v1/suppressions', {
      email,
      reason: index === 2 ? 'bounced' : 'unsubscribed',
    })
  }
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await client.get(`/v1/suppressions?limit=2${query}`)
    seen.push(...body.data.map((each: { email: string }) => each.email))
    cursor = body.nextCursor
  }
  expect(seen).toEqual(emails.toReversed())
  const bounced = await client.get('/v1/suppressions?reason=bounced')
  expect(bounced.body.data.map((each: { email: string }) => each.email)).toEqual([emails[2]])
  await api.sql`update suppressions set address = null where address = ${emails[1]!}`
  const erased = await client.get(
    `/v1/suppressions?email=${encodeURIComponent(emails[1]!.toUpperCase())}`,
  )
  expect(erased.body.data).toEqual([
    expect.objectContaining({ email: null, reason: 'unsubscribed' }),
  ])
  const foreign = await client.get('/v1/suppressions?limit=1')
  const wrong = `/v1/suppressions?reason=bounced&cursor=${foreign.body.nextCursor}`
  expect((await client.get(wrong)).status).toBe(400)
  expect((await client.get('/v1/suppressions?why=1')).status).toBe(400)
})

test('removing an entry leaves the contact as it is, and is audited without the address', async () => {
  const email = fresh()
  const { id } = await createContact(api.alice, { email })
  const { body: entry } = await api.alice.post('/v1/suppressions', { email })
  expect((await remove(api.charlie, email)).status).toBe(404)
  const answer = await remove(contactsKey, email.toUpperCase())
  expect([answer.status, answer.body]).toEqual([200, { success: true }])
  expect(await statusOf(id)).toBe('suppressed')
  expect((await remove(contactsKey, email)).status).toBe(404)
  const rows = await api.sql`
    select actor_id, subject_kind, subject_id, detail
    from audit_events
    where action = 'suppression.removed'`
  expect(rows).toEqual([
    {
      actorId: contactsKey.keyId,
      subjectKind: 'suppression',
      subjectId: entry.id,
      detail: { reason: 'suppressed' },
    },
  ])
})

test.each(['complained', 'suppressed'])(
  'only the full scope takes off an address that the provider calls %s',
  async (reason) => {
    const email = fresh()
    const { body: entry } = await api.alice.post('/v1/suppressions', { email, reason })
    await api.sql`update suppressions set source = 'event' where id = ${entry.id}`
    const refused = await remove(contactsKey, email)
    expect([refused.status, refused.body.reason]).toEqual([403, 'insufficient_scope'])
    const found = await api.alice.get(`/v1/suppressions?email=${encodeURIComponent(email)}`)
    expect(found.body.data).toHaveLength(1)
    expect((await remove(api.alice, email)).status).toBe(200)
  },
)

test('an address suppressed by the API can be removed, unless it complained', async () => {
  for (const [reason, status] of [
    ['suppressed', 200],
    ['complained', 403],
  ] as const) {
    const email = fresh()
    await contactsKey.post('/v1/suppressions', { email, reason })
    expect((await remove(contactsKey, email)).status).toBe(status)
  }
})

test('fifty at once make one entry, and one of them gets 201', async () => {
  const email = fresh()
  const { id } = await createContact(api.alice, { email })
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => contactsKey.post('/v1/suppressions', { email })),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(49)
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await statusOf(id)).toBe('suppressed')
})

let numbers = 0
const newNumber = () => `+49151${20_000_000 + ++numbers}`
const smsStatusOf = async (id: string) =>
  (await api.sql<{ smsStatus: string }[]>`select sms_status from contacts where id = ${id}`)[0]
    ?.smsStatus

test('a number that opts out takes its contact along, in this organization only', async () => {
  const phone = newNumber()
  const consent = { phone, smsStatus: 'opted_in' }
  const { id } = await createContact(api.alice, consent)
  const { id: theirs } = await createContact(api.charlie, consent)
  const { status, body } = await contactsKey.post('/v1/suppressions', { phone })
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      channel: 'sms',
      email: null,
      phone,
      reason: 'opted_out',
      source: 'api',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  expect([await smsStatusOf(id), await smsStatusOf(theirs)]).toEqual(['opted_out', 'opted_in'])
  const again = await contactsKey.post('/v1/suppressions', { phone, reason: 'invalid' })
  expect([again.status, again.body.reason]).toEqual([200, 'opted_out'])
})

test('numbers are listed apart from addresses, by their reason or one by one', async () => {
  const phones = [newNumber(), newNumber()]
  for (const [index, phone] of phones.entries()) {
    await api.charlie.post('/v1/suppressions', { phone, reason: index ? 'invalid' : 'opted_out' })
  }
  const listed = async (query: string) => {
    const { body } = await api.charlie.get(`/v1/suppressions?${query}`)
    return body.data.map(({ phone }: { phone: string }) => phone)
  }
  expect(await listed('channel=sms&limit=2')).toEqual(phones.toReversed())
  expect(await listed('channel=sms&reason=invalid')).toEqual([phones[1]])
  expect(await listed(`phone=${encodeURIComponent(phones[0]!)}`)).toEqual([phones[0]])
  const { body } = await api.charlie.get('/v1/suppressions?limit=100')
  expect(body.data.filter(({ channel }: { channel: string }) => channel === 'sms')).toEqual([])
  for (const query of ['channel=sms&reason=bounced', 'reason=opted_out', 'phone=nobody']) {
    expect((await api.charlie.get(`/v1/suppressions?${query}`)).status).toBe(400)
  }
})

test('an opt-out is taken off by the full scope only, and the contact keeps it', async () => {
  const phone = newNumber()
  const { id } = await createContact(api.alice, { phone, smsStatus: 'opted_out' })
  const refused = await remove(contactsKey, phone)
  expect([refused.status, refused.body.reason]).toEqual([403, 'insufficient_scope'])
  expect((await remove(api.charlie, phone)).status).toBe(404)
  expect((await remove(api.alice, phone)).status).toBe(200)
  expect(await smsStatusOf(id)).toBe('opted_out')
  expect((await remove(api.alice, phone)).status).toBe(404)
})
