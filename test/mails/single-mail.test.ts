import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { forgetContents } from '../../src/store/mails/transactional-mails.ts'
import { type Api, connectAccount, createContact, startApi } from '../support/api.ts'

let api: Api
let connectionId: string
const statements: string[] = []
beforeAll(async () => {
  api = await startApi({}, { onQuery: (query) => statements.push(query) })
  connectionId = (await connectAccount(api.alice)).connectionId
})
afterAll(() => api.close())

const receipt = (more: object = {}) => ({
  to: 'ada@example.com',
  from: 'Example Shop <shop@example.com>',
  subject: 'Your receipt',
  html: '<p>Thank you for {{ this }}</p>',
  ...more,
})
const send = (more: object = {}) => api.alice.post('/v1/email/send', receipt(more))
const file = (more: object = {}) => ({
  filename: 'Rechnung Nr. 5 – 发票.pdf',
  content: Buffer.from('%PDF').toString('base64'),
  ...more,
})
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const queued = (id: string) => api.sql`select send_at from mail_queue where id = ${id}`
const suppress = (email: string, reason: string) =>
  api.alice.post('/v1/suppressions', { email, reason })
const template = async (more: object = {}): Promise<string> => {
  const { body } = await api.alice.post('/v1/templates', {
    name: 'Receipt',
    subject: 'Order {{ order }}',
    source: '<p>Dear {{ contact.firstName | default: "customer" }}: {{ order }}</p>',
    emailType: 'transactional',
    variables: [{ name: 'order' }],
    ...more,
  })
  return body.id
}

