import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, createBatch, createContact, startApi } from '../support/api.ts'
import { seedFlow } from '../support/seed-flow.ts'

let api: Api
let connectionId: Uuid
let id: Uuid
let slug: string
beforeAll(async () => {
  api = await startApi()
  ;({ connectionId } = await connectAccount(api.alice))
})
afterAll(() => api.close())
beforeEach(async () => {
  const { body } = await api.alice.post('/v1/topics', { name: `News ${uuidv7()}` })
  ;({ id, slug } = body)
})

const patch = (payload: object, of = id) =>
  api.alice.send({ method: 'PATCH', url: `/v1/topics/${of}`, payload })
const get = (of = id) => api.alice.get(`/v1/topics/${of}`)

async function subscribers(topicId: Uuid, status: string, count: number): Promise<void> {
  const { organizationId } = api.alice
  await api.sql`
    with people as (
      insert into contacts (organization_id, id, email, email_status)
      select ${organizationId}, gen_random_uuid(), ${topicId} || n || ${status} || '@example.com', 'active'
      from generate_series(1, ${count}) as n
      returning id
    )
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select ${organizationId}, id, ${topicId}, ${status}
    from people`
}

describe('PATCH', () => {
  test('changes the given fields and no other; null clears', async () => {
    const before = (await get()).body
    const changed = await patch({ description: 'Monthly', public: false, fromName: 'Ada' })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...before,
      description: 'Monthly',
      public: false,
      fromName: 'Ada',
      updatedAt: expect.any(String),
    })
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
    expect((await patch({ description: null, fromName: null }, slug)).body).toMatchObject({
      description: null,
      fromName: null,
      public: false,
    })
  })

  test('get, edit, patch works: what is read-only is ignored', async () => {
    const { body } = await get()
    const changed = await patch({ ...body, name: 'Other', id: uuidv7(), subscribedCount: 7 })
    expect(changed.body).toMatchObject({ id, slug, name: 'Other', subscribedCount: 0 })
  })

  test('double opt-in cannot be turned on, nor lose what it needs', async () => {
    const refused = await patch({ doubleOptIn: true })
    expect([refused.status, refused.body.details[0].path]).toEqual([400, 'from'])
    const on = await patch({ doubleOptIn: true, from: 'news@example.com' })
    expect(on.body).toMatchObject({ doubleOptIn: true, cloudAccountId: connectionId })
    const without = await patch({ from: null })
    expect([without.status, without.body.details[0].path]).toEqual([400, 'from'])
    expect((await get()).body.from).toBe('news@example.com')
    expect((await patch({ doubleOptIn: false, from: null })).body).toMatchObject({ from: null })
  })

  test('a slug that another topic has is 409, and nothing changes', async () => {
    await api.alice.post('/v1/topics', { name: 'T', slug: `taken-${id}` })
    const refused = await patch({ slug: `taken-${id}`, name: 'Other' })
    expect([refused.status, refused.body.reason]).toEqual([409, 'slug_taken'])
    expect((await get()).body).toMatchObject({ slug })
    expect((await patch({ slug })).status).toBe(200)
  })
})

describe('GET', () => {
  test('by id or slug, with its subscribers', async () => {
    await subscribers(id, 'subscribed', 3)
    await subscribers(id, 'pending', 2)
    await subscribers(id, 'unsubscribed', 1)
    for (const of of [id, id.toUpperCase(), slug]) {
      expect((await get(of)).body).toMatchObject({
        id,
        subscribedCount: 3,
        pendingCount: 2,
        countsAreExact: true,
      })
    }
    expect((await api.charlie.get(`/v1/topics/${id}`)).status).toBe(403)
    expect((await api.charlie.get(`/v1/topics/${slug}`)).status).toBe(404)
  })

  test('counts to ten thousand and says that there are more', async () => {
    await subscribers(id, 'subscribed', 10_001)
    expect((await get()).body).toMatchObject({
      subscribedCount: 10_000,
      pendingCount: 0,
      countsAreExact: false,
    })
  })

  test('lists newest first, page by page, each once, and only one’s own', async () => {
    for (let n = 0; n < 4; n++) await api.alice.post('/v1/topics', { name: `Page ${n}` })
    const all: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await api.alice.get(`/v1/topics?limit=2${cursor && `&cursor=${cursor}`}`)
      all.push(...body.data.map((topic: { id: string }) => topic.id))
      cursor = body.nextCursor
    }
    expect(all.length).toBeGreaterThanOrEqual(5)
    expect(all).toEqual([...new Set(all)].toSorted().toReversed())
    expect(all).toContain(id)
    expect((await api.charlie.get('/v1/topics')).body).toEqual({ data: [], nextCursor: null })
  })
})

