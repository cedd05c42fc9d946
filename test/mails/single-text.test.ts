import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { forgetContents } from '../../src/store/mails/transactional-mails.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'

let api: Api
let connectionId: string
let plainId: string
beforeAll(async () => {
  api = await startApi()
  plainId = (await connectAccount(api.alice, { accountId: '210987654321' })).connectionId
  connectionId = (await connectAccount(api.alice)).connectionId
  await api.alice.post('/v1/connections', {
    accountId: '123456789012',
    region: 'eu-central-1',
    features: { sms: true },
  })
})
afterAll(() => api.close())

let count = 0
let phone = ''
beforeEach(() => {
  phone = `+1206555${String(1_000 + count++)}`
})

const reminder = (more: object = {}) => ({
  to: phone,
  senderId: 'LETTERS',
  body: 'Your code is {{ 1234 }}',
  cloudAccountId: connectionId,
  ...more,
})
const send = (more: object = {}) => api.alice.post('/v1/sms/send', reminder(more))
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const queued = (id: string) => api.sql`
  select sender, parts, send_at from text_queue where id = ${id}`

test('a text is accepted, and is no mail', async () => {
  const { id: contactId } = await createContact(api.alice, { phone })
  const { status, body } = await send({ to: ` 00${phone.slice(1)} ` })
  expect([status, body]).toEqual([202, { id: expect.any(String), status: 'queued', parts: 1 }])
  const text = await api.alice.get(`/v1/sms/${body.id}`)
  expect(text.body).toMatchObject({
    id: body.id,
    status: 'queued',
    to: phone,
    senderId: 'LETTERS',
    parts: 1,
    cloudAccountId: connectionId,
    scheduledFor: null,
    waitingForOutcome: null,
  })
  expect(await queued(body.id)).toMatchObject([{ sender: 'LETTERS', parts: 1 }])
  const [row] = await api.sql`select contact_id, subject from messages where id = ${body.id}`
  expect(row).toEqual({ contactId, subject: null })
  const inMailQueue = await api.sql`select from mail_queue where id = ${body.id}`
  expect(inMailQueue).toHaveLength(0)
  for (const path of ['', '/body']) {
    expect((await api.alice.get(`/v1/email/${body.id}${path}`)).status).toBe(404)
  }
  expect((await api.alice.post(`/v1/email/${body.id}/cancel`)).status).toBe(404)
  const moved = await api.alice.patch(`/v1/email/${body.id}`, { scheduledFor: inAnHour() })
  expect(moved.status).toBe(404)
  expect((await api.alice.get(`/v1/email/logs/${body.id}`)).status).toBe(404)
  expect(await queued(body.id)).toHaveLength(1)
})

it.each([
  ['a text without a country code', { to: '2065550199' }, 400, 'to'],
  ['a word', { to: 'somebody' }, 400, 'to'],
  ['a text of eleven parts', { body: 'x'.repeat(1_531) }, 400, 'body'],
  ['a long text in Unicode', { body: `${'x'.repeat(630)}ж` }, 400, 'body'],
  ['a text beyond the schema', { body: 'x'.repeat(1_601) }, 422, 'body'],
  ['no text', { body: '' }, 422, 'body'],
  ['no sender', { senderId: undefined }, 422, 'senderId'],
  ['a sender of two lines', { senderId: 'a\nb' }, 422, 'senderId'],
  ['a sender that is too long', { senderId: 'x'.repeat(257) }, 422, 'senderId'],
  ['a subject', { subject: 'Hello' }, 422, 'subject'],
  ['a past time', { scheduledFor: '2020-01-01T00:00:00Z' }, 400, 'scheduledFor'],
  ['a far time', { scheduledFor: '2999-01-01T00:00:00Z' }, 400, 'scheduledFor'],
  ['one of several accounts', { cloudAccountId: undefined }, 400, 'cloudAccountId'],
])('%s is refused', async (_what, more, status, path) => {
  const answer = await send(more)
  expect(answer.status).toBe(status)
  expect(answer.body.details).toMatchObject([{ path }])
})

test('an account that sends no texts is refused, and another organization’s', async () => {
  const plain = await send({ cloudAccountId: plainId })
  expect(plain).toMatchObject({ status: 400, body: { reason: 'sms_not_enabled' } })
  const { connectionId: foreign } = await connectAccount(api.charlie, { accountId: '333333333333' })
  expect((await send({ cloudAccountId: foreign })).status).toBe(403)
})

describe('a number that may not be texted', () => {
  it.each([
    ['opted_out', 'opted_out', 'opted_out'],
    ['invalid', 'suppressed', 'invalid_number'],
  ])('because it is %s is not', async (listed, status, reason) => {
    const { status: listedStatus } = await api.alice.post('/v1/suppressions', {
      phone,
      reason: listed,
    })
    expect(listedStatus).toBe(201)
    const { status: code, body } = await send()
    expect([code, body.status]).toEqual([202, status])
    expect((await api.alice.get(`/v1/sms/${body.id}`)).body).toMatchObject({ status, reason })
    expect(await queued(body.id)).toHaveLength(0)
    const [kept] = await api.sql`select sealed from transactional_mails where id = ${body.id}`
    expect(kept).toEqual({ sealed: null })
    // What one organization knows is not another's business.
    await api.charlie.post('/v1/connections', {
      accountId: '444444444444',
      region: 'eu-central-1',
      features: { sms: true },
    })
    const [account] = await api.sql<{ id: string }[]>`
      select id from connections where account_id = '444444444444'`
    const other = await api.charlie.post(
      '/v1/sms/send',
      reminder({ cloudAccountId: account?.id ?? '' }),
    )
    expect(other.body.status).toBe('queued')
  })

  test('of a contact that never opted in is texted: somebody asked for it', async () => {
    await createContact(api.alice, { phone, smsStatus: 'pending_consent' })
    expect((await send()).body.status).toBe('queued')
  })

  test('stays so after an unsubscription from mail was taken back', async () => {
    await createContact(api.alice, { phone, smsStatus: 'opted_out' })
    expect((await send()).body.status).toBe('opted_out')
  })
})

