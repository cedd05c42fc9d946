import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressHash, type Link, type LinkKind, signLink } from '../../src/keys/tokens.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { type Api, inject, startApi } from '../support/api.ts'
import {
  type Asked,
  seedConfirmations,
  type SeededConfirmations,
} from '../support/confirmations.ts'

const DAY_MS = 86_400_000

let api: Api
let there: SeededConfirmations
let asked: Asked
let email: string
let token: string
/** How far the API's clock is ahead. */
let ahead = 0

beforeAll(async () => {
  api = await startApi({ now: () => Date.now() + ahead })
})
beforeEach(async () => {
  ahead = 0
  there = await seedConfirmations(api.sql, api.deps.keyring)
  const contact = await there.contact()
  email = contact.email
  asked = await there.ask(contact.id, await there.topic({ name: 'Cats & dogs' }))
  token = sign()
})
afterAll(() => api.close())

function sign(changes: Partial<Link> = {}, kind: LinkKind = 'confirm', ring = api.deps.keyring) {
  const { organizationId } = there
  return signLink(ring, kind, {
    organizationId,
    ...asked,
    addressHash: addressHash(organizationId, email),
    expiresAt: Date.now() + 30 * DAY_MS,
    ...changes,
  })
}

const HTML = { accept: 'text/html,*/*;q=0.8' }
const show = (of = token, headers: object = HTML) =>
  inject(api.app, { url: `/confirm/${of}`, headers: { ...headers } })
const post = (of = token, headers: object = {}) =>
  inject(api.app, { method: 'POST', url: `/confirm/${of}`, headers: { ...headers } })
const row = () => there.row(asked.contactId, asked.topicId)

/** Every row that a confirmation could touch, as it is now. */
const everything = async () => {
  const { contactId } = asked
  const [found] = await api.sql`
    select
      (select jsonb_agg(s order by s.topic_id) from subscriptions s where s.contact_id = ${contactId}) as subscriptions,
      (select jsonb_agg(c) from contacts c where c.id = ${contactId}) as contacts,
      (select count(*) from consent_events where contact_id = ${contactId}) as events,
      (select count(*) from outbox) as messages,
      (select count(*) from suppressions) as entries,
      (select count(*) from audit_events) as audited`
  return found
}

describe('GET', () => {
  test('shows what is asked and a button, and changes nothing, however often', async () => {
    const before = await everything()
    for (let times = 0; times < 3; times++) {
      const { status, headers, text } = await show()
      expect(status).toBe(200)
      expect(text).toContain('Cats &amp; dogs')
      expect(text).toContain('Alice Ltd')
      expect(text).toContain(
        `<form method="post" action="https://mail.example.com/confirm/${token}">`,
      )
      expect(text).not.toContain(email)
      expect(text).not.toMatch(/(?:src|href)=/)
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'nonce-/),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      })
    }
    const head = await inject(api.app, { method: 'HEAD', url: `/confirm/${token}` })
    expect(head.status).toBe(200)
    expect(await everything()).toEqual(before)
  })

  test('says so when it is confirmed already', async () => {
    await post()
    const { status, text } = await show()
    expect(status).toBe(200)
    expect(text).toContain('You are subscribed')
    expect(text).not.toContain('<form')
  })
})

describe('POST', () => {
  test('subscribes, verifies the address, and ends what waits for it', async () => {
    const { status, body, headers } = await post()
    expect([status, body]).toEqual([200, { success: true, message: 'You are subscribed' }])
    expect(headers).not.toHaveProperty('set-cookie')
    expect(await row()).toMatchObject({ status: 'subscribed', generation: 2 })
    const [found] = await api.sql<{ isVerified: boolean; isConfirmed: boolean }[]>`
      select c.email_verified_at is not null as is_verified, s.confirmed_at is not null as is_confirmed
      from subscriptions s
      join contacts c on c.id = s.contact_id
      where s.contact_id = ${asked.contactId}`
    expect(found).toEqual({ isVerified: true, isConfirmed: true })
    const ended = await api.sql<{ payload: object }[]>`
      select payload from outbox
      where kind = 'end_confirmation' and payload ->> 'contactId' = ${asked.contactId}`
    expect(ended.map(({ payload }) => payload)).toEqual([asked])
    expect(await there.record(asked.contactId)).toEqual(['requested', 'subscribed'])
  })

  test('twice, and ten at once, is answered the same and done once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post()))
    answers.push(await post())
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await row()).toMatchObject({ generation: 2 })
    expect(await there.record(asked.contactId)).toEqual(['requested', 'subscribed'])
  })

  test('answers a page to a browser’s form', async () => {
    const { status, headers, text } = await post(token, {
      ...HTML,
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '0',
    })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('You are subscribed')
    expect(text).not.toContain(asked.contactId)
  })
})

describe('a link of ours that no longer works', () => {
  const over: [string, () => unknown][] = [
    ['is older than its thirty days', () => (ahead = 30 * DAY_MS + 1_000)],
    [
      'was replaced by a newer one',
      async () => {
        await api.sql`update subscriptions set mailed_at = now() - interval '1 hour'`
        expect((await there.ask(asked.contactId, asked.topicId)).generation).toBe(2)
      },
    ],
    [
      'was mailed to another address',
      () => api.sql`update contacts set email = 'other@example.org' where id = ${asked.contactId}`,
    ],
    [
      'is of a contact without an address now',
      () => api.sql`update contacts set email = null, email_status = null, phone = '+15551234567'
        where id = ${asked.contactId}`,
    ],
    [
      'expired or was unsubscribed',
      () => api.sql`update subscriptions set status = 'unsubscribed', generation = 2
        where contact_id = ${asked.contactId}`,
    ],
    ['is of a deleted contact', () => api.sql`delete from contacts where id = ${asked.contactId}`],
    ['is of a deleted topic', () => api.sql`delete from topics where id = ${asked.topicId}`],
  ]
  test.each(over)('it %s: 410, says what to do, changes nothing', async (_name, change) => {
    await change()
    const before = await everything()
    const { status, body } = await post()
    expect([status, body.code, body.reason]).toEqual([410, 'REQUEST_FAILED', 'link_over'])
    for (const page of [await post(token, HTML), await show()]) {
      expect([page.status, page.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8'])
      expect(page.text).toContain('subscribe again')
      expect(page.text).not.toContain('<form')
    }
    expect(await everything()).toEqual(before)
  })
})

test('a token that is forged, cut, of another kind or of a retired key is 400 and does nothing', async () => {
  const before = await everything()
  const flipped = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`
  const { topicId: _topic, ...noTopic } = asked
  const hash = { addressHash: addressHash(there.organizationId, email) }
  const forged = [
    flipped,
    token.slice(0, -1),
    `${token}A`,
    'x',
    '%00',
    sign({}, 'unsubscribe'),
    sign({}, 'preferences'),
    sign({}, 'confirm', parseKeyring(newKeyringText())),
    signLink(api.deps.keyring, 'confirm', {
      organizationId: there.organizationId,
      ...noTopic,
      ...hash,
    }),
  ]
  for (const each of forged) {
    const { status, body } = await post(each)
    expect([each, status, body.code]).toEqual([each, 400, 'BAD_REQUEST'])
    expect((await show(each)).status).toBe(400)
  }
  expect((await inject(api.app, { method: 'POST', url: `/unsubscribe/${token}` })).status).toBe(400)
  expect(await everything()).toEqual(before)
})

test('an organization’s token is good for that organization only', async () => {
  const before = await everything()
  const { status } = await post(sign({ organizationId: api.charlie.organizationId }))
  expect(status).toBe(410)
  expect(await everything()).toEqual(before)
})
