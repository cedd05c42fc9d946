import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

interface Event {
  name: string
  properties: { topicId: string | null; topicSlug: string | null; source: string }
  occurredAt: string
}

test('a timeline tells what became of somebody’s consent, newest first, by pages', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId, { slug: 'news' })
  const { id } = await createContact(api.alice, { email: 'ada@example.com', topicIds: [topicId] })
  await api.alice.put(`/v1/contacts/${id}/topics`, { topicIds: [] })
  await api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'unsubscribed' })
  await api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'active', resubscribe: true })
  for (const emailStatus of ['bounced', 'suppressed', 'complained']) {
    await api.alice.patch(`/v1/contacts/${id}`, { emailStatus })
  }
  const { status, body } = await api.alice.get('/v1/contacts/ada@example.com/events')
  expect(status).toBe(200)
  expect(body.data.map(({ name }: Event) => name)).toEqual([
    'complained',
    'suppressed',
    'bounced',
    'resubscribed',
    'unsubscribed',
    'topic_unsubscribed',
    'topic_subscribed',
  ])
  expect(body.data.at(-1)).toEqual({
    id: expect.any(String),
    name: 'topic_subscribed',
    properties: { topicId, topicSlug: 'news', source: 'api' },
    occurredAt: expect.stringMatching(/Z$/),
  })
  const first = await api.alice.get(`/v1/contacts/${id}/events?limit=4`)
  const second = await api.alice.get(
    `/v1/contacts/${id}/events?limit=4&cursor=${first.body.nextCursor}`,
  )
  expect([...first.body.data, ...second.body.data]).toEqual(body.data)
  expect(second.body.nextCursor).toBeNull()

  await api.sql`delete from topics where id = ${topicId}`
  const later = (await api.alice.get(`/v1/contacts/${id}/events`)).body.data
  expect(later.at(-1).properties).toEqual({ topicId, topicSlug: null, source: 'api' })
})

test('a cursor of one contact is none of another, and a stranger sees nothing', async () => {
  const ids = await Promise.all(
    ['bea', 'cleo'].map(async (name) => {
      const { id } = await createContact(api.alice, { email: `${name}@example.com` })
      for (const emailStatus of ['unsubscribed', 'bounced']) {
        await api.alice.patch(`/v1/contacts/${id}`, { emailStatus })
      }
      return id
    }),
  )
  const { body } = await api.alice.get(`/v1/contacts/${ids[0]}/events?limit=1`)
  const other = `/v1/contacts/${ids[1]}/events?limit=1&cursor=${body.nextCursor}`
  expect((await api.alice.get(other)).status).toBe(400)
  expect((await api.charlie.get(`/v1/contacts/${ids[0]}/events`)).status).toBe(403)
})