describe('a scheduled text', () => {
  test('waits, moves and is cancelled', async () => {
    const scheduledFor = inAnHour()
    const { body } = await send({ scheduledFor })
    expect(body.status).toBe('scheduled')
    expect((await api.alice.get(`/v1/sms/${body.id}`)).body).toMatchObject({ scheduledFor })
    const later = new Date(Date.parse(scheduledFor) + 60_000).toISOString()
    const moved = await api.alice.patch(`/v1/sms/${body.id}`, { scheduledFor: later })
    expect(moved).toMatchObject({ status: 200, body: { scheduledFor: later } })
    expect(await queued(body.id)).toMatchObject([{ sendAt: later }])
    const cancelled = await api.alice.post(`/v1/sms/${body.id}/cancel`)
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(await queued(body.id)).toHaveLength(0)
    expect((await api.alice.get(`/v1/sms/${body.id}/body`)).status).toBe(404)
    const again = await api.alice.post(`/v1/sms/${body.id}/cancel`)
    expect(again).toMatchObject({ status: 409, body: { reason: 'sms_not_waiting' } })
    const late = await api.alice.patch(`/v1/sms/${body.id}`, { scheduledFor: later })
    expect(late).toMatchObject({ status: 409, body: { reason: 'sms_not_waiting' } })
  })

  test('of a mail is not found here', async () => {
    const mail = await api.alice.post('/v1/email/send', {
      to: 'ada@example.com',
      from: 'shop@example.com',
      subject: 'Your receipt',
      text: 'Thanks',
      scheduledFor: inAnHour(),
      cloudAccountId: connectionId,
    })
    expect((await api.alice.get(`/v1/sms/${mail.body.id}`)).status).toBe(404)
    expect((await api.alice.post(`/v1/sms/${mail.body.id}/cancel`)).status).toBe(404)
    expect((await api.alice.get(`/v1/email/${mail.body.id}`)).body.status).toBe('scheduled')
  })
})

test('the body is kept encrypted, and read by whoever may, which is audited', async () => {
  const { body } = await send()
  const [row] = await api.sql<{ sealed: Buffer }[]>`
    select sealed from transactional_mails where id = ${body.id}`
  expect(Buffer.from(row?.sealed ?? '').toString('latin1')).not.toContain('1234')
  const read = await api.alice.get(`/v1/sms/${body.id}/body`)
  expect(read).toMatchObject({ status: 200, body: { body: 'Your code is {{ 1234 }}' } })
  const audits = await api.sql`
    select action from audit_events where subject_id = ${body.id}`
  expect([...audits]).toEqual([{ action: 'sms.read' }])
  const silent = await send({ retainBody: false })
  expect((await api.alice.get(`/v1/sms/${silent.body.id}/body`)).status).toBe(404)
  await api.sql`
    update messages set state = 'sent', status = 'sent' where id = ${silent.body.id}`
  await forgetContents(api.sql)
  const [forgotten] = await api.sql`
    select sealed from transactional_mails where id = ${silent.body.id}`
  expect(forgotten).toEqual({ sealed: null })
})

test('logs list texts, newest first, by status and number, and no mails', async () => {
  const { body: first } = await send()
  const { body: second } = await send()
  const list = async (query: string) => {
    const { body } = await api.alice.get(`/v1/sms/logs?${query}`)
    return { ids: body.logs.map(({ id }: { id: string }) => id), cursor: body.nextCursor }
  }
  const recipient = encodeURIComponent(phone)
  expect((await list(`recipient=${recipient}`)).ids).toEqual([second.id, first.id])
  const page = await list(`recipient=${recipient}&limit=1`)
  expect(page.ids).toEqual([second.id])
  expect(await list(`recipient=${recipient}&limit=1&cursor=${page.cursor}`)).toEqual({
    ids: [first.id],
    cursor: null,
  })
  await api.sql`update messages set status = 'sent', state = 'sent' where id = ${first.id}`
  expect((await list(`recipient=${recipient}&status=sent`)).ids).toEqual([first.id])
  expect((await list(`recipient=${recipient}&status=queued`)).ids).toEqual([second.id])
  const { logs } = (await api.alice.get('/v1/sms/logs?limit=1')).body
  expect(logs).toMatchObject([{ id: second.id, recipient: phone, senderId: 'LETTERS', parts: 1 }])
  expect((await api.alice.get('/v1/sms/logs?recipient=nobody')).status).toBe(400)
  const { body: others } = await api.charlie.get(`/v1/sms/logs?recipient=${recipient}`)
  expect(others.logs).toEqual([])
  const { body: mails } = await api.alice.get(`/v1/email/logs?recipient=${recipient}`)
  expect(mails.logs ?? []).toEqual([])
})
