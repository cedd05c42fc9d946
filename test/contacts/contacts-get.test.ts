import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api
let ada: { id: string }
const uuidLike = uuidv7()
beforeAll(async () => {
  api = await startApi()
  ada = await createContact(api.alice, { email: 'ada+1@example.com', externalId: 'crm 1' })
  await createContact(api.alice, { email: 'bob@example.com', externalId: uuidLike })
})
afterAll(() => api.close())

test('by id, in any case, by address and by external id', async () => {
  for (const id of [
    ada.id,
    ada.id.toUpperCase(),
    'ada%2B1@example.com',
    'ADA%2B1%40EXAMPLE.COM',
    'crm%201',
  ]) {
    const { status, body } = await api.alice.get(`/v1/contacts/${id}`)
    expect([id, status, body.id]).toEqual([id, 200, ada.id])
  }
})

test('an external id that looks like an id is found after the ids', async () => {
  expect((await api.alice.get(`/v1/contacts/${uuidLike}`)).body.email).toBe('bob@example.com')
  expect((await api.alice.get(`/v1/contacts/${uuidLike}?by=id`)).status).toBe(404)
  expect((await api.alice.get(`/v1/contacts/${uuidLike}?by=externalId`)).status).toBe(200)
})

test('`by` forces how it is read', async () => {
  expect((await api.alice.get(`/v1/contacts/${ada.id}?by=id`)).status).toBe(200)
  expect((await api.alice.get(`/v1/contacts/${ada.id}?by=email`)).status).toBe(404)
  expect((await api.alice.get('/v1/contacts/crm%201?by=email')).status).toBe(404)
  expect((await api.alice.get('/v1/contacts/crm%201?by=name')).status).toBe(400)
})

test('a stranger gets 403 for an id, 404 for an address and an external id', async () => {
  const stranger = await api.charlie.get(`/v1/contacts/${ada.id}`)
  expect([stranger.status, stranger.body.code]).toEqual([403, 'FORBIDDEN'])
  expect(stranger.text).not.toContain('ada+1')
  expect((await api.charlie.get('/v1/contacts/ada%2B1@example.com')).status).toBe(404)
  expect((await api.charlie.get('/v1/contacts/crm%201')).status).toBe(404)
  expect((await api.charlie.get(`/v1/contacts/${ada.id}?by=externalId`)).status).toBe(404)
})

test('an unknown contact is 404', async () => {
  expect((await api.alice.get(`/v1/contacts/${uuidv7()}`)).status).toBe(404)
})
