import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const composed = 'Ren\u00e9e'
const decomposed = 'Rene\u0301e'

const stored = async (name: string) =>
  (
    await api.sql`
      select name, properties, occurred_at
      from events
      where organization_id = ${api.alice.organizationId} and name = ${name}`
  )[0]

test('names and properties of events and contacts are stored in NFC, however they are sent', async () => {
  const { id } = await createContact(api.alice, {
    email: 'nfc@example.com',
    externalId: decomposed,
    properties: { [decomposed]: [decomposed, { a: decomposed }] },
  })
  const contact = (await api.alice.get(`/v1/contacts/${encodeURIComponent(decomposed)}`)).body
  expect(contact).toMatchObject({ id, externalId: composed })
  expect(contact.properties).toEqual({ [composed]: [composed, { a: composed }] })

  await api.alice.patch(`/v1/contacts/${id}`, { properties: { [decomposed]: null, b: decomposed } })
  expect((await api.alice.get(`/v1/contacts/${id}`)).body.properties).toEqual({ b: composed })

  const event = { name: decomposed, contactId: id, properties: { [decomposed]: decomposed } }
  const { status } = await api.alice.post('/v1/events', event)
  expect(status).toBe(200)
  expect(await stored(composed)).toMatchObject({ properties: { [composed]: composed } })
})

test.each([
  ['2026-11-26T23:46:40.000+0000', '2026-11-26T23:46:40.000Z'],
  ['2026-11-27T00:46:40+0100', '2026-11-26T23:46:40.000Z'],
  ['2026-11-26T23:46:40+00', '2026-11-26T23:46:40.000Z'],
  ['2026-11-26t23:46:40.1239z', '2026-11-26T23:46:40.123Z'],
])('an event occurred at %s, which conditions read as well', async (occurredAt, expected) => {
  const { id } = await createContact(api.alice, { email: `t${Math.random()}@example.com` })
  const name = `at ${occurredAt}`
  const sent = { name, contactId: id, occurredAt }
  expect((await api.alice.post('/v1/events', sent)).status).toBe(200)
  expect((await stored(name))?.['occurredAt']).toBe(expected)
})
