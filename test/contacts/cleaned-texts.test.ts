import { afterAll, beforeAll, expect, test } from 'vitest'
import { updateContact } from '../../src/domain/flows/contact-update.ts'
import { type Api, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const texts = { firstName: ' Jose\u0301 ', lastName: '\t', company: 'A\r\nB', jobTitle: '' }
const cleaned = { firstName: 'José', lastName: null, company: 'A B', jobTitle: null }

test('a contact that is created, changed, replaced or upserted has trimmed texts, and none for blank ones', async () => {
  const created = await api.alice.post('/v1/contacts', { email: 'new@example.com', ...texts })
  expect(created.body).toMatchObject(cleaned)
  const { id } = created.body

  const before = { firstName: 'X', lastName: 'X', company: 'X', jobTitle: 'X' }
  for (const write of [
    () => api.alice.patch(`/v1/contacts/${id}`, texts),
    () => api.alice.put(`/v1/contacts/${id}`, { email: 'new@example.com', ...texts }),
  ]) {
    await api.alice.patch(`/v1/contacts/${id}`, before)
    expect((await write()).body).toMatchObject(cleaned)
  }

  await api.alice.patch(`/v1/contacts/${id}`, before)
  const contacts = [{ email: 'new@example.com', ...texts }]
  await api.alice.post('/v1/contacts/batch', { contacts })
  expect((await api.alice.get(`/v1/contacts/${id}`)).body).toMatchObject(cleaned)
})

test('lengths are those of the trimmed text', async () => {
  const firstName = `  ${'n'.repeat(100)}  `
  const { status } = await api.alice.post('/v1/contacts', { email: 'l@example.com', firstName })
  expect(status).toBe(201)
  const tooLong = { email: 'm@example.com', firstName: 'n'.repeat(101) }
  expect((await api.alice.post('/v1/contacts', tooLong)).status).toBe(422)
})

test('an external id is one, whatever blanks are around it', async () => {
  const { body } = await api.alice.post('/v1/contacts', {
    email: 'e@example.com',
    externalId: ' 42 ',
  })
  expect(body.externalId).toBe('42')
  const again = await api.alice.post('/v1/contacts', { email: 'f@example.com', externalId: '42' })
  expect(again).toMatchObject({ status: 409, body: { details: [{ contactId: body.id }] } })
})

test('an event that makes its contact, and a step of a workflow, write the same', async () => {
  await api.alice.post('/v1/events', {
    name: 'signed_up',
    contactEmail: 'made@example.com',
    contactName: ' Ada  Lovelace ',
    createIfMissing: true,
  })
  const { body } = await api.alice.get('/v1/contacts/made@example.com')
  expect(body).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' })

  const empty = { firstName: 'X', lastName: 'X', company: null, jobTitle: 'X' }
  const contact = { ...empty, preferredChannel: null, properties: {} }
  expect(updateContact(contact, { set: texts })).toEqual({ after: { ...contact, ...cleaned } })
  // As many characters as the API takes, whatever UTF-16 makes of them.
  const name = '😀'.repeat(100)
  expect(updateContact(contact, { set: { firstName: name } })).toMatchObject({
    after: { firstName: name },
  })
})
