import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, connectAccount, createBatch } from '../support/api.ts'
import { startPlannedApi } from '../support/rows-read.ts'
import { seedFlow } from '../support/seed-flow.ts'
import { isFull } from '../support/size.ts'
import { insertTopic } from '../support/topics.ts'

/** Of one organization: enough to tell a plan that reads them all from one that does not. */
const CONTACTS = isFull ? 1_000_000 : 200_000
/** Of the first contacts, one each. */
const EXECUTIONS = CONTACTS / 4
/** Within the time that a statement has. */
const AT_ONCE = 50_000
/** Lists count to 10,000 and one; nothing else reads more than its page. */
const MOST_COUNTED = 10_001
const PAGE = 101

let api: Api
let flowId: string
/** Rows that the widest statement of a request of Alice's read. */
let rowsRead: (
  act: () => Promise<{ status: number }>,
  status: number,
  about?: RegExp,
) => Promise<number>

beforeAll(async () => {
  const planned = await startPlannedApi()
  api = planned.api
  rowsRead = (...asked) => planned.rowsRead(api.alice.organizationId, ...asked)
  for (let first = 1; first <= CONTACTS; first += AT_ONCE) {
    await api.sql`
      insert into contacts (organization_id, id, external_id, email, email_status)
      select ${api.alice.organizationId},
        (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000000')::uuid,
        'reader-' || n, 'reader-' || n || '@example.com', 'active'
      from generate_series(${first}::bigint, ${first + AT_ONCE - 1}::bigint) as n`
  }
  flowId = await seedFlow(api.sql, api.alice.organizationId, { settings: { allowReentry: true } })
  // One in a thousand failed.
  for (let first = 1; first <= EXECUTIONS; first += AT_ONCE) {
    await api.sql`
      insert into executions (organization_id, id, flow_id, version, contact_id, status, dedupe_key,
        finished_at)
      select ${api.alice.organizationId}, id, ${flowId}, 1, id,
        case when right(external_id, 3) = '000' then 'failed' else 'completed' end, id, now()
      from contacts
      where external_id = any (select 'reader-' || n
        from generate_series(${first}::bigint, ${first + AT_ONCE - 1}::bigint) as n)`
  }
  await api.admin`analyze contacts, executions`
}, 360_000)
afterAll(() => api.close())

const one = 'reader-177777@example.com'

test('a contact is found by id, address and external id without reading others', async () => {
  const { body } = await api.alice.get(`/v1/contacts/${one}`)
  for (const id of [body.id, one, 'reader-177777']) {
    expect(await rowsRead(() => api.alice.get(`/v1/contacts/${id}`), 200), id).toBeLessThan(3)
  }
  const unknown = 'nobody@example.com'
  expect(await rowsRead(() => api.alice.get(`/v1/contacts/${unknown}`), 404)).toBeLessThan(3)
})

test('a page reads its page, and its total is counted no further than it is told', async () => {
  for (const url of ['/v1/contacts?pageSize=100', '/v1/contacts?pageSize=100&emailStatus=active']) {
    expect(await rowsRead(() => api.alice.get(url), 200), url).toBeLessThanOrEqual(MOST_COUNTED)
  }
  const { body } = await api.alice.get('/v1/contacts?pageSize=100')
  const next = `/v1/contacts?pageSize=100&cursor=${body.nextCursor}`
  expect(await rowsRead(() => api.alice.get(next), 200)).toBeLessThanOrEqual(MOST_COUNTED)
})

test('a contact is made, refused as taken and written in a batch without reading others', async () => {
  const create = () => api.alice.post('/v1/contacts', { email: 'new@example.com' })
  expect(await rowsRead(create, 201)).toBeLessThan(3)
  expect(await rowsRead(create, 409)).toBeLessThan(3)
  const contacts = Array.from({ length: PAGE }, (_, n) => ({
    email: `reader-${n * 1_000 + 1}@example.com`,
    firstName: 'Known',
  }))
  const upsert = () => api.alice.post('/v1/contacts/batch', { contacts })
  expect(await rowsRead(upsert, 200)).toBeLessThanOrEqual(PAGE * 3)
})

test('a batch is made without counting its audience to the end', async () => {
  await connectAccount(api.alice)
  const body = {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'x',
    htmlContent: '<p>x</p>',
  }
  expect(await rowsRead(() => api.alice.post('/v1/batch', body), 201)).toBeLessThanOrEqual(
    MOST_COUNTED,
  )
  const batch = await createBatch(api.alice, {})
  expect(batch.id).toBeDefined()
})

