import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { executionsOf, seedFlow } from '../support/seed-flow.ts'

let api: Api
let people = 0
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const newAddress = () => `person-${++people}@example.com`
const newExternalId = () => `user-${++people}`
const ingest = (body: object) => api.alice.post('/v1/events', { name: 'visited', ...body })
const find = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body
const made = (body: object) => createContact(api.alice, body)
const phone = () => `+4915112345${String(100 + ++people)}`

describe('an event that names two keys of one person', () => {
  test('fills the external id of a contact that is known by its address, and the next one finds it by it', async () => {
    const [email, externalId] = [newAddress(), newExternalId()]
    const { id } = await made({ email })
    const event = { contactExternalId: externalId, contactEmail: email }
    expect((await ingest(event)).body).toMatchObject({ success: true, contactCreated: false })
    expect(await find(id)).toMatchObject({ externalId, email })
    expect((await ingest({ contactExternalId: externalId })).status).toBe(200)
  })

  test('fills the address of a contact that is known by its external id, with the status of the list', async () => {
    for (const status of ['active', 'unsubscribed']) {
      const [email, externalId] = [newAddress(), newExternalId()]
      const { id } = await made({ externalId, phone: phone() })
      if (status !== 'active') {
        await api.alice.post('/v1/suppressions', { email, reason: 'unsubscribed' })
      }
      await ingest({ contactExternalId: externalId, contactEmail: email })
      expect(await find(id)).toMatchObject({ externalId, email, emailStatus: status })
      expect((await ingest({ contactEmail: email })).status).toBe(200)
    }
  })

  test('fills one or both of a contact that is named by our id', async () => {
    const { id } = await made({ phone: phone() })
    const keys = { contactExternalId: newExternalId(), contactEmail: newAddress() }
    await ingest({ contactId: id, ...keys })
    expect(await find(id)).toMatchObject({
      externalId: keys.contactExternalId,
      email: keys.contactEmail,
    })
    const other = await made({ email: newAddress() })
    const externalId = newExternalId()
    await ingest({ contactId: other.id, contactExternalId: externalId, contactEmail: newAddress() })
    expect(await find(other.id)).toMatchObject({ externalId })
  })

  test('changes no key that the contact has, and takes none that another contact has', async () => {
    const ada = { email: newAddress(), externalId: newExternalId() }
    const bea = { email: newAddress() }
    const [{ id: adaId }, { id: beaId }] = [await made(ada), await made(bea)]
    await ingest({ contactId: adaId, contactExternalId: newExternalId() })
    await ingest({ contactId: adaId, contactEmail: newAddress() })
    await ingest({ contactExternalId: ada.externalId, contactEmail: bea.email })
    await ingest({ contactId: beaId, contactExternalId: ada.externalId })
    expect(await find(adaId)).toMatchObject(ada)
    expect(await find(beaId)).toMatchObject({ ...bea, externalId: null })
    // The address is somebody else's: the external id alone is filled.
    const { id } = await made({ phone: phone() })
    const externalId = newExternalId()
    await ingest({ contactId: id, contactExternalId: externalId, contactEmail: ada.email })
    expect(await find(id)).toMatchObject({ externalId, email: null })
    // No other organization's contact either.
    const theirs = await createContact(api.charlie, { email: bea.email })
    await ingest({ contactExternalId: newExternalId(), contactEmail: bea.email })
    expect((await api.charlie.get(`/v1/contacts/${theirs.id}`)).body.externalId).toBeNull()
  })

  test('writes nothing when it came before', async () => {
    const [email, externalId] = [newAddress(), newExternalId()]
    const { id } = await made({ email })
    const event = { contactExternalId: externalId, contactEmail: email, eventId: uuidv7() }
    await ingest(event)
    await api.alice.patch(`/v1/contacts/${id}`, { externalId: null })
    expect((await ingest(event)).body.duplicate).toBe(true)
    expect((await find(id)).externalId).toBeNull()
    expect((await ingest({ ...event, name: 'another' })).body.duplicate).toBe(false)
    expect((await find(id)).externalId).toBe(externalId)
  })

  test('changes the contact as every other writer does: what a change starts is started, once', async () => {
    const flowId = await seedFlow(api.sql, api.alice.organizationId, {
      trigger: { type: 'contact_updated' },
      settings: { allowReentry: true },
    })
    const [email, externalId] = [newAddress(), newExternalId()]
    const { id } = await made({ email })
    for (let n = 0; n < 2; n++) {
      await ingest({ contactExternalId: externalId, contactEmail: email })
    }
    expect(await executionsOf(api.sql, flowId)).toMatchObject([{ contactId: id }])
    await api.sql`update flows set enabled = false where id = ${flowId}`
  })
})

test('in a set the first of two external ids is filled, and later rows know the contact by it', async () => {
  const [email, externalId] = [newAddress(), newExternalId()]
  const { id } = await made({ email })
  const created = { email: newAddress(), externalId: newExternalId() }
  const { body } = await api.alice.post('/v1/events/batch', {
    events: [
      { name: 'x', contactExternalId: externalId, contactEmail: email },
      { name: 'x', contactExternalId: newExternalId(), contactEmail: email },
      { name: 'x', contactExternalId: externalId },
      { name: 'x', contactEmail: created.email, createIfMissing: true },
      {
        name: 'x',
        contactEmail: created.email,
        contactExternalId: created.externalId,
        createIfMissing: true,
      },
    ],
  })
  expect(body).toMatchObject({ processed: 4 })
  expect(body.errorDetails).toMatchObject([{ index: 1, reason: 'contact_not_found' }])
  expect(await find(id)).toMatchObject({ externalId })
  expect(await find(created.email)).toMatchObject(created)
})

test('the first of many concurrent external ids of one contact is filled', async () => {
  const email = newAddress()
  const { id } = await made({ email })
  const externalIds = Array.from({ length: 12 }, newExternalId)
  const answers = await Promise.all(
    externalIds.map((contactExternalId) => ingest({ contactExternalId, contactEmail: email })),
  )
  const { externalId } = await find(id)
  expect(externalIds).toContain(externalId)
  const first = answers[externalIds.indexOf(externalId)]
  expect(first?.status).toBe(200)
  expect(answers.every(({ status }) => [200, 404].includes(status))).toBe(true)
  expect((await ingest({ contactExternalId: externalId })).status).toBe(200)
})
