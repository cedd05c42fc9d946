import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

let people = 0
async function person(input: object = {}) {
  const email = `reader-${++people}@example.com`
  const { id } = await createContact(api.alice, { email, ...input })
  return { id, email }
}
const patch = (id: string, body: object) => api.alice.patch(`/v1/contacts/${id}`, body)
const find = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body

test('the sent fields change, null clears, the rest stays', async () => {
  const { id, email } = await person({ firstName: 'Ada', lastName: 'L', company: 'C' })
  const before = await find(id)
  const { status, body } = await patch(id, { firstName: 'Adele', company: null })
  expect(status).toBe(200)
  expect(body).toEqual({ ...before, firstName: 'Adele', company: null, updatedAt: body.updatedAt })
  expect(body.updatedAt >= before.updatedAt).toBe(true)
  expect(await find(id)).toEqual(body)
  expect(body).toMatchObject({ email, lastName: 'L' })
})

test('properties are merged one level deep; null takes a key away, and all of them', async () => {
  const { id } = await person({ properties: { a: 1, b: { c: 2 }, d: 3 } })
  const { body } = await patch(id, { properties: { b: { e: 4 }, d: null, f: [null] } })
  expect(body.properties).toEqual({ a: 1, b: { e: 4 }, f: [null] })
  expect((await patch(id, { properties: null })).body.properties).toEqual({})
})

test('every way of naming a contact is taken, and a stranger’s is not', async () => {
  const uuidLike = uuidv7()
  const { id, email } = await person({ externalId: uuidLike })
  const names = [id, id.toUpperCase(), email, encodeURIComponent(email.toUpperCase()), uuidLike]
  for (const [n, name] of names.entries()) {
    const { status, body } = await patch(name, { jobTitle: `Job ${n}` })
    expect([name, status, body.id]).toEqual([name, 200, id])
  }
  expect((await patch(`${uuidLike}?by=id`, {})).status).toBe(404)
  expect((await patch(`${uuidLike}?by=externalId`, {})).status).toBe(200)
  const url = `/v1/contacts/${id}`
  expect((await api.charlie.patch(url, { jobTitle: 'taken' })).status).toBe(403)
  expect((await api.charlie.patch(`/v1/contacts/${email}`, { jobTitle: 'x' })).status).toBe(404)
  expect((await find(id)).jobTitle).toBe('Job 4')
})

test('an answer about a contact is a body, and changes nothing', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId)
  const { id } = await person({ phone: `+1555${1_000_000 + people}`, topicIds: [topicId] })
  const before = await find(id)
  const { status, body } = await patch(id, { ...before, pendingTopics: [], emailStatusKept: true })
  expect([status, body]).toEqual([200, { ...before, updatedAt: body.updatedAt }])
})

describe('is refused', () => {
  test.each([
    ['an unknown field', { emial: 'a@b.io' }, 422, 'emial'],
    ['no address', { email: 'ada' }, 422, 'email'],
    ['a number without a country', { phone: '0151 1234567' }, 400, 'phone'],
    ['neither address nor number left', { email: null }, 400, 'email'],
    ['a topic that does not exist', { topicSlugs: ['none'] }, 400, 'topicSlugs[0]'],
    ['properties nested too deeply', { properties: deep(9) }, 400, 'properties'],
    ['too many properties', { properties: wide(501) }, 422, 'properties'],
    ['too long properties', { properties: { a: 'x'.repeat(33_000) } }, 400, 'properties'],
  ])('%s', async (_name, body, status, path) => {
    const { id } = await person({ firstName: 'Same' })
    const before = await find(id)
    const answer = await patch(id, { firstName: 'Other', ...body })
    expect([answer.status, answer.body.details[0].path]).toEqual([status, path])
    expect(await find(id)).toEqual(before)
  })

  test('properties that would be too many together', async () => {
    const { id } = await person({ properties: wide(400) })
    const more = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`m${n}`, n]))
    const { status, body } = await patch(id, { properties: more })
    expect([status, body.details[0].path]).toEqual([400, 'properties'])
  })
})

test('a value of another contact is a 409 that names the field and never the value', async () => {
  const other = await person({ externalId: 'ext-taken', phone: '+15557654321' })
  const { id } = await person()
  for (const [field, value] of [
    ['externalId', 'ext-taken'],
    ['email', other.email.toUpperCase()],
    ['phone', '+1 555 765-4321'],
  ] as const) {
    const { status, body } = await patch(id, { firstName: 'Lost', [field]: value })
    expect(status).toBe(409)
    expect(body.error).toContain(field)
    expect(body.details).toEqual([{ path: field, message: 'is taken', contactId: other.id }])
    expect(body.error).not.toMatch(/ext-taken|reader-|555/)
  }
  expect((await find(id)).firstName).toBeNull()
})

