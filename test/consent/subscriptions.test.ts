import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { addressHash, signUnsubscribe } from '../../src/keys/tokens.ts'
import { type Api, createContact, inject, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
let single: Uuid
let double: Uuid
let other: Uuid
beforeAll(async () => {
  api = await startApi()
  const { organizationId } = api.alice
  single = await insertTopic(api.sql, organizationId, { slug: 'news' })
  other = await insertTopic(api.sql, organizationId, { slug: 'other' })
  double = await insertTopic(api.sql, organizationId, { slug: 'offers', doubleOptIn: true })
})
afterAll(() => api.close())

let people = 0
const create = (input: object) =>
  api.alice.post('/v1/contacts', { email: `reader-${++people}@example.com`, ...input })
const replace = (id: string, body: object) => api.alice.put(`/v1/contacts/${id}/topics`, body)

/** The link in a mail to the contact, at the address that the tests of syncs give it. */
const unsubscribeUrl = (contactId: string, topicId?: string): string => {
  const { organizationId } = api.alice
  const hash = addressHash(organizationId, `sync-${contactId}@example.com`)
  const link = { organizationId, contactId, addressHash: hash, ...(topicId ? { topicId } : {}) }
  return `/unsubscribe/${signUnsubscribe(api.deps.keyring, link)}`
}

interface Topic {
  topicSlug: string
  status: string
}
const statuses = (body: { topics: Topic[] }) =>
  Object.fromEntries(body.topics.map(({ topicSlug, status }) => [topicSlug, status]))
const events = async (id: Uuid): Promise<string[]> =>
  (await api.alice.get(`/v1/contacts/${id}/events`)).body.data.map(
    ({ name, properties }: { name: string; properties: { topicSlug: string } }) =>
      `${name} ${properties.topicSlug}`,
  )

test('a new contact is subscribed, or asked where the topic wants a confirmation', async () => {
  const { status, body } = await create({ topicIds: [single], topicSlugs: ['offers', 'news'] })
  expect(status).toBe(201)
  expect(statuses(body)).toEqual({ news: 'subscribed', offers: 'pending' })
  expect(body.pendingTopics).toEqual([double])
  expect(body.topics.find(({ topicSlug }: Topic) => topicSlug === 'news')).toEqual({
    topicId: single,
    topicSlug: 'news',
    topicName: 'news',
    status: 'subscribed',
    subscribedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  const outbox = await api.sql`select kind from outbox where payload->>'contactId' = ${body.id}`
  expect(outbox).toEqual([{ kind: 'start_confirmation' }])
  expect(await events(body.id)).toEqual(
    expect.arrayContaining(['topic_subscribed news', 'topic_confirmation_requested offers']),
  )
})

test('all topics that do not exist are named, a stranger’s among them; nothing is written', async () => {
  const foreign = await insertTopic(api.sql, api.charlie.organizationId, { slug: 'theirs' })
  const { status, body } = await create({
    topicIds: [single, foreign, 'no-uuid'],
    topicSlugs: ['theirs', 'news'],
  })
  expect(status).toBe(400)
  expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
    'topicIds[1]',
    'topicIds[2]',
    'topicSlugs[0]',
  ])
  expect((await api.alice.get(`/v1/contacts/reader-${people}@example.com`)).status).toBe(404)
})

test('PATCH adds topics and takes none away', async () => {
  const { body: made } = await create({ topicIds: [single] })
  const { body } = await api.alice.patch(`/v1/contacts/${made.id}`, { topicSlugs: ['offers'] })
  expect(statuses(body)).toEqual({ news: 'subscribed', offers: 'pending' })
  expect(body).not.toHaveProperty('pendingTopics')
})

test('PUT topics unsubscribes what it does not name, and records both', async () => {
  const { body: made } = await create({ topicIds: [single] })
  const added = await replace(made.email, { topicSlugs: ['offers'] })
  expect([added.status, statuses(added.body)]).toEqual([
    200,
    { news: 'unsubscribed', offers: 'pending' },
  ])
  expect(await events(made.id)).toEqual(
    expect.arrayContaining(['topic_unsubscribed news', 'topic_confirmation_requested offers']),
  )
  const none = await replace(made.id, { topicIds: [] })
  expect(statuses(none.body)).toEqual({ news: 'unsubscribed', offers: 'unsubscribed' })
  // Nobody was subscribed to it: unsubscribing while pending is not an event.
  expect(await events(made.id)).not.toContain('topic_unsubscribed offers')
  const ended = await api.sql`
    select kind from outbox where payload->>'contactId' = ${made.id} order by position`
  expect(ended).toEqual([{ kind: 'start_confirmation' }, { kind: 'end_confirmation' }])
})

test('the same topics again change nothing', async () => {
  const { body: made } = await create({ topicIds: [single] })
  const before = await events(made.id)
  const again = await replace(made.id, { topicIds: [single, single] })
  expect(statuses(again.body)).toEqual({ news: 'subscribed' })
  expect(await events(made.id)).toEqual(before)
})

test('a person who opted out of a topic is subscribed again with resubscribe only', async () => {
  const { body: made } = await create({ topicIds: [single] })
  await api.sql`
    update subscriptions set status = 'unsubscribed', opted_out_at = now() where contact_id = ${made.id}`
  expect(statuses((await replace(made.id, { topicIds: [single] })).body)).toEqual({
    news: 'unsubscribed',
  })
  const willing = await replace(made.id, { topicIds: [single], resubscribe: true })
  expect(statuses(willing.body)).toEqual({ news: 'subscribed' })
})

test('a body that names no topics at all is refused, and changes nothing', async () => {
  const { body: made } = await create({ topicIds: [single] })
  const { status, body } = await replace(made.id, {})
  expect([status, body.details[0].path]).toEqual([400, 'topicIds'])
  expect(statuses((await api.alice.get(`/v1/contacts/${made.id}`)).body)).toEqual({
    news: 'subscribed',
  })
})

test('a stranger’s topics stay', async () => {
  const { body: made } = await create({ topicIds: [single] })
  const { status } = await api.charlie.put(`/v1/contacts/${made.id}/topics`, { topicIds: [] })
  expect(status).toBe(403)
  expect((await replace(uuidv7(), { topicIds: [] })).status).toBe(404)
  expect((await api.alice.get(`/v1/contacts/${made.id}`)).body.topics).toHaveLength(1)
})

test('the list by topic has its subscribers and nobody else', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId, { slug: 'listed' })
  const subscribed = await Promise.all([0, 1, 2].map(() => create({ topicIds: [topicId] })))
  const [first] = subscribed
  await replace(first!.body.id, { topicIds: [] })
  const { body } = await api.alice.get(`/v1/contacts?topicId=${topicId}`)
  const ids = subscribed.slice(1).map((each): Uuid => each.body.id)
  const newestFirst = ids.toSorted((a, b) => (a < b ? 1 : -1))
  expect(body.contacts.map(({ id }: { id: Uuid }) => id)).toEqual(newestFirst)
  expect(body).toMatchObject({ total: 2, totalIsExact: true })
  expect(
    (await api.alice.get(`/v1/contacts?topicId=${topicId}&search=${subscribed[1]!.body.email}`))
      .body.total,
  ).toBe(1)
  const page = await api.alice.get(`/v1/contacts?topicId=${topicId}&pageSize=1`)
  const next = await api.alice.get(
    `/v1/contacts?topicId=${topicId}&pageSize=1&cursor=${page.body.nextCursor}`,
  )
  expect([page, next].map((each) => each.body.contacts[0].id)).toEqual(newestFirst)
})

