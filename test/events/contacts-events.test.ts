import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
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
    type: 'consent',
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

test('custom events stand between changes of consent, each once over all pages', async () => {
  const { id } = await createContact(api.alice, { email: 'dora@example.com' })
  const { id: other } = await createContact(api.alice, { email: 'elsa@example.com' })
  const occurredAt = '2020-01-02T03:04:05.000Z'
  const told: string[] = []
  for (const status of ['unsubscribed', 'bounced', 'suppressed', 'complained']) {
    for (const n of [1, 2]) {
      const name = `${status} ${n}`
      await api.alice.post('/v1/events', { name, contactId: id, properties: { n }, occurredAt })
      await api.alice.post('/v1/events', { name: 'theirs', contactId: other })
      told.push(name)
    }
    await api.alice.patch(`/v1/contacts/${id}`, { emailStatus: status })
    told.push(status)
  }
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`
    const { body } = await api.alice.get(`/v1/contacts/${id}/events?limit=5${after}`)
    seen.push(...body.data.map(({ name }: Event) => name))
    // What comes while somebody reads is before the page that they began with.
    await api.alice.post('/v1/events', { name: 'later', contactId: id })
    cursor = body.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual(told.toReversed())
  const { body } = await api.alice.get(`/v1/contacts/${id}/events?limit=100`)
  expect(body.data.find(({ name }: Event) => name === 'bounced 2')).toEqual({
    id: expect.any(String),
    type: 'custom',
    name: 'bounced 2',
    properties: { n: 2 },
    occurredAt,
  })
})

test('events older than the plan keeps them are not shown, consent as old as that is', async () => {
  const { organizationId } = api.alice
  const [{ days } = { days: 0 }] = await api.sql<{ days: number }[]>`
    select retention_days as days
    from plans
    join organizations o on o.plan = plans.name
    where o.id = ${organizationId}`
  const before = Date.now() - (days + 3) * 86_400_000
  const id = dated(before)
  await api.sql`
    insert into contacts (organization_id, id, email, email_status)
    values (${organizationId}, ${id}, 'fay@example.com', 'active')`
  await api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'bounced' })
  for (const name of ['old', 'new']) await api.alice.post('/v1/events', { name, contactId: id })
  await createPartitions(api.sql, before)
  await api.admin`
    update events set id = ${dated(before)} where contact_id = ${id} and name = 'old'`
  await api.sql`update consent_events set id = ${dated(before)} where contact_id = ${id}`
  const { body } = await api.alice.get(`/v1/contacts/${id}/events`)
  expect(body.data.map(({ name }: Event) => name)).toEqual(['new', 'bounced'])
})

/** A UUID of version 7 as if it had been made at that time, milliseconds. */
const dated = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${uuidv7().slice(13)}`
}
