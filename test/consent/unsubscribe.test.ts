import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import {
  addressHash,
  newKeyringText,
  parseKeyring,
  signUnsubscribe,
} from '../../src/keys/tokens.ts'
import {
  type Api,
  connectAccount,
  createBatch,
  createContact,
  freeze,
  inject,
  insertMail,
  startApi,
} from '../support/api.ts'
import { seedTopic } from '../support/seed.ts'

let api: Api
let connectionId: string
let contactId: string
let email: string
let batchId: string
let mail: { bucket: string; id: string }
let token: string
beforeAll(async () => {
  api = await startApi()
  connectionId = (await connectAccount(api.alice)).connectionId
})
beforeEach(async () => {
  email = `ada-${uuidv7()}@example.com`
  contactId = (await createContact(api.alice, { email })).id
  batchId = (await createBatch(api.alice)).id
  const bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, 1)
  mail = { bucket, id: batchRowId(bucket, 0) }
  const ids = { organizationId: api.alice.organizationId, connectionId, batchId, contactId }
  await insertMail(api.sql, { ...ids, ...mail, state: 'sent', status: 'sent' })
  await api.sql`update messages set sent_at = now() where id = ${mail.id}`
  token = sign({})
})
afterAll(() => api.close())

function sign(changes: { contactId?: string; batchId?: string }, keyring = api.deps.keyring) {
  const { organizationId } = api.alice
  const link = { organizationId, contactId, addressHash: addressHash(organizationId, email) }
  return signUnsubscribe(keyring, { ...link, batchId, ...changes })
}
const post = (of: string, headers: object = {}, payload?: string) =>
  inject(api.app, {
    method: 'POST',
    url: `/unsubscribe/${of}`,
    headers: { ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
const statusOf = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body.emailStatus
/** What the batch says; metrics must say the same. */
async function counted() {
  const { unsubscribed } = (await api.alice.get(`/v1/batch/${batchId}`)).body
  const { totals } = (await api.alice.get(`/v1/email/metrics?broadcast_id=${batchId}`)).body
  expect(totals.unsubscribed).toBe(unsubscribed)
  return unsubscribed
}

test('an unsubscribe holds when the contact is made again, singly, in sets and with `active`', async () => {
  expect((await post(token)).status).toBe(200)
  expect((await api.alice.delete(`/v1/contacts/${contactId}`)).status).toBe(200)
  const again = await api.alice.post('/v1/contacts', { email })
  expect([again.status, again.body.emailStatus]).toEqual([201, 'unsubscribed'])
  await api.alice.delete(`/v1/contacts/${again.body.id}`)
  const row = { email, emailStatus: 'active' }
  const { results } = (await api.alice.post('/v1/contacts/batch', { contacts: [row] })).body
  expect(results).toMatchObject([{ status: 'created', emailStatusKept: true }])
  expect(await statusOf(results[0].id)).toBe('unsubscribed')
})

describe('POST', () => {
  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'multipart',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['text', 'text/plain', 'List-Unsubscribe=One-Click'],
    ['broken JSON', 'application/json', '{'],
    ['a broken media type', '/', 'x'],
    ['an empty form', 'application/x-www-form-urlencoded', ''],
  ])('unsubscribes with %s', async (_name, type, payload) => {
    const { status, headers, body } = await post(token, { 'content-type': type }, payload)
    expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }])
    expect(headers).not.toHaveProperty('location')
    expect(headers).not.toHaveProperty('set-cookie')
    expect(await statusOf(contactId)).toBe('unsubscribed')
  })

  test('without a body, and repeated: the batch counts the person once', async () => {
    for (let i = 0; i < 3; i++) expect((await post(token)).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
    expect(await counted()).toBe(1)
    const [row] = await api.sql<{ emailUnsubscribedAt: string | null }[]>`
      select email_unsubscribed_at from contacts where id = ${contactId}`
    expect(row?.emailUnsubscribedAt).not.toBeNull()
  })

  test('a person who subscribes again and leaves by the same link is counted once', async () => {
    const topicId = await seedTopic(api.sql, api.alice.organizationId, [contactId])
    const { organizationId } = api.alice
    const link = { organizationId, contactId, addressHash: addressHash(organizationId, email) }
    const byTopic = signUnsubscribe(api.deps.keyring, { ...link, batchId, topicId })
    expect((await post(byTopic)).status).toBe(200)
    await api.alice.patch(`/v1/contacts/${contactId}`, { topicIds: [topicId], resubscribe: true })
    expect((await post(byTopic)).status).toBe(200)
    const [row] = await api.sql`
      select status from subscriptions where contact_id = ${contactId} and topic_id = ${topicId}`
    expect(row).toEqual({ status: 'unsubscribed' })
    expect(await counted()).toBe(1)
    expect((await post(token)).status).toBe(200)
    expect(await counted()).toBe(1)
  })

  test('a link whose mail is not there any more unsubscribes, and counts nowhere', async () => {
    await api.sql`delete from messages where id = ${mail.id}`
    expect((await post(token)).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
    expect(await counted()).toBe(0)
  })

  test('ten at once count once', async () => {
    await Promise.all(Array.from({ length: 10 }, () => post(token)))
    expect(await counted()).toBe(1)
  })

  test.each(['bounced', 'complained', 'suppressed'])('a %s contact stays so', async (status) => {
    await api.sql`update contacts set email_status = ${status} where id = ${contactId}`
    expect((await post(token)).status).toBe(200)
    expect(await statusOf(contactId)).toBe(status)
    expect(await counted()).toBe(0)
  })

  test('answers a page to a browser and nothing of it is kept', async () => {
    const { status, headers, text } = await post(token, { accept: 'text/html,*/*;q=0.8' })
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).not.toContain(contactId)
    expectPrivate(headers)
  })

  test('a contact that is gone is 200', async () => {
    await api.sql`delete from contacts where id = ${contactId}`
    expect((await post(token)).status).toBe(200)
    expect((await post(sign({ contactId: uuidv7() }))).status).toBe(200)
  })

  test('forged and cut tokens are 400 and change nothing', async () => {
    const other = parseKeyring(newKeyringText())
    const flipped = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`
    for (const forged of [sign({}, other), flipped, token.slice(0, -1), `${token}A`, 'x', '%00']) {
      const { status, body } = await post(forged)
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
    }
    expect((await inject(api.app, { url: `/unsubscribe/${flipped}` })).status).toBe(400)
    expect(await statusOf(contactId)).toBe('active')
    expect(await counted()).toBe(0)
  })

  test('waits for a mail that may be on its way, and only then', async () => {
    await api.sql`
      update messages
      set state = 'claimed', claim_id = ${uuidv7()}, claimed_at = now(), sent_at = null
      where id = ${mail.id}`
    const waits = vi.spyOn(globalThis, 'setTimeout')
    const waited = () => waits.mock.calls.filter(([, ms]) => ms === 2_000).length
    const start = performance.now()
    expect((await post(token)).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThanOrEqual(1_990)
    expect(waited()).toBe(1)
    await api.sql`update messages set state = 'sent', claim_id = null where id = ${mail.id}`
    expect((await post(token)).status).toBe(200)
    expect(waited()).toBe(1)
    waits.mockRestore()
  })
})

describe('GET', () => {
  test('shows a page with the masked address and a button, and changes nothing', async () => {
    const { status, headers, text } = await inject(api.app, { url: `/unsubscribe/${token}` })
    expect(status).toBe(200)
    expect(text).not.toContain(email)
    expect(text).toMatch(/a•+@e•+\.com/)
    expect(text).toContain(
      `<form method="post" action="https://mail.example.com/unsubscribe/${token}">`,
    )
    expect(text).not.toMatch(/src=/)
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/mail\.example\.com\/preferences\/[\w-]+$/),
    ])
    expectPrivate(headers)
    const nonce = /nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1]
    expect(text).toContain(`<style nonce="${nonce}">`)
    expect(await statusOf(contactId)).toBe('active')
  })

  test('does not show an address that is not the one that was mailed', async () => {
    await api.sql`update contacts set email = 'other@example.org' where id = ${contactId}`
    const { text } = await inject(api.app, { url: `/unsubscribe/${token}` })
    expect(text).not.toContain('.org')
    await api.sql`update contacts set email = null, phone = '+1555' where id = ${contactId}`
    expect((await inject(api.app, { url: `/unsubscribe/${token}?x=1` })).status).toBe(200)
    await api.sql`delete from contacts where id = ${contactId}`
    expect((await inject(api.app, { url: `/unsubscribe/${token}` })).status).toBe(200)
  })
})

function expectPrivate(headers: Record<string, unknown>) {
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'nonce-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    ),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  })
  expect(headers).not.toHaveProperty('set-cookie')
}