test('a topic or segment that does not exist is a filter that names nothing', async () => {
  const foreign = await insertTopic(api.sql, api.charlie.organizationId)
  for (const query of [`topicId=${foreign}`, `topicId=${uuidv7()}`, `segmentId=${uuidv7()}`]) {
    const { status, body } = await api.alice.get(`/v1/contacts?${query}`)
    expect([query, status, body.details[0].path]).toEqual([query, 400, query.split('=')[0]])
  }
})

test('segments are a paid feature', async () => {
  const { organizationId } = api.charlie
  await api.sql`update organizations set plan = 'free' where id = ${organizationId}`
  const { status, body } = await api.charlie.get(`/v1/contacts?segmentId=${uuidv7()}`)
  expect([status, body.code]).toEqual([402, 'PAYMENT_REQUIRED'])
  await api.sql`update organizations set plan = 'enterprise' where id = ${organizationId}`
})

test('deleting a contact ends the confirmations that were awaited', async () => {
  const { id } = await createContact(api.alice, {
    email: 'deleted@example.com',
    topicIds: [double],
  })
  expect((await api.alice.delete(`/v1/contacts/${id}`)).body).toEqual({ success: true })
  const rows = await api.sql`
    select kind, payload from outbox where payload->>'contactId' = ${id} order by position`
  expect(rows).toEqual([
    { kind: 'start_confirmation', payload: { contactId: id, topicId: double, generation: 1 } },
    { kind: 'end_confirmation', payload: { contactId: id, topicId: double, generation: 1 } },
  ])
})

