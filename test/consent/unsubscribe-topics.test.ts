import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { listOfContact } from '../../src/store/consent/subscriptions.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
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

const RETIRED = newKeyringText().replace('dev', 'old')
const keyring = parseKeyring(`${newKeyringText()},${RETIRED}`)

let api: Api
let organizationId: string
let connectionId: string
let contactId: string
let email: string
let topicId: string
let otherId: string
let batchId: string
beforeAll(async () => {
  api = await startApi({ keyring })
  organizationId = api.alice.organizationId
  connectionId = (await connectAccount(api.alice)).connectionId
})
beforeEach(async () => {
  email = `ada-${uuidv7()}@example.com`
  contactId = (await createContact(api.alice, { email })).id
  topicId = await seedTopic(api.sql, organizationId, [contactId], { name: 'Garden & <Home>' })
  otherId = await seedTopic(api.sql, organizationId, [contactId])
  batchId = (await createBatch(api.alice)).id
})
afterAll(() => api.close())

const sign = (
  changes: { topicId?: string; contactId?: string; batchId?: string } = {},
  of = keyring,
) =>
  signUnsubscribe(of, {
    organizationId,
    contactId,
    batchId,
    addressHash: addressHash(organizationId, email),
    ...changes,
  })
const post = (token: string, payload?: string, headers: object = {}) =>
  inject(api.app, {
    method: 'POST',
    url: `/unsubscribe/${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
const show = (token: string) => inject(api.app, { url: `/unsubscribe/${token}` })

const listed = async (address: string) => {
  const known = addressed(keyring, organizationId, address)
  return (await suppressions.lookUp(api.sql, organizationId, [known]))(known)
}
const statusOf = async (id: string) =>
  (
    await api.sql<
      { emailStatus: string | null }[]
    >`select email_status from contacts where id = ${id}`
  )[0]?.emailStatus
const topics = async (id: string) =>
  Object.fromEntries(
    (await listOfContact(api.sql, organizationId, id)).map((each) => [each.topicId, each.status]),
  )
/** The batch's mail to the contact, as it is once it was sent. */
async function insertSentMail() {
  const bucket = batchBucket()
  await freeze(api.sql, batchId, bucket, 1)
  const mail = {
    organizationId,
    bucket,
    id: batchRowId(bucket, 0),
    connectionId,
    batchId,
    contactId,
  }
  await insertMail(api.sql, { ...mail, recipient: email, state: 'sent', status: 'sent' })
}
const counted = async () => (await api.alice.get(`/v1/batch/${batchId}`)).body.unsubscribed

test('an opt-out of a topic holds when the contact is deleted and imported again', async () => {
  expect((await post(sign({ topicId }))).status).toBe(200)
  await api.alice.delete(`/v1/contacts/${contactId}`)
  const row = { email, topicIds: [topicId, otherId] }
  const { results } = (await api.alice.post('/v1/contacts/batch', { contacts: [row] })).body
  expect(await topics(results[0].id)).toEqual({ [otherId]: 'subscribed' })
  const asked = { topicIds: [topicId], resubscribe: true }
  await api.alice.send({
    method: 'PATCH',
    url: `/v1/contacts/${results[0].id}`,
    payload: asked,
  })
  expect(await topics(results[0].id)).toEqual({ [otherId]: 'subscribed', [topicId]: 'subscribed' })
})

describe('a topic’s link', () => {
  test('unsubscribes from the topic and nothing else, counted once', async () => {
    await insertSentMail()
    const token = sign({ topicId })
    const answers = [await post(token, 'List-Unsubscribe=One-Click'), await post(token)]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { success: true, message: 'You are unsubscribed' }],
      [200, { success: true, message: 'You are unsubscribed' }],
    ])
    expect(await topics(contactId)).toEqual({ [topicId]: 'unsubscribed', [otherId]: 'subscribed' })
    expect([await statusOf(contactId), await listed(email)]).toEqual(['active', undefined])
    expect(await counted()).toBe(1)
  })

  test('offers everything on its page, and that unsubscribes from everything', async () => {
    const token = sign({ topicId })
    const { text } = await show(token)
    expect(text).toContain('Garden &amp; &lt;Home&gt;')
    expect(text).toContain('name="scope" value="all"')
    const page = await post(token, '', { accept: 'text/html' })
    expect(page.text).toContain('Garden &amp; &lt;Home&gt;')
    expect(page.text).toContain('name="scope" value="all"')
    expect(await statusOf(contactId)).toBe('active')
    const all = await post(token, 'scope=all', { accept: 'text/html' })
    expect(all.text).not.toContain('Garden')
    expect([await statusOf(contactId), await listed(email)]).toEqual([
      'unsubscribed',
      'unsubscribed',
    ])
    expect(await topics(contactId)).toEqual({
      [topicId]: 'unsubscribed',
      [otherId]: 'unsubscribed',
    })
  })

  test('of a deleted topic unsubscribes from all mail', async () => {
    await api.sql`delete from topics where id = ${topicId}`
    expect((await show(sign({ topicId }))).text).not.toContain('scope')
    expect((await post(sign({ topicId }))).status).toBe(200)
    expect(await statusOf(contactId)).toBe('unsubscribed')
  })

  test('of an address that the contact no longer has suppresses it and unsubscribes the contact', async () => {
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    expect((await post(sign({ topicId }))).status).toBe(200)
    expect(await listed(email)).toBe('unsubscribed')
    expect([await statusOf(contactId), await listed(`new-${email}`)]).toEqual(['active', undefined])
    expect(await topics(contactId)).toEqual({ [topicId]: 'unsubscribed', [otherId]: 'subscribed' })
  })
})

describe('a link of all mail', () => {
  test('acts on the contact under its new address and on the address that was mailed', async () => {
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    const { id: heir } = await createContact(api.alice, { email })
    await insertSentMail()
    expect((await post(sign())).status).toBe(200)
    expect([await statusOf(contactId), await listed(`new-${email}`)]).toEqual([
      'unsubscribed',
      'unsubscribed',
    ])
    expect([await statusOf(heir), await listed(email)]).toEqual(['unsubscribed', 'unsubscribed'])
    expect(await counted()).toBe(1)
  })

  test.each([
    ['known by the mail itself', true],
    ['known by its hash alone', false],
  ])(
    'unsubscribes a contact that was created with the address since, %s',
    async (_name, isInLedger) => {
      if (isInLedger) await insertSentMail()
      await api.sql`delete from contacts where id = ${contactId}`
      const { id: again } = await createContact(api.alice, { email })
      const { id: stranger } = await createContact(api.charlie, { email })
      expect((await post(sign())).status).toBe(200)
      expect([await statusOf(again), await listed(email)]).toEqual(['unsubscribed', 'unsubscribed'])
      expect(await statusOf(stranger)).toBe('active')
      await api.sql`delete from batches where id = ${batchId}`
    },
  )

  test('of a deleted contact suppresses the address, also for contacts created with it', async () => {
    await api.sql`delete from contacts where id = ${contactId}`
    for (let i = 0; i < 2; i++) expect((await post(sign())).status).toBe(200)
    expect(await listed(email)).toBe('unsubscribed')
    const [row] = await api.sql`
      select reason, source, address from suppressions
      where organization_id = ${organizationId}
      order by id desc limit 1`
    expect(row).toEqual({ reason: 'unsubscribed', source: 'link', address: null })
  })

  test('does not touch a phone number without an address', async () => {
    await api.sql`update contacts set email = null, email_status = null, phone = '+4915112345678' where id = ${contactId}`
    expect((await post(sign())).status).toBe(200)
    expect([await statusOf(contactId), await listed(email)]).toEqual([null, 'unsubscribed'])
  })

  test('racing with a change of the address: both addresses end suppressed', async () => {
    for (let round = 0; round < 15; round++) {
      const before = `race-${round}-${email}`
      const after = `moved-${round}-${email}`
      const { id } = await createContact(api.alice, { email: before })
      const token = signUnsubscribe(keyring, {
        organizationId,
        contactId: id,
        addressHash: addressHash(organizationId, before),
      })
      await Promise.all([
        post(token),
        api.sql`update contacts set email = ${after} where id = ${id}`,
      ])
      expect([round, await listed(before), await statusOf(id)]).toEqual([
        round,
        'unsubscribed',
        'unsubscribed',
      ])
    }
  })

  test('counts no bounced contact, but voids its confirmations and ends its subscriptions', async () => {
    await api.sql`update contacts set email_status = 'bounced' where id = ${contactId}`
    expect((await post(sign())).status).toBe(200)
    expect(await statusOf(contactId)).toBe('bounced')
    expect(await topics(contactId)).toEqual({
      [topicId]: 'unsubscribed',
      [otherId]: 'unsubscribed',
    })
    const [row] = await api.sql<{ emailOptedOutAt: string | null }[]>`
      select email_opted_out_at from contacts where id = ${contactId}`
    expect(row?.emailOptedOutAt).not.toBeNull()
  })
})

describe('a link to preferences', () => {
  const hasLink = async (token: string) => (await show(token)).text.includes('/preferences/')

  test('is on the page of a mail of a batch, for a year, and leads to a page', async () => {
    const { text } = await show(sign())
    const [, href = ''] =
      /href="https:\/\/mail\.example\.com(\/preferences\/[^"]+)"/.exec(text) ?? []
    expect((await inject(api.app, { url: href })).status).toBe(200)
    const old = uuidv7(Date.now() - 366 * 86_400_000).replace(/^.{13}/, '018d0000-0000')
    expect(await hasLink(sign({ batchId: old }))).toBe(false)
  })

  test('is not given for what a retired key signed: it may only stop mail', async () => {
    const retired = sign({}, parseKeyring(RETIRED))
    expect(await hasLink(retired)).toBe(false)
    expect((await post(retired, '', { accept: 'text/html' })).text).not.toContain('/preferences/')
    expect(await statusOf(contactId)).toBe('unsubscribed')
  })

  test('is not given to an address that the contact no longer has', async () => {
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    expect(await hasLink(sign())).toBe(false)
  })
})
