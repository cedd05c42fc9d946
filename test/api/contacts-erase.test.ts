import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

let people = 0
const person = () => createContact(api.alice, { email: `ada-${++people}@example.com` })
const rows = async (id: string) => {
  const [row] = await api.sql<Record<string, number>[]>`
    select (select count(*) from contacts where id = ${id}) as contacts,
      (select count(*) from erasures where contact_id = ${id}) as erasures,
      (select count(*) from outbox where kind = 'start_erasure'
        and payload ->> 'erasureId' in (select e.id::text from erasures e where contact_id = ${id})
      ) as promises`
  return row
}

test('an accepted erasure: the contact is gone, the rest is promised, who asked is on record', async () => {
  const { id } = await person()
  const { status, body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(status).toBe(202)
  expect(body).toEqual({
    id: expect.any(String),
    contactId: id,
    status: 'running',
    mails: 0,
    requestedAt: expect.any(String),
    completedAt: null,
  })
  expect(await rows(id)).toEqual({ contacts: 0, erasures: 1, promises: 1 })
  expect((await api.alice.get(`/v1/contacts/${id}`)).status).toBe(404)
  expect((await api.alice.get(`/v1/erasures/${body.id}`)).body).toEqual(body)
  const audited = await api.alice.get('/v1/audit-events?action=contact.erased&limit=1')
  expect(audited.body.data[0]).toMatchObject({
    actorId: api.alice.keyId,
    subjectId: id,
    detail: { erasureId: body.id },
  })
})

test('a contact is named by its address or external id as everywhere; afterwards by its id only', async () => {
  const { id } = await createContact(api.alice, { email: 'bea@example.com', externalId: 'bea' })
  const first = await api.alice.post('/v1/contacts/bea@example.com/erase')
  expect(first).toMatchObject({ status: 202, body: { contactId: id } })
  const again = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(again).toMatchObject({ status: 202, body: { id: first.body.id } })
  for (const gone of ['bea@example.com', 'bea']) {
    expect((await api.alice.post(`/v1/contacts/${gone}/erase`)).status).toBe(404)
  }
  expect(await rows(id)).toEqual({ contacts: 0, erasures: 1, promises: 1 })
})

test('another organization’s contact and erasure are 403, what is nowhere is 404', async () => {
  const { id } = await person()
  expect((await api.charlie.post(`/v1/contacts/${id}/erase`)).status).toBe(403)
  expect((await api.charlie.get(`/v1/contacts/${id}/export`)).status).toBe(403)
  expect((await api.alice.post(`/v1/contacts/${uuidv7()}/erase`)).status).toBe(404)
  expect(await rows(id)).toEqual({ contacts: 1, erasures: 0, promises: 0 })
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect((await api.charlie.get(`/v1/erasures/${body.id}`)).status).toBe(403)
  expect((await api.charlie.get(`/v1/erasures/${uuidv7()}`)).status).toBe(404)
  // Theirs was never here: its id tells nothing of the erasure either.
  expect((await api.charlie.post(`/v1/contacts/${id}/erase`)).status).toBe(404)
})

test('who reads contacts may see how far it is, and neither export nor erase', async () => {
  const { id } = await person()
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await reader.post(`/v1/contacts/${id}/erase`)).status).toBe(403)
  expect((await reader.get(`/v1/contacts/${id}/export`)).status).toBe(403)
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect((await reader.get(`/v1/erasures/${body.id}`)).status).toBe(200)
})

test('a confirmation that was awaited is awaited no more', async () => {
  const { id } = await person()
  const topicId = uuidv7()
  await api.sql`
    insert into topics (organization_id, id, name, slug, double_opt_in, from_address)
    values (${api.alice.organizationId}, ${topicId}, 'News', 'news', true, 'news@example.com')`
  await api.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status, generation)
    values (${api.alice.organizationId}, ${id}, ${topicId}, 'pending', 3)`
  await api.alice.post(`/v1/contacts/${id}/erase`)
  const ended = await api.sql`select payload from outbox where kind = 'end_confirmation'`
  expect(ended).toEqual([{ payload: { contactId: id, topicId, generation: 3 } }])
})

test('an erasure that is completed can hold no address', async () => {
  const { id } = await person()
  await api.alice.post(`/v1/contacts/${id}/erase`)
  await expect(
    api.sql`update erasures set status = 'completed', completed_at = now() where contact_id = ${id}`,
  ).rejects.toMatchObject({ code: '23514' })
})
