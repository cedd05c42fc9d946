import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Client, createContact, startApi } from '../support/api.ts'
import { importFile } from '../support/imports.ts'

let api: Api
let contactsKey: Client
beforeAll(async () => {
  api = await startApi()
  contactsKey = await api.client(api.alice.organizationId, ['contacts'])
})
afterAll(() => api.close())

let numbers = 0
const newNumber = () => `+49152${10_000_000 + ++numbers}`

const ndjson = { 'content-type': 'application/x-ndjson' }
const WAYS: Record<string, (contact: object) => Promise<unknown>> = {
  create: (contact) => api.alice.post('/v1/contacts', contact),
  batch: (contact) => api.alice.post('/v1/contacts/batch', { contacts: [contact] }),
  import: (contact) => importFile(api, api.alice, JSON.stringify(contact), {}, ndjson),
}

const statusOf = async (phone: string) =>
  (
    await api.sql<{ smsStatus: string }[]>`
      select sms_status from contacts
      where organization_id = ${api.alice.organizationId} and phone = ${phone}`
  )[0]?.smsStatus

describe.each(['opted_out', 'invalid'])('a number that is %s', (smsStatus) => {
  test.each(Object.entries(WAYS))(
    'stays so when its contact is deleted and made again by %s',
    async (_name, write) => {
      const phone = newNumber()
      const { id } = await createContact(api.alice, { phone, smsStatus })
      await api.alice.delete(`/v1/contacts/${id}`)
      await write({ phone, smsStatus: 'opted_in' })
      expect(await statusOf(phone)).toBe(smsStatus)
    },
  )

  test('stays so when another contact gets it, and the first gets a new number', async () => {
    const [phone, fresh] = [newNumber(), newNumber()]
    const { id: first } = await createContact(api.alice, { phone, smsStatus })
    const { id: second } = await createContact(api.alice, {
      externalId: `second ${phone}`,
      phone: fresh,
    })
    await api.alice.patch(`/v1/contacts/${second}`, { phone: newNumber() })
    expect((await api.alice.patch(`/v1/contacts/${first}`, { phone: fresh })).body.smsStatus).toBe(
      'pending_consent',
    )
    const { body } = await api.alice.patch(`/v1/contacts/${second}`, {
      phone,
      smsStatus: 'opted_in',
    })
    expect(body).toMatchObject({ smsStatus, smsStatusKept: true })
    expect(
      (await api.charlie.post('/v1/contacts', { phone, smsStatus: 'opted_in' })).body,
    ).toMatchObject({
      smsStatus: 'opted_in',
    })
  })

  test('is not lifted by a sync, and is by a caller who vouches, which is audited', async () => {
    const phone = newNumber()
    const { id } = await createContact(api.alice, { phone, smsStatus })
    for (const better of ['opted_in', 'pending_consent']) {
      const kept = await api.alice.patch(`/v1/contacts/${id}`, { smsStatus: better })
      expect(kept.body).toMatchObject({ smsStatus, smsStatusKept: true })
    }
    const back = { smsStatus: 'opted_in', resubscribe: true }
    const lifted = await api.alice.patch(`/v1/contacts/${id}`, back)
    expect(lifted.body).toMatchObject({ smsStatus: 'opted_in' })
    expect(lifted.body.smsStatusKept).toBeUndefined()
    const audited = await api.sql`
      select detail from audit_events where subject_id = ${id} and action = 'contact.resubscribed'`
    expect(audited).toEqual([{ detail: { from: smsStatus } }])
    await api.alice.delete(`/v1/contacts/${id}`)
    await createContact(api.alice, { phone, smsStatus: 'opted_in' })
    expect(await statusOf(phone)).toBe('opted_in')
  })
})

test('only the full scope takes back who opted out; a number that exists again needs no more than a word', async () => {
  const back = { smsStatus: 'opted_in', resubscribe: true }
  const gone = await createContact(api.alice, { phone: newNumber(), smsStatus: 'opted_out' })
  const refused = await contactsKey.patch(`/v1/contacts/${gone.id}`, back)
  expect([refused.status, refused.body.reason]).toEqual([403, 'insufficient_scope'])
  const phone = newNumber()
  const dead = await createContact(api.alice, { phone, smsStatus: 'invalid' })
  const lifted = await contactsKey.patch(`/v1/contacts/${dead.id}`, back)
  expect(lifted.body.smsStatus).toBe('opted_in')
  const kept = newNumber()
  await createContact(api.alice, { phone: kept, smsStatus: 'opted_out' })
  const rows = [{ phone: kept, ...back }]
  const { body } = await contactsKey.post('/v1/contacts/batch', { contacts: rows })
  expect(body.results[0]).toMatchObject({ status: 'updated', smsStatusKept: true })
})

test('rows of one request see the statuses that earlier rows wrote', async () => {
  const phone = newNumber()
  const rows = [
    { phone, smsStatus: 'opted_out' },
    { phone, smsStatus: 'opted_in' },
  ]
  const { body } = await api.alice.post('/v1/contacts/batch', { contacts: rows })
  expect(body.results[1]).toMatchObject({ smsStatusKept: true })
  const back = [
    { phone, smsStatus: 'opted_in', resubscribe: true },
    { phone, smsStatus: 'pending_consent' },
  ]
  await api.alice.post('/v1/contacts/batch', { contacts: back })
  expect(await statusOf(phone)).toBe('pending_consent')
  const { body: list } = await api.alice.get(`/v1/suppressions?phone=${encodeURIComponent(phone)}`)
  expect(list.data).toEqual([])
})

test('consent for text messages and its end are in the timeline of the contact', async () => {
  const { id } = await createContact(api.alice, { phone: newNumber(), smsStatus: 'opted_in' })
  await api.alice.patch(`/v1/contacts/${id}`, { smsStatus: 'opted_out' })
  await api.alice.patch(`/v1/contacts/${id}`, { firstName: 'Ada' })
  const { body } = await api.alice.get(`/v1/contacts/${id}/events`)
  expect(
    body.data.map(({ name, properties }: { name: string; properties: object }) => [
      name,
      properties,
    ]),
  ).toEqual([
    ['sms_opted_out', { topicId: null, topicSlug: null, source: 'api' }],
    ['sms_opted_in', { topicId: null, topicSlug: null, source: 'api' }],
  ])
})