describe('another address', () => {
  const listed = async (email: string, emailStatus: string) => {
    const { id } = await person({ email, emailStatus })
    await api.alice.delete(`/v1/contacts/${id}`)
  }

  test('begins anew: active, not verified, and confirmed topics ask it', async () => {
    const { organizationId } = api.alice
    const topicId = await insertTopic(api.sql, organizationId, { doubleOptIn: true })
    const { id } = await person({ emailStatus: 'bounced' })
    await api.sql`
      update contacts set email_verified_at = now() where id = ${id}`
    await api.sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status, confirmed_at)
      values (${organizationId}, ${id}, ${topicId}, 'subscribed', now())`
    const { body } = await patch(id, { email: `moved-${people}@example.com` })
    expect(body).toMatchObject({ emailStatus: 'active', emailVerifiedAt: null })
    expect(body.topics).toMatchObject([{ topicId, status: 'pending' }])
    const [row] = await api.sql<{ confirmedAt: string | null }[]>`
      select confirmed_at from subscriptions where contact_id = ${id}`
    expect(row).toEqual({ confirmedAt: null })
    expect(await outboxOf(id)).toEqual(['start_confirmation 2'])
  })

  test('that is on the list has the list’s status, also when active is asked for', async () => {
    await listed('gone@example.com', 'complained')
    const { id } = await person()
    const topicId = await insertTopic(api.sql, api.alice.organizationId)
    const { body } = await patch(id, {
      email: 'gone@example.com',
      emailStatus: 'active',
      topicIds: [topicId],
    })
    expect(body).toMatchObject({ emailStatus: 'complained', emailStatusKept: true })
  })

  test('on the list as unsubscribed ends what was subscribed', async () => {
    await listed('left@example.com', 'unsubscribed')
    const topicId = await insertTopic(api.sql, api.alice.organizationId)
    const { id } = await person({ topicIds: [topicId] })
    const { body } = await patch(id, { email: 'left@example.com' })
    expect(body).toMatchObject({
      emailStatus: 'unsubscribed',
      topics: [{ status: 'unsubscribed' }],
    })
    expect(body).not.toHaveProperty('emailStatusKept')
  })

  test('none: no status, and what had to be confirmed waits for one', async () => {
    const topicId = await insertTopic(api.sql, api.alice.organizationId, { doubleOptIn: true })
    const { id } = await person({ phone: '+15559990001', topicIds: [topicId] })
    const { body } = await patch(id, { email: null, emailStatus: 'active' })
    expect(body).toMatchObject({ email: null, emailStatus: null, topics: [{ status: 'pending' }] })
    const again = await patch(id, { email: 'again@example.com' })
    expect(again.body).toMatchObject({ emailStatus: 'active', topics: [{ status: 'pending' }] })
    expect((await outboxOf(id)).at(-1)).toMatch('start_confirmation')
  })

  test('the same in other letters is no other', async () => {
    const { id, email } = await person({ emailStatus: 'bounced' })
    const { body } = await patch(id, { email: ` ${email.toUpperCase()}` })
    expect(body).toMatchObject({ email, emailStatus: 'bounced' })
  })
})

test('a person is resubscribed at one address only: at another all earlier events hold', async () => {
  const { id, email } = await person({ emailStatus: 'unsubscribed' })
  const takenBackAt = async () => {
    const [row] = await api.sql<{ resubscribedAt: string | null }[]>`
      select resubscribed_at from contacts where id = ${id}`
    return row?.resubscribedAt
  }
  await patch(id, { emailStatus: 'active', resubscribe: true })
  await patch(id, { email, firstName: 'Ada' })
  expect(await takenBackAt()).toEqual(expect.any(String))
  await patch(id, { email: `other-${email}` })
  expect(await takenBackAt()).toBeNull()
})

test('another number begins anew; who opted out stays so unless somebody vouches', async () => {
  const { id } = await person({ phone: '+15551110001', smsStatus: 'opted_out' })
  expect((await find(id)).smsOptedOutAt).not.toBeNull()
  const kept = await patch(id, { smsStatus: 'opted_in' })
  expect(kept.body).toMatchObject({ smsStatus: 'opted_out', smsStatusKept: true })
  const back = await patch(id, { smsStatus: 'opted_in', resubscribe: true })
  expect(back.body).toMatchObject({ smsStatus: 'opted_in', smsConsentedAt: expect.any(String) })
  const moved = await patch(id, { phone: '+15551110002' })
  expect(moved.body).toMatchObject({
    smsStatus: 'pending_consent',
    smsConsentedAt: null,
    smsOptedOutAt: null,
  })
  expect((await patch(id, { phone: null })).body.smsStatus).toBeNull()
})

const outboxOf = async (contactId: Uuid): Promise<string[]> => {
  const rows = await api.sql<{ kind: string; payload: { generation: number } }[]>`
    select kind, payload from outbox where payload->>'contactId' = ${contactId} order by position`
  return rows.map(({ kind, payload }) => `${kind} ${payload.generation}`)
}

function deep(levels: number): object {
  return levels === 1 ? { a: 1 } : { a: deep(levels - 1) }
}

function wide(keys: number): object {
  return Object.fromEntries(Array.from({ length: keys }, (_, n) => [`k${n}`, n]))
}
