import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { batchBucket, batchRowId, uuidv7 } from '../../src/runtime/ids.ts'
import { listOfContact } from '../../src/store/consent/subscriptions.ts'
import * as suppressions from '../../src/store/consent/suppressions.ts'
import {
  addressHash,
  type LinkKind,
  newKeyringText,
  parseKeyring,
  signLink,
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
let contactId: string
let email: string
let has: string
let lacks: string
let confirmed: string
let hidden: string
beforeAll(async () => {
  api = await startApi({ keyring })
  organizationId = api.alice.organizationId
})
beforeEach(async () => {
  await api.sql`delete from topics where organization_id = ${organizationId}`
  email = `ada-${uuidv7()}@example.com`
  contactId = (await createContact(api.alice, { email })).id
  has = await seedTopic(api.sql, organizationId, [contactId], { name: 'Has <b>' })
  lacks = await seedTopic(api.sql, organizationId, [], { name: 'Lacks' })
  confirmed = await seedTopic(api.sql, organizationId, [], { name: 'Asks', doubleOptIn: true })
  hidden = await seedTopic(api.sql, organizationId, [contactId], { name: 'Hidden', public: false })
})
afterAll(() => api.close())

const sign = (
  changes: { expiresAt?: number; contactId?: string; batchId?: string } = {},
  kind: LinkKind = 'preferences',
  of = keyring,
) =>
  signLink(of, kind, {
    organizationId,
    contactId,
    addressHash: addressHash(organizationId, email),
    expiresAt: Date.now() + 60_000,
    ...changes,
  })
const show = (token = sign()) => inject(api.app, { url: `/preferences/${token}` })
const save = (body: object, token = sign()) =>
  inject(api.app, { method: 'POST', url: `/preferences/${token}`, payload: body })
const submit = (fields: [string, string][], token = sign()) =>
  inject(api.app, {
    method: 'POST',
    url: `/preferences/${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    payload: new URLSearchParams(fields).toString(),
  })

const topics = async () =>
  Object.fromEntries(
    (await listOfContact(api.sql, organizationId, contactId)).map((each) => [
      each.topicName,
      each.status,
    ]),
  )
const person = async () =>
  (
    await api.sql<{ emailStatus: string; resubscribedAt: string | null }[]>`
      select email_status, resubscribed_at from contacts where id = ${contactId}`
  )[0]
const listed = async () => {
  const known = addressed(keyring, organizationId, email)
  return (await suppressions.lookUp(api.sql, organizationId, [known]))(known)
}
const events = async () =>
  (
    await api.sql<{ kind: string; source: string }[]>`
      select kind, source from consent_events where contact_id = ${contactId} order by id`
  ).map(({ kind, source }) => `${kind} ${source}`)
const promises = async () =>
  (
    await api.sql`select from outbox where kind = 'start_confirmation' and payload ->> 'contactId' = ${contactId}`
  ).length
const unsubscribeAll = async () => {
  expect((await save({ scope: 'all' })).status).toBe(200)
}

describe('the page', () => {
  test('shows the public topics, what the person has, and nothing of their address', async () => {
    const { status, text, headers } = await show()
    expect(status).toBe(200)
    expect(text).not.toContain(email)
    expect(text).toMatch(/a•+@e•+\.com/)
    expect(text).toContain('Has &lt;b&gt;')
    expect(text).toContain(`value="${has}" checked>`)
    expect(text).toContain(`value="${lacks}">`)
    expect(text).not.toContain('Hidden')
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    expect(headers).not.toHaveProperty('set-cookie')
  })

  test('of an address that the contact no longer has shows only the button to unsubscribe', async () => {
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    const { text } = await show()
    expect(text).not.toContain('<input')
    expect(text).toContain('value="all"')
  })

  test.each(['bounced', 'suppressed', 'complained'])(
    'of a %s contact lets nothing be added',
    async (status) => {
      await api.sql`update contacts set email_status = ${status} where id = ${contactId}`
      const { text } = await show()
      expect(text).not.toContain(lacks)
      expect(text).toContain(`value="${has}" checked>`)
    },
  )
})

describe('saving', () => {
  test('by the link of a batch’s mail, leaving counts in the batch, once', async () => {
    const { connectionId } = await connectAccount(api.alice)
    const { id: batchId } = await createBatch(api.alice)
    const bucket = batchBucket()
    await freeze(api.sql, batchId, bucket, 1)
    const mail = { organizationId, connectionId, batchId, contactId, state: 'sent', status: 'sent' }
    await insertMail(api.sql, { ...mail, bucket, id: batchRowId(bucket, 0) })
    const counted = async () => (await api.alice.get(`/v1/batch/${batchId}`)).body.unsubscribed
    await save({ topics: [has, lacks] }, sign({ batchId }))
    expect(await counted()).toBe(0)
    await save({ topics: [has] }, sign({ batchId }))
    expect(await counted()).toBe(1)
    await save({ topics: [] }, sign({ batchId }))
    await save({ scope: 'all' }, sign({ batchId }))
    expect(await counted()).toBe(1)
    await api.sql`delete from batches where id = ${batchId}`
  })

  test('a form unsubscribes what is not ticked, adds what is, and does not touch hidden topics', async () => {
    const { status, text } = await submit([
      ['topics', lacks],
      ['scope', 'chosen'],
    ])
    expect(status).toBe(200)
    expect(text).toContain('You get mail about “Lacks” from now on.')
    expect(text).toContain('You get no more mail about “Has &lt;b&gt;”.')
    expect(await topics()).toEqual({
      'Has <b>': 'unsubscribed',
      Lacks: 'subscribed',
      Hidden: 'subscribed',
    })
    expect(await events()).toEqual(['unsubscribed preferences', 'subscribed preferences'])
  })

  test('a form with nothing ticked unsubscribes all public topics, an empty one is refused', async () => {
    expect((await submit([])).status).toBe(422)
    expect((await submit([['x', 'y']])).status).toBe(400)
    expect((await topics())['Has <b>']).toBe('subscribed')
    expect((await submit([['scope', 'chosen']])).status).toBe(200)
    expect(await topics()).toEqual({ 'Has <b>': 'unsubscribed', Hidden: 'subscribed' })
    expect((await person())?.emailStatus).toBe('active')
  })

  test('JSON does the same; ids that are no public topic are ignored, others’ too', async () => {
    const theirs = await seedTopic(api.sql, api.charlie.organizationId)
    const wanted = [has.toUpperCase(), lacks, hidden, theirs, uuidv7(), 'x']
    const { status, body } = await save({ topics: wanted })
    expect([status, body]).toEqual([200, { success: true, message: 'Your choice is saved' }])
    expect(await topics()).toEqual({
      'Has <b>': 'subscribed',
      Lacks: 'subscribed',
      Hidden: 'subscribed',
    })
    expect((await save({})).status).toBe(400)
    expect((await save({ topics: 'x' })).status).toBe(422)
    expect((await save({ other: 1 })).status).toBe(422)
    expect((await save({ topics: Array.from({ length: 501 }, () => lacks) })).status).toBe(422)
  })

  test('a topic with double opt-in mails and waits; saving again mails no second time', async () => {
    const { text } = await submit([
      ['topics', has],
      ['topics', confirmed],
    ])
    expect(text).toContain('We mailed you: confirm there that you want “Asks”.')
    expect([(await topics())['Asks'], await promises()]).toEqual(['pending', 1])
    expect(
      (
        await submit([
          ['topics', has],
          ['topics', confirmed],
        ])
      ).text,
    ).toContain('Nothing has changed.')
    expect(await promises()).toBe(1)
    expect((await show()).text).toContain('Waits for your confirmation')
    expect(await events()).toEqual(['requested preferences'])
  })

  test('everything unsubscribes from everything, as the unsubscribe link does', async () => {
    await unsubscribeAll()
    expect(await topics()).toEqual({ 'Has <b>': 'unsubscribed', Hidden: 'unsubscribed' })
    expect([(await person())?.emailStatus, await listed()]).toEqual([
      'unsubscribed',
      'unsubscribed',
    ])
  })
})

describe('a person who unsubscribed from all mail', () => {
  test('is resubscribed by a topic without double opt-in, and only by it', async () => {
    await unsubscribeAll()
    expect((await show()).text).toContain('With a topic that you choose here you are back.')
    expect((await save({ topics: [] })).status).toBe(200)
    expect((await person())?.emailStatus).toBe('unsubscribed')
    expect((await save({ topics: [lacks] })).status).toBe(200)
    expect(await person()).toEqual({ emailStatus: 'active', resubscribedAt: expect.any(String) })
    expect(await listed()).toBeUndefined()
    expect(await topics()).toEqual({
      'Has <b>': 'unsubscribed',
      Lacks: 'subscribed',
      Hidden: 'unsubscribed',
    })
    expect((await events()).slice(-2)).toEqual([
      'subscribed preferences',
      'resubscribed preferences',
    ])
  })

  test('is not resubscribed by a topic with double opt-in before it is confirmed', async () => {
    await unsubscribeAll()
    expect((await save({ topics: [confirmed] })).status).toBe(200)
    expect([(await person())?.emailStatus, await listed()]).toEqual([
      'unsubscribed',
      'unsubscribed',
    ])
    expect([(await topics())['Asks'], await promises()]).toEqual(['pending', 1])
  })

  test.each(['bounced', 'suppressed', 'complained'])(
    'and is %s cannot add, only take away',
    async (status) => {
      await api.sql`update contacts set email_status = ${status} where id = ${contactId}`
      const { text } = await submit([['topics', lacks]])
      expect(text).toContain('“Lacks” cannot be added with this link.')
      expect(await topics()).toEqual({ 'Has <b>': 'unsubscribed', Hidden: 'subscribed' })
      expect((await person())?.emailStatus).toBe(status)
    },
  )

  test('under another address cannot be subscribed by the old one’s link', async () => {
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    expect((await save({ topics: [lacks, has] })).status).toBe(200)
    expect(await topics()).toEqual({ 'Has <b>': 'subscribed', Hidden: 'subscribed' })
    expect((await save({ topics: [] })).status).toBe(200)
    expect((await topics())['Has <b>']).toBe('unsubscribed')
    await api.sql`delete from contacts where id = ${contactId}`
    expect((await save({ topics: [lacks] })).status).toBe(200)
  })

  test('and resubscribes while an event arrives: contact and list agree, whichever was first', async () => {
    for (let round = 0; round < 10; round++) {
      await unsubscribeAll()
      await Promise.all([
        save({ topics: [lacks] }),
        api.alice.post('/v1/suppressions', { email, reason: 'unsubscribed' }),
      ])
      const status = (await person())?.emailStatus
      expect([round, (await listed()) ?? 'active']).toEqual([round, status])
    }
  })
})

test('forged, cut, expired, retired and other kinds’ tokens are 400 and change nothing', async () => {
  const retired = parseKeyring(RETIRED)
  const tokens = [
    sign().slice(0, -1),
    `${sign()}A`,
    'x',
    sign({ expiresAt: Date.now() - 1 }),
    sign({}, 'preferences', retired),
    sign({}, 'preferences', parseKeyring(newKeyringText())),
    sign({}, 'confirm'),
    sign({}, 'unsubscribe'),
  ]
  for (const token of tokens) {
    expect((await show(token)).status).toBe(400)
    expect((await save({ topics: [] }, token)).body.code).toBe('BAD_REQUEST')
    expect((await save({ scope: 'all' }, token)).status).toBe(400)
  }
  expect((await topics())['Has <b>']).toBe('subscribed')
  const page = await inject(api.app, {
    url: '/preferences/x',
    headers: { accept: 'text/html' },
  })
  expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8'])
})

test('a preferences link does not work on the unsubscribe page, nor the other way round', async () => {
  const wrong = await inject(api.app, { method: 'POST', url: `/unsubscribe/${sign()}` })
  expect(wrong.status).toBe(400)
  expect((await person())?.emailStatus).toBe('active')
})

describe('text messages', () => {
  let phone: string
  let numbers = 0
  const smsStatus = async () =>
    (
      await api.sql<{ smsStatus: string | null }[]>`
        select sms_status from contacts where id = ${contactId}`
    )[0]?.smsStatus
  const setStatus = (status: string) =>
    api.alice.patch(`/v1/contacts/${contactId}`, { phone, smsStatus: status })
  beforeEach(() => {
    phone = `+49153${10_000_000 + ++numbers}`
  })

  test('are on the page of a contact with a number, of which it shows the ends', async () => {
    expect((await show()).text).not.toContain('name="texts"')
    await setStatus('opted_in')
    const { text } = await show()
    expect(text).toContain(`+49•••••••••${phone.slice(-2)}`)
    expect(text).not.toContain(phone)
    expect(text).toContain('name="texts" value="off"')
    expect(text).not.toContain('name="texts" value="on"')
    await setStatus('opted_out')
    expect((await show()).text).not.toContain('name="texts" value="off"')
    await api.sql`update contacts set email = ${`new-${email}`} where id = ${contactId}`
    expect((await show()).text).not.toContain('name="texts"')
  })

  test('end with the person’s word, whoever writes what afterwards, and begin again with it', async () => {
    await setStatus('opted_in')
    const off = await submit([['texts', 'off']])
    expect([off.status, off.text]).toEqual([200, expect.stringContaining('no more text messages')])
    await setStatus('opted_in')
    expect(await smsStatus()).toBe('opted_out')
    expect((await save({ texts: 'on' })).status).toBe(200)
    expect(await smsStatus()).toBe('opted_in')
    expect((await events()).filter((event) => event.startsWith('sms'))).toEqual([
      'sms_opted_in api',
      'sms_opted_out link',
      'sms_opted_in link',
    ])
    expect((await topics())['Has <b>']).toBe('subscribed')
  })

  test('end by a link whose address the contact no longer has, and do not begin', async () => {
    await setStatus('opted_in')
    const token = sign()
    await api.alice.patch(`/v1/contacts/${contactId}`, { email: `new-${email}` })
    expect((await save({ texts: 'off' }, token)).status).toBe(200)
    expect(await smsStatus()).toBe('opted_out')
    await save({ texts: 'on' }, token)
    expect(await smsStatus()).toBe('opted_out')
  })

  test('do not begin for a number that does not exist, and nothing happens without a number', async () => {
    expect((await save({ texts: 'on' })).status).toBe(200)
    expect(await smsStatus()).toBeNull()
    await setStatus('invalid')
    await save({ texts: 'on' })
    expect(await smsStatus()).toBe('invalid')
  })

  test('are another channel than mail: leaving one leaves the other alone', async () => {
    await setStatus('opted_in')
    await unsubscribeAll()
    expect(await smsStatus()).toBe('opted_in')
    await save({ texts: 'off' })
    expect((await person())?.emailStatus).toBe('unsubscribed')
    expect((await save({ texts: 'maybe' })).status).toBe(422)
  })
})
