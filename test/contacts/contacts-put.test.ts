import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const put = (id: string, body: object) => api.alice.put(`/v1/contacts/${id}`, body)
const find = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body

test('fields that are left out are cleared; status, figures and topics stay', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId)
  const { id } = await createContact(api.alice, {
    externalId: 'put-1',
    email: 'put-1@example.com',
    phone: '+15552220001',
    firstName: 'Ada',
    preferredChannel: 'sms',
    emailStatus: 'unsubscribed',
    properties: { plan: 'pro' },
  })
  await api.alice.put(`/v1/contacts/${id}/topics`, { topicIds: [topicId] })
  await api.sql`
    insert into contact_stats (organization_id, contact_id, emails_sent)
    values (${api.alice.organizationId}, ${id}, 7)`
  const { status, body } = await put(id, { email: 'put-1@example.com', lastName: 'L' })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id,
    externalId: null,
    email: 'put-1@example.com',
    phone: null,
    firstName: null,
    lastName: 'L',
    preferredChannel: null,
    properties: {},
    emailStatus: 'unsubscribed',
    smsStatus: null,
    emailsSent: 7,
    topics: [{ topicId, status: 'subscribed' }],
  })
  expect(await find(id)).toEqual(body)
})

test('an answer, edited, is a body: get, edit, put', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId)
  const { id } = await createContact(api.alice, {
    externalId: 'put-2',
    email: 'put-2@example.com',
    phone: '+15552220002',
    properties: { plan: 'pro', none: null },
    topicIds: [topicId],
  })
  const before = await find(id)
  const edited = { ...before, firstName: 'Edited', emailsSent: 99, createdAt: '1970-01-01' }
  const { status, body } = await put(id, edited)
  expect(status).toBe(200)
  expect(body).toEqual({ ...before, firstName: 'Edited', updatedAt: body.updatedAt })
})

test('topics are these and no others when they are given', async () => {
  const [a, b] = await Promise.all([0, 1].map(() => insertTopic(api.sql, api.alice.organizationId)))
  const { id } = await createContact(api.alice, { email: 'put-3@example.com', topicIds: [a] })
  const { body } = await put(id, { email: 'put-3@example.com', topicIds: [b] })
  const statuses = Object.fromEntries(
    body.topics.map((each: { topicId: string; status: string }) => [each.topicId, each.status]),
  )
  expect(statuses).toEqual({ [a!]: 'unsubscribed', [b!]: 'subscribed' })
})

test('a contact that nobody could reach is refused, and stays', async () => {
  const { id } = await createContact(api.alice, { email: 'put-4@example.com', firstName: 'Ada' })
  const { status, body } = await put(id, { firstName: 'Nobody' })
  expect([status, body.details[0].path]).toEqual([400, 'email'])
  expect((await find(id)).firstName).toBe('Ada')
})

test('a stranger’s contact is not replaced', async () => {
  const { id } = await createContact(api.alice, { email: 'put-5@example.com' })
  const answer = await api.charlie.put(`/v1/contacts/${id}`, { email: 'mine@example.com' })
  expect(answer.status).toBe(403)
  expect((await find(id)).email).toBe('put-5@example.com')
})