describe('a mail', () => {
  test('is stored before it is answered: a row in the ledger and the queue, its body encrypted', async () => {
    const { status, body } = await send({ to: ' Ada@Example.com ', replyTo: 'help@example.com' })
    expect(status).toBe(202)
    expect(body).toEqual({ id: expect.any(String), status: 'queued' })
    expect(await queued(body.id)).toHaveLength(1)
    const [row] = await api.sql`
      select t.sealed, b.html, b.text
      from transactional_mails t
      join message_bodies b on b.id = t.id
      where t.id = ${body.id}`
    expect(row).toMatchObject({ html: null, text: null })
    expect(String(row?.['sealed'])).not.toContain('Thank you')

    const { body: shown } = await api.alice.get(`/v1/email/${body.id}`)
    expect(shown).toMatchObject({
      id: body.id,
      status: 'queued',
      to: 'ada@example.com',
      from: 'Example Shop <shop@example.com>',
      replyTo: 'help@example.com',
      subject: 'Your receipt',
      cloudAccountId: connectionId,
      scheduledFor: null,
      waitingForOutcome: null,
      sentAt: null,
    })
    const { body: log } = await api.alice.get(`/v1/email/logs/${body.id}`)
    expect(log).toMatchObject({ sourceType: 'transactional', status: 'queued' })
  })

  test('goes to one address from one sender, and errors name the wrong field', async () => {
    const refused: [more: object, status: number, path: string][] = [
      [{ to: ['a@example.com', 'b@example.com'] }, 422, 'to'],
      [{ to: 'a@example.com, b@example.com' }, 422, 'to'],
      [{ cc: 'b@example.com' }, 422, 'cc'],
      [{ bcc: 'b@example.com' }, 422, 'bcc'],
      [{ subject: undefined }, 400, 'subject'],
      [{ subject: '  ' }, 400, 'subject'],
      [{ subject: 'a\r\nBcc: b@example.com' }, 422, 'subject'],
      [{ html: undefined }, 400, 'html'],
      [{ variables: { a: 1 } }, 400, 'variables'],
      [{ fromName: 'Another' }, 400, 'fromName'],
      [{ templateId: await template() }, 400, 'html'],
      [{ scheduledFor: new Date(Date.now() - 120_000).toISOString() }, 400, 'scheduledFor'],
      [{ scheduledFor: new Date(Date.now() + 31 * 86_400_000).toISOString() }, 400, 'scheduledFor'],
      [{ tags: [{ name: 'letterloom-message', value: 'x' }] }, 400, 'tags[0].name'],
      [{ tags: [{ name: 'a b', value: 'x' }] }, 422, 'tags[0].name'],
      [{ cloudAccountId: '999999999999' }, 400, 'cloudAccountId'],
      ...[
        'From',
        'sender',
        'TO',
        'Cc',
        'Bcc',
        'Reply-To',
        'Subject',
        'Date',
        'Message-ID',
        'Return-Path',
        'Received',
        'MIME-Version',
        'Content-Type',
        'DKIM-Signature',
        'ARC-Seal',
        'List-Unsubscribe',
        'Feedback-ID',
        'Resent-From',
        'resent-to',
        'Resent-Bcc',
        'Resent-Date',
        'Apparently-To',
        'ERRORS-TO',
        'Bounces-To',
        'Delivered-To',
        'Received-SPF',
        'Authentication-Results',
        'DomainKey-Signature',
        'X-SES-CONFIGURATION-SET',
        'X Order',
        'X-Order:',
      ].map((name): [object, number, string] => [
        { headers: { [name]: 'x' } },
        400,
        `headers.${name}`,
      ]),
      [{ headers: { 'X-Order': 'a\r\nBcc: b@example.com' } }, 400, 'headers.X-Order'],
      [{ headers: { 'X-Order': 'a\nb' } }, 400, 'headers.X-Order'],
      [{ headers: { 'X-Order': 'a\0b' } }, 422, 'headers.X-Order'],
      [{ attachments: [file({ content: 'no base64!' })] }, 400, 'attachments[0].content'],
      [{ attachments: [file({ filename: 'a\nb' })] }, 422, 'attachments[0].filename'],
      [{ attachments: [file({ contentType: 'pdf' })] }, 422, 'attachments[0].contentType'],
      ...[
        'text/calendar; method',
        'text/calendar; method=A\r\nX: y',
        'text/calendar; method="A',
        'a/b;;c=d',
      ].map((contentType): [object, number, string] => [
        { attachments: [file({ contentType })] },
        422,
        'attachments[0].contentType',
      ]),
      [{ attachments: Array.from({ length: 21 }, () => file()) }, 422, 'attachments'],
      [{ attachments: [file({ content: 'AAAA'.repeat(3_495_254) })] }, 413, 'attachments'],
    ]
    for (const [more, status, path] of refused) {
      const answer = await send(more)
      expect(answer.status, JSON.stringify(more)).toBe(status)
      expect(answer.body.details[0].path, JSON.stringify(more)).toBe(path)
    }
    const foreign = (await connectAccount(api.charlie)).connectionId
    expect((await send({ cloudAccountId: foreign })).status).toBe(403)
    expect((await send({ awsAccountId: connectionId })).status).toBe(202)
  })

  test('to a bounced, complained or suppressed address is a row in the log and nothing else', async () => {
    for (const reason of ['bounced', 'complained', 'suppressed']) {
      const to = `${reason}@example.com`
      await suppress(to, reason)
      const { status, body } = await send({ to: to.toUpperCase() })
      expect([status, body.status]).toEqual([202, 'suppressed'])
      expect(await queued(body.id)).toHaveLength(0)
      const [stored] = await api.sql`select sealed from transactional_mails where id = ${body.id}`
      expect(stored).toEqual({ sealed: null })
      expect((await api.alice.get(`/v1/email/${body.id}`)).body).toMatchObject({ reason })
    }
    await suppress('left@example.com', 'unsubscribed')
    expect((await send({ to: 'left@example.com' })).body.status).toBe('queued')
    // Another organization's list says nothing here.
    await api.charlie.post('/v1/suppressions', { email: 'other@example.com', reason: 'bounced' })
    expect((await send({ to: 'other@example.com' })).body.status).toBe('queued')
  })

  test('of a template is rendered for the contact of the address, and must have every value', async () => {
    await createContact(api.alice, { email: 'grace@example.com', firstName: 'Grace' })
    const templateId = await template()
    const made = { subject: undefined, html: undefined, templateId }
    const { status, body } = await send({
      ...made,
      to: 'grace@example.com',
      variables: { order: '<42>' },
    })
    expect(status).toBe(202)
    const { body: mail } = await api.alice.get(`/v1/email/${body.id}`)
    expect(mail).toMatchObject({ subject: 'Order <42>', templateId })
    const missing = await send(made)
    expect([missing.status, missing.body.reason]).toEqual([400, 'missing_value'])

    const marketing = await template({ name: 'News', emailType: 'marketing' })
    const refused = await send({ ...made, templateId: marketing, variables: { order: 1 } })
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'templateId'])
    const { body: foreign } = await api.charlie.post('/v1/templates', {
      name: 'Theirs',
      subject: 'S',
      source: '<p>x</p>',
    })
    expect((await send({ ...made, templateId: foreign.id })).status).toBe(403)
  })
})

describe('a set of mails', () => {
  test('is accepted row by row, in as many statements as one', async () => {
    await suppress('gone@example.com', 'bounced')
    const good = (n: number) => receipt({ to: `row${n}@example.com` })
    const emails = [
      ...Array.from({ length: 95 }, (_, n) => good(n)),
      receipt({ to: 'nobody' }),
      receipt({ subject: undefined }),
      receipt({ to: 'gone@example.com' }),
      receipt({ cloudAccountId: 'no-account' }),
    ]
    statements.length = 0
    const { status, body } = await api.alice.post('/v1/email/send/batch', { emails })
    expect(status).toBe(202)
    expect(statements.length).toBeLessThanOrEqual(14)
    expect(body).toMatchObject({ success: false, accepted: 96, failed: 3 })
    expect(body.results).toHaveLength(99)
    expect(body.results[97]).toMatchObject({ index: 97, status: 'suppressed' })
    expect(body.errorDetails.map((each: { index: number }) => each.index)).toEqual([95, 96, 98])
    expect(body.errors[0]).toBe('emails[95].to must be an email address')
    expect(await queued(body.results[94].id)).toHaveLength(1)
    expect(
      (await api.alice.post('/v1/email/send/batch', { emails: emails.concat(emails) })).status,
    ).toBe(422)
  })

  test('with an Idempotency-Key is stored once, and its content is not stored with the key', async () => {
    const sendOnce = () =>
      api.alice.send({
        method: 'POST',
        url: '/v1/email/send',
        headers: { 'idempotency-key': 'receipt-7' },
        payload: receipt({ text: 'The secret is 4711' }),
      })
    const [first, again] = [await sendOnce(), await sendOnce()]
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    const [kept] = await api.sql<{ answer: string }[]>`
      select answer::text from idempotency_keys where key = 'receipt-7'`
    expect(kept?.answer).not.toContain('4711')
  })
})