describe('a sync by updatedAfter', () => {
  /** Ids of the contacts that changed after `since`. */
  const changedSince = async (since: string): Promise<string[]> =>
    (await api.alice.get(`/v1/contacts?updatedAfter=${since}`)).body.contacts.map(
      ({ id }: { id: string }) => id,
    )
  const updatedAt = async (id: string): Promise<string> =>
    (await api.alice.get(`/v1/contacts/${id}`)).body.updatedAt

  test.each([
    ['topics are replaced', (id: string) => replace(id, { topicIds: [single, other] })],
    [
      'a topic is added',
      (id: string) => api.alice.patch(`/v1/contacts/${id}`, { topicIds: [other] }),
    ],
    ['a confirmation is asked for', (id: string) => replace(id, { topicIds: [single, double] })],
    ['the last topic is left', (id: string) => replace(id, { topicIds: [] })],
    [
      'a set subscribes',
      (id: string) =>
        api.alice.post('/v1/contacts/batch', {
          contacts: [{ email: `sync-${id}@example.com`, externalId: id, topicIds: [other] }],
        }),
    ],
    [
      'the person unsubscribes from a topic',
      (id: string) => inject(api.app, { method: 'POST', url: unsubscribeUrl(id, single) }),
    ],
    [
      'the person unsubscribes from everything',
      (id: string) => inject(api.app, { method: 'POST', url: unsubscribeUrl(id) }),
    ],
  ])('sees the contact when %s', async (_what, change) => {
    const { body: made } = await create({ topicIds: [single] })
    await api.alice.patch(`/v1/contacts/${made.id}`, {
      email: `sync-${made.id}@example.com`,
      externalId: made.id,
    })
    const before = await updatedAt(made.id)
    await sleep(5)
    expect(await changedSince(before)).not.toContain(made.id)
    const { status, body } = await change(made.id)
    expect(status).toBe(200)
    expect(await changedSince(before)).toContain(made.id)
    // A contact that is answered is what is stored: its time can be `ifUnmodifiedSince`.
    const stored = await updatedAt(made.id)
    expect([stored, undefined]).toContain(body.updatedAt)
  })

  test('does not see the contact when nothing of its topics changed', async () => {
    const { body: made } = await create({ topicIds: [single] })
    const before = await updatedAt(made.id)
    await sleep(5)
    expect((await replace(made.id, { topicIds: [single] })).status).toBe(200)
    expect(await updatedAt(made.id)).toBe(before)
  })
})
