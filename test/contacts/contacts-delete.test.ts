import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

let people = 0
const person = async (input: object = {}) => {
  const email = `reader-${++people}@example.com`
  return { email, ...(await createContact(api.alice, { email, ...input })) }
}
const exists = async (id: Uuid) => (await api.alice.get(`/v1/contacts/${id}`)).status === 200

test('by id, address and external id; a second time it is not there', async () => {
  const byId = await person()
  const byEmail = await person()
  const byExternalId = await person({ externalId: 'ext' })
  for (const [{ id }, name] of [
    [byId, byId.id],
    [byEmail, byEmail.email],
    [byExternalId, 'ext'],
  ] as const) {
    const { status, body } = await api.alice.delete(`/v1/contacts/${name}`)
    expect([status, body]).toEqual([200, { success: true }])
    expect(await exists(id)).toBe(false)
    expect((await api.alice.delete(`/v1/contacts/${name}`)).status).toBe(404)
  }
})

test('a stranger deletes nothing', async () => {
  const { id, email } = await person()
  expect((await api.charlie.delete(`/v1/contacts/${id}`)).status).toBe(403)
  expect((await api.charlie.delete(`/v1/contacts/${email}`)).status).toBe(404)
  const bulk = await api.charlie.delete('/v1/contacts', { ids: [id] })
  expect([bulk.status, bulk.body]).toEqual([200, { success: true, deleted: 0 }])
  expect(await exists(id)).toBe(true)
})

test('many at once: what exists is deleted and counted, once', async () => {
  const some = await Promise.all([0, 1, 2].map(() => person()))
  const stays = await person()
  const ids = some.map(({ id }) => id)
  const { body } = await api.alice.delete('/v1/contacts', { ids: [...ids, ids[0], uuidv7()] })
  expect(body).toEqual({ success: true, deleted: 3 })
  expect(await Promise.all([...ids, stays.id].map(exists))).toEqual([false, false, false, true])
})

test.each([
  ['none', [], 'ids'],
  ['more than a thousand', Array.from({ length: 1_001 }, () => uuidv7()), 'ids'],
  ['what is no id', ['reader@example.com'], 'ids[0]'],
])('%s is refused', async (_name, ids, path) => {
  const { status, body } = await api.alice.delete('/v1/contacts', { ids })
  expect([status, body.details[0].path]).toEqual([422, path])
})

test('its subscriptions, figures and record go with it', async () => {
  const { id } = await person({ emailStatus: 'unsubscribed' })
  await api.sql`
    insert into contact_stats (organization_id, contact_id)
    values (${api.alice.organizationId}, ${id})`
  await api.alice.delete(`/v1/contacts/${id}`)
  const [left] = await api.sql`
    select (select count(*) from contact_stats where contact_id = ${id}) as stats,
      (select count(*) from consent_events where contact_id = ${id}) as events`
  expect(left).toEqual({ stats: 0, events: 0 })
})