test('one contact is changed, replaced and deleted without reading others', async () => {
  const id = 'reader-155555@example.com'
  // The record of consent cannot be written twice; the contact that it touches is read by its key.
  const about = /^(?![^]*insert into consent_events)[^]*\bcontacts\b/
  const changes = [
    () => api.alice.patch(`/v1/contacts/${id}`, { firstName: 'A', properties: { a: 1 } }),
    () => api.alice.patch(`/v1/contacts/${id}`, { emailStatus: 'bounced' }),
    () => api.alice.put(`/v1/contacts/${id}`, { email: id, emailStatus: 'active' }),
    () => api.alice.put(`/v1/contacts/${id}/topics`, { topicIds: [] }),
    () => api.alice.get(`/v1/contacts/${id}/events`),
    () => api.alice.delete(`/v1/contacts/${id}`),
  ]
  for (const [n, act] of changes.entries()) {
    expect(await rowsRead(act, 200, about), `change ${n}`).toBeLessThan(10)
  }
})

test('a topic’s page reads its subscribers and nobody else', async () => {
  const { organizationId } = api.alice
  const topicId = await insertTopic(api.sql, organizationId)
  await api.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select ${organizationId}, id, ${topicId}, 'subscribed'
    from (select id from contacts where organization_id = ${organizationId} order by id limit 5000) c`
  await api.admin`analyze subscriptions`
  const url = `/v1/contacts?topicId=${topicId}&pageSize=100`
  expect(await rowsRead(() => api.alice.get(url), 200)).toBeLessThan(5_010)
})

test('a search reads the newest, and of the rest only what it finds', async () => {
  for (const term of ['reader-177777', 'nobody-is-called-this', '4242@', 'reader', '77@', 'zz']) {
    const url = `/v1/contacts?pageSize=100&search=${term}`
    expect(await rowsRead(() => api.alice.get(url), 200), term).toBeLessThanOrEqual(MOST_COUNTED)
  }
  // Very many have it, but none of the newest: entries of the index, and then a stretch.
  const old = () => api.alice.get('/v1/contacts?search=reader-4')
  expect(await rowsRead(old, 200)).toBeLessThan(Math.max(50_001, CONTACTS * 0.12))
  expect((await old()).body).toMatchObject({ contacts: [], nextCursor: expect.any(String) })
})

test('an event and a trigger find their contact, and what it starts, without reading others', async () => {
  const { body } = await api.alice.get(`/v1/contacts/${one}`)
  // What it writes cannot be written twice, but for events.
  const about =
    /^(?![^]*insert into (?!event))[^]*\b(?:contacts|flows|executions|waits|flow_entries)\b/
  const whom = [
    { contactId: body.id },
    { contactEmail: one },
    { contactExternalId: 'reader-177777' },
    { contactEmail: 'new-by-event@example.com', createIfMissing: true },
  ]
  for (const contact of whom) {
    const tell = () => api.alice.post('/v1/events', { name: 'seen', ...contact })
    expect(await rowsRead(tell, 200, about), JSON.stringify(contact)).toBeLessThan(5)
  }
  const events = Array.from({ length: PAGE }, (_, n) => ({
    name: 'seen',
    contactEmail: `reader-${n * 1_000 + 1}@example.com`,
  }))
  const ingest = () => api.alice.post('/v1/events/batch', { events })
  expect(await rowsRead(ingest, 200, about)).toBeLessThanOrEqual(PAGE * 3)
  const trigger = () =>
    api.alice.post(`/v1/workflows/${flowId}/trigger`, { contactEmail: 'reader-177778@example.com' })
  expect(await rowsRead(trigger, 200, about)).toBeLessThan(5)
  const contacts = events.map(({ contactEmail }) => ({ contactEmail }))
  const start = () => api.alice.post(`/v1/workflows/${flowId}/trigger/batch`, { contacts })
  expect(await rowsRead(start, 200, about)).toBeLessThanOrEqual(PAGE * 3)
})

test('a page of executions reads its page, of a workflow and of a contact', async () => {
  const { body } = await api.alice.get('/v1/contacts/reader-22222')
  const about = /\bexecutions\b/
  const lists = `/v1/workflows/${flowId}/executions`
  for (const url of [
    `${lists}?limit=100`,
    `${lists}?limit=100&status=failed`,
    `${lists}?limit=100&status=waiting`,
    `${lists}?limit=100&contactId=${body.id}`,
    `/v1/contacts/${body.id}/executions?limit=100`,
    `/v1/contacts/${body.id}/executions?limit=100&status=failed`,
  ]) {
    expect(await rowsRead(() => api.alice.get(url), 200, about), url).toBeLessThanOrEqual(PAGE * 3)
  }
})

test('the measure sees a plan that reads them all', async () => {
  const late = () => api.alice.get('/v1/contacts?updatedAfter=2999-01-01T00:00:00Z')
  expect(await rowsRead(late, 200)).toBeGreaterThan(CONTACTS - 10)
})