describe('DELETE', () => {
  const remove = (of = id) => api.alice.delete(`/v1/topics/${of}`)

  test('takes its subscriptions, keeps the contacts, and ends what is awaited', async () => {
    await subscribers(id, 'subscribed', 2)
    await subscribers(id, 'pending', 2)
    const [awaited] = await api.sql<{ contactId: Uuid; generation: number }[]>`
      update subscriptions set cohort = gen_random_uuid()
      where contact_id = (
        select contact_id from subscriptions where topic_id = ${id} and status = 'pending' limit 1
      )
      returning contact_id, generation`
    expect(await remove(slug)).toMatchObject({ status: 200, body: { success: true } })
    expect((await get()).status).toBe(404)
    expect((await remove()).status).toBe(404)
    expect(await api.sql`select from subscriptions where topic_id = ${id}`).toHaveLength(0)
    const contacts = await api.sql`select from contacts where email like ${`${id}%`}`
    expect(contacts).toHaveLength(4)
    const promised = await api.sql<{ payload: Record<string, unknown> }[]>`
      select payload from outbox
      where kind = 'end_confirmation' and payload ->> 'topicId' = ${id}`
    expect(promised).toHaveLength(1)
    expect(promised[0]?.payload).toMatchObject({ topicId: id, generation: 1 })
    // The other one is a cohort's, which has more to wait for.
    expect(promised[0]?.payload['contactId']).not.toBe(awaited?.contactId)
  })

  test('is 409 while a batch that uses it has not ended', async () => {
    await createContact(api.alice, { email: `${id}@example.com` })
    const batch = await createBatch(api.alice, { scheduledFor: '2099-01-01T00:00:00Z' })
    await api.sql`update batches set topic_id = ${id} where id = ${batch.id}`
    for (const status of ['scheduled', 'queued', 'processing']) {
      await api.sql`update batches set status = ${status} where id = ${batch.id}`
      const refused = await remove()
      expect([refused.status, refused.body.reason]).toEqual([409, 'topic_in_use'])
    }
    expect((await get()).status).toBe(200)
    await api.sql`update batches set status = 'cancelled' where id = ${batch.id}`
    expect((await remove()).status).toBe(200)
  })

  test.each([
    ['its id', () => id],
    ['its id in capital letters', () => id.toUpperCase()],
    ['its slug', () => slug],
  ])('is 409 while the condition of a segment names it by %s', async (_, value) => {
    const filter = { field: 'topics', operator: 'notHasTopic', value: value() }
    const nested = { logic: 'AND', groups: [{ filters: [filter] }] }
    const condition = { logic: 'OR', groups: [{ filters: [], nested }] }
    const { body: segment } = await api.alice.post('/v1/segments', { name: 'Others', condition })
    const refused = await remove()
    expect(refused).toMatchObject({ status: 409, body: { reason: 'topic_in_use' } })
    expect(refused.body.error).toContain('the segment "Others"')
    await api.alice.delete(`/v1/segments/${segment.id}`)
    expect((await remove()).status).toBe(200)
  })

  test('is 409 while an enabled workflow asks for it by its slug', async () => {
    const filter = { field: 'topics', operator: 'hasTopic', value: slug } as const
    const condition: Condition = { logic: 'AND', groups: [{ filters: [filter] }] }
    const flowId = await seedFlow(api.sql, api.alice.organizationId, {
      settings: { exitOn: { events: [], condition } },
    })
    expect(await remove()).toMatchObject({ status: 409, body: { reason: 'topic_in_use' } })
    await api.sql`update flows set enabled = false where id = ${flowId}`
    expect((await remove()).status).toBe(200)
  })

  test('is not for others', async () => {
    expect((await api.charlie.delete(`/v1/topics/${id}`)).status).toBe(403)
    expect((await api.charlie.delete(`/v1/topics/${slug}`)).status).toBe(404)
    expect((await get()).status).toBe(200)
  })
})
