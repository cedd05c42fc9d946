import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayBucket, uuidv7 } from '../../src/runtime/ids.ts'
import * as erasures from '../../src/store/privacy/erasures.ts'
import { transact } from '../../src/store/db/sql.ts'
import { type Api, createContact, insertMail, startApi } from '../support/api.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

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
      ) as messages`
  return row
}

test('an accepted erasure: the contact is gone, the rest is in the outbox, and the caller is on record', async () => {
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
  expect(await rows(id)).toEqual({ contacts: 0, erasures: 1, messages: 1 })
  expect((await api.alice.get(`/v1/contacts/${id}`)).status).toBe(404)
  expect((await api.alice.get(`/v1/erasures/${body.id}`)).body).toEqual(body)
  const audited = await api.alice.get('/v1/audit-events?action=contact.erased&limit=1')
  expect(audited.body.data[0]).toMatchObject({
    actorId: api.alice.keyId,
    subjectId: id,
    detail: { erasureId: body.id },
  })
})

test('a contact is named by its address or external id as everywhere; afterwards by its id', async () => {
  const { id } = await createContact(api.alice, { email: 'bea@example.com', externalId: 'bea' })
  const first = await api.alice.post('/v1/contacts/bea@example.com/erase')
  expect(first).toMatchObject({ status: 202, body: { contactId: id } })
  // Its address as well, until nothing here knows it any more.
  for (const again of [id, 'bea@example.com']) {
    const { status, body } = await api.alice.post(`/v1/contacts/${again}/erase`)
    expect([status, body.id]).toEqual([202, first.body.id])
  }
  expect((await api.alice.post('/v1/contacts/bea/erase')).status).toBe(404)
  expect(await rows(id)).toEqual({ contacts: 0, erasures: 1, messages: 1 })
  await transact(api.sql, (tx) =>
    erasures.complete(tx, api.alice.organizationId, String(first.body.id)),
  )
  expect((await api.alice.post('/v1/contacts/bea@example.com/erase')).status).toBe(404)
  const last = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(last).toMatchObject({ status: 202, body: { id: first.body.id, status: 'completed' } })
})

test('it is one erasure, however many ask at once, by whatever name', async () => {
  const { id } = await person()
  const names = [id, `ada-${people}@example.com`]
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => api.alice.post(`/v1/contacts/${names[i % 2]}/erase`)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await rows(id)).toEqual({ contacts: 0, erasures: 1, messages: 1 })
  const { body } = await api.alice.get('/v1/audit-events?action=contact.erased&limit=100')
  const proofs = body.data.filter(({ subjectId }: { subjectId: string }) => subjectId === id)
  expect(proofs).toHaveLength(1)
})

test('asking again while it runs starts it again, once, and not after it is over', async () => {
  const { id } = await person()
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  await api.sql`update outbox set done_at = now() where payload ->> 'erasureId' = ${body.id}`
  for (let times = 0; times < 2; times++) await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(await rows(id)).toMatchObject({ erasures: 1, messages: 2 })
  await transact(api.sql, (tx) => erasures.complete(tx, api.alice.organizationId, body.id))
  await api.sql`update outbox set done_at = now() where payload ->> 'erasureId' = ${body.id}`
  await api.alice.post(`/v1/contacts/${id}/erase`)
  expect(await rows(id)).toMatchObject({ erasures: 1, messages: 2 })
})

test('another organization’s contact and erasure are 403, what is nowhere is 404', async () => {
  const { id } = await person()
  expect((await api.charlie.post(`/v1/contacts/${id}/erase`)).status).toBe(403)
  expect((await api.charlie.get(`/v1/contacts/${id}/export`)).status).toBe(403)
  expect((await api.alice.post(`/v1/contacts/${uuidv7()}/erase`)).status).toBe(404)
  expect(await rows(id)).toEqual({ contacts: 1, erasures: 0, messages: 0 })
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect((await api.charlie.get(`/v1/erasures/${body.id}`)).status).toBe(403)
  expect((await api.charlie.get(`/v1/erasures/${uuidv7()}`)).status).toBe(404)
  // Theirs was never here: its id tells nothing of the erasure either.
  expect((await api.charlie.post(`/v1/contacts/${id}/erase`)).status).toBe(404)
})

test('a reader of contacts may see the progress, but neither export nor erase', async () => {
  const { id } = await person()
  const reader = await api.client(api.alice.organizationId, ['read'])
  expect((await reader.post(`/v1/contacts/${id}/erase`)).status).toBe(403)
  expect((await reader.get(`/v1/contacts/${id}/export`)).status).toBe(403)
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  expect((await reader.get(`/v1/erasures/${body.id}`)).status).toBe(200)
})

test('a contact that was deleted before is erased by its own id or address only', async () => {
  const gone = async (name: string) => {
    const { id } = await createContact(api.alice, { email: `${name}@example.com` })
    await api.sql`delete from contacts where id = ${id}`
    return id
  }
  const byId = await gone('deleted-1')
  expect((await api.charlie.post(`/v1/contacts/${byId}/erase`)).status).toBe(404)
  const first = await api.alice.post(`/v1/contacts/${byId}/erase`)
  expect(first).toMatchObject({ status: 202, body: { contactId: byId } })
  const earlier = await gone('deleted-2')
  const later = await gone('deleted-2')
  expect((await api.charlie.post('/v1/contacts/deleted-2@example.com/erase')).status).toBe(404)
  const second = await api.alice.post('/v1/contacts/Deleted-2@example.com/erase')
  expect(second).toMatchObject({ status: 202, body: { contactId: later } })
  const again = await api.alice.post('/v1/contacts/deleted-2@example.com/erase')
  expect(again).toMatchObject({ status: 202, body: { id: second.body.id } })
  const [row] = await api.sql`
    select contact_ids, email from erasures where id = ${second.body.id}`
  expect(row).toEqual({ contactIds: [later, earlier], email: 'deleted-2@example.com' })
})

test('a deleted contact is erased without the mails of who has the address by now', async () => {
  const email = 'handed-on@example.com'
  const { id } = await createContact(api.alice, { email })
  const bucket = dayBucket(uuidv7())
  const mail = { organizationId: api.alice.organizationId, bucket, connectionId: uuidv7() }
  await insertMail(api.sql, { ...mail, id: uuidv7(), contactId: id, recipient: email })
  await api.sql`delete from contacts where id = ${id}`
  const { id: heir } = await createContact(api.alice, { email })
  const { body } = await api.alice.post(`/v1/contacts/${id}/erase`)
  const [row] = await api.sql`select contact_ids, email from erasures where id = ${body.id}`
  expect(row).toEqual({ contactIds: [id], email: null })
  expect((await api.alice.get(`/v1/contacts/${heir}`)).status).toBe(200)
  // The person who has it now takes the earlier one along.
  const { body: whole } = await api.alice.post(`/v1/contacts/${heir}/erase`)
  const [both] = await api.sql`select contact_ids from erasures where id = ${whole.id}`
  expect(both).toEqual({ contactIds: [heir, id] })
})

test('contacts are deleted with their organization, too', async () => {
  const { organizationId } = await seedOrganization(api.sql)
  await seedContacts(api.sql, organizationId, 2)
  await api.admin`delete from organizations where id = ${organizationId}`
  expect(await api.sql`select from contacts where organization_id = ${organizationId}`).toEqual([])
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