describe('a mail that waits', () => {
  test('can be rescheduled and cancelled until it is claimed', async () => {
    const { body } = await send({ scheduledFor: inAnHour() })
    expect(body.status).toBe('scheduled')
    const later = new Date(Date.now() + 7_200_000).toISOString()
    const moved = await api.alice.patch(`/v1/email/${body.id}`, { scheduledFor: later })
    expect(moved.body).toMatchObject({ status: 'scheduled', scheduledFor: later })
    expect(await queued(body.id)).toEqual([{ sendAt: later }])
    for (const [scheduledFor, status] of [
      [new Date(Date.now() - 120_000).toISOString(), 400],
      [new Date().toISOString(), 200],
    ] as const) {
      expect((await api.alice.patch(`/v1/email/${body.id}`, { scheduledFor })).status).toBe(status)
    }
    const cancelled = await api.alice.post(`/v1/email/${body.id}/cancel`)
    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
    expect(await queued(body.id)).toHaveLength(0)
    const [row] = await api.sql`select sealed from transactional_mails where id = ${body.id}`
    expect(row).toEqual({ sealed: null })
    // It is in no log: nobody was to get it.
    expect((await api.alice.get(`/v1/email/logs/${body.id}`)).status).toBe(404)
    for (const answer of [
      await api.alice.post(`/v1/email/${body.id}/cancel`),
      await api.alice.patch(`/v1/email/${body.id}`, { scheduledFor: inAnHour() }),
    ]) {
      expect([answer.status, answer.body.reason]).toEqual([409, 'email_not_waiting'])
    }
  })

  test('can be neither rescheduled nor cancelled once it is claimed', async () => {
    const { body } = await send()
    await api.sql`
      update messages set state = 'claimed', claim_id = ${body.id}, claimed_at = now()
      where id = ${body.id}`
    expect((await api.alice.post(`/v1/email/${body.id}/cancel`)).status).toBe(409)
    expect((await api.alice.get(`/v1/email/${body.id}`)).body.status).toBe('pending')
  })
})

test('the content of a mail can be read for a week with the right scope, and reads are audited', async () => {
  const { body } = await send({ headers: { 'X-Order': '42' }, attachments: [file()] })
  const { status, body: said } = await api.alice.get(`/v1/email/${body.id}/body`)
  expect(status).toBe(200)
  expect(said).toEqual({
    html: '<p>Thank you for {{ this }}</p>',
    text: 'Thank you for {{ this }}',
    headers: { 'X-Order': '42' },
    attachments: [{ filename: file().filename, contentType: null, contentId: null, bytes: 4 }],
  })
  const { body: audit } = await api.alice.get('/v1/audit-events?action=email.read')
  expect(audit.data[0]).toMatchObject({ action: 'email.read', subjectId: body.id })
  const brief = await send({ retainBody: false })
  expect((await api.alice.get(`/v1/email/${brief.body.id}/body`)).status).toBe(404)
  const sender = await api.client(api.alice.organizationId, ['read', 'send'])
  expect((await sender.get(`/v1/email/${body.id}/body`)).status).toBe(403)
})

test('the content of a mail is deleted when its time is over and the mail is settled, not before', async () => {
  const kept = (await send()).body.id
  const brief = (await send({ retainBody: false })).body.id
  const isStored = async (id: string) => {
    const [row] = await api.sql<{ stored: boolean }[]>`
      select sealed is not null as stored from transactional_mails where id = ${id}`
    return row?.stored
  }
  await forgetContents(api.sql)
  expect([await isStored(kept), await isStored(brief)]).toEqual([true, true])
  await api.sql`update messages set state = 'sent' where id = any(${[kept, brief]})`
  const age = () => api.sql`
    update transactional_mails set sealed_until = sealed_until - interval '1 minute'
    where id = ${brief}`
  await age()
  await forgetContents(api.sql)
  expect([await isStored(kept), await isStored(brief)]).toEqual([true, false])
  await api.sql`
    update transactional_mails set sealed_until = now() - interval '1 second' where id = ${kept}`
  await forgetContents(api.sql)
  expect(await isStored(kept)).toBe(false)
})
