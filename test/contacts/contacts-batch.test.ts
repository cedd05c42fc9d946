import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const upsert = async (contacts: object[]) => {
  const answer = await api.alice.post('/v1/contacts/batch', { contacts })
  expect(answer.status).toBe(200)
  return answer.body
}
const find = async (id: string) => (await api.alice.get(`/v1/contacts/${id}`)).body

test('rows make and change contacts, each with its own result', async () => {
  const ada = await createContact(api.alice, { email: 'ada@example.com', properties: { a: 1 } })
  const answer = await upsert([
    { email: 'ADA@example.com', firstName: 'Ada', properties: { b: 2 } },
    { email: 'bob@example.com', externalId: 'bob' },
    { firstName: 'Nobody' },
    { email: 'carl@example.com', phone: '12' },
    { externalId: 'bob', lastName: 'Builder' },
  ])
  expect(answer).toMatchObject({ success: false, created: 1, updated: 2, failed: 2 })
  expect(answer.results).toEqual([
    { index: 0, id: ada.id, status: 'updated' },
    { index: 1, id: expect.any(String), status: 'created' },
    { index: 2, id: null, status: 'failed', error: expect.stringContaining('email or phone') },
    { index: 3, id: null, status: 'failed', error: expect.stringContaining('phone') },
    { index: 4, id: answer.results[1].id, status: 'updated' },
  ])
  expect(await find('ada@example.com')).toMatchObject({
    firstName: 'Ada',
    properties: { a: 1, b: 2 },
    emailStatus: 'active',
  })
  expect(await find('bob')).toMatchObject({ email: 'bob@example.com', lastName: 'Builder' })
  expect((await api.alice.get('/v1/contacts/carl@example.com')).status).toBe(404)
})

test('writing active over another status never changes it', async () => {
  for (const emailStatus of ['unsubscribed', 'bounced', 'suppressed', 'complained']) {
    const email = `${emailStatus}@example.com`
    const { id } = await createContact(api.alice, { email, emailStatus })
    const { results } = await upsert([{ email, emailStatus: 'active', company: 'New' }])
    expect(results).toEqual([{ index: 0, id, status: 'updated', emailStatusKept: true }])
    expect(await find(id)).toMatchObject({ emailStatus, company: 'New' })
  }
})

test('a status that is not given stays, and a worse one is written with its time', async () => {
  const { id } = await createContact(api.alice, { email: 'status@example.com' })
  await upsert([{ email: 'status@example.com', emailStatus: 'unsubscribed' }])
  await upsert([{ email: 'status@example.com', firstName: 'Same' }])
  expect((await find(id)).emailStatus).toBe('unsubscribed')
  const [row] = await api.sql<{ emailUnsubscribedAt: string | null }[]>`
    select email_unsubscribed_at from contacts where id = ${id}`
  expect(row?.emailUnsubscribedAt).not.toBeNull()
})

test('a row never takes what another contact has, nor turns one person into another', async () => {
  await createContact(api.alice, { email: 'one@example.com', externalId: 'one' })
  await createContact(api.alice, { email: 'two@example.com', externalId: 'two' })
  const { results } = await upsert([
    { externalId: 'one', email: 'two@example.com' },
    { externalId: 'three', email: 'one@example.com' },
  ])
  expect(results).toEqual([
    { index: 0, id: null, status: 'failed', error: 'Another contact has this email already' },
    { index: 1, id: null, status: 'failed', error: 'Another contact has this externalId already' },
  ])
  expect((await find('one')).email).toBe('one@example.com')
  expect((await find('two')).email).toBe('two@example.com')
})

test('a changed address begins anew', async () => {
  await createContact(api.alice, {
    email: 'old@example.com',
    externalId: 'mover',
    emailStatus: 'bounced',
  })
  await upsert([{ externalId: 'mover', email: 'new@example.com' }])
  expect(await find('mover')).toMatchObject({ email: 'new@example.com', emailStatus: 'active' })
})

test('a thousand at once; a row more is refused', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) => ({ email: `k${i}@example.com` }))
  expect(await upsert(rows)).toMatchObject({ success: true, created: 1_000, updated: 0 })
  expect(await upsert(rows)).toMatchObject({ success: true, created: 0, updated: 1_000 })
  const over = await api.alice.post('/v1/contacts/batch', { contacts: [...rows, {}] })
  expect([over.status, over.body.details[0].path]).toEqual([422, 'contacts'])
})

test('the same contacts from many requests at once exist once, and none is lost', async () => {
  const rows = (shift: number) =>
    Array.from({ length: 100 }, (_, i) => ({ email: `race${(i + shift * 37) % 100}@example.com` }))
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => upsert(rows(i))))
  expect(answers.every(({ success }) => success)).toBe(true)
  expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(100)
  expect((await api.alice.get('/v1/contacts?search=race')).body.total).toBe(100)
})

test('another organization’s contact with the same address is untouched', async () => {
  const other = await createContact(api.charlie, { email: 'shared@example.com' })
  await upsert([{ email: 'shared@example.com', firstName: 'Alice’s' }])
  expect((await api.charlie.get(`/v1/contacts/${other.id}`)).body.firstName).toBeNull()
})

test('rows name topics; a row with one that does not exist fails and names it', async () => {
  const { organizationId } = api.alice
  const single = await insertTopic(api.sql, organizationId, { slug: 'batch-news' })
  const double = await insertTopic(api.sql, organizationId, { slug: 'batch-2', doubleOptIn: true })
  const { results } = await upsert([
    { email: 'topic-1@example.com', topicIds: [single], topicSlugs: ['batch-2'] },
    { email: 'topic-2@example.com', topicSlugs: ['batch-news', 'none'] },
  ])
  expect(results).toEqual([
    { index: 0, id: expect.any(String), status: 'created' },
    {
      index: 1,
      id: null,
      status: 'failed',
      error: 'contacts[1].topicSlugs[1] names "none", which does not exist',
    },
  ])
  const { topics } = await find('topic-1@example.com')
  expect(topics).toMatchObject([
    { topicId: single, status: 'subscribed' },
    { topicId: double, status: 'pending' },
  ])
  expect((await api.alice.get('/v1/contacts/topic-2@example.com')).status).toBe(404)
})

test('with resubscribe a row resubscribes contacts who unsubscribed, on record; contacts who complained with full scope only', async () => {
  const some = await api.client(api.alice.organizationId, ['contacts'])
  const people = await Promise.all(
    ['unsubscribed', 'complained'].map(async (emailStatus) => {
      const email = `back-${emailStatus}@example.com`
      return { email, ...(await createContact(api.alice, { email, emailStatus })) }
    }),
  )
  const contacts = people.map(({ email }) => ({ email, emailStatus: 'active', resubscribe: true }))
  const { body } = await some.post('/v1/contacts/batch', { contacts })
  expect(body.results.map((row: { emailStatusKept?: true }) => row.emailStatusKept)).toEqual([
    undefined,
    true,
  ])
  const statuses = async () =>
    Promise.all(people.map(async ({ id }) => (await find(id)).emailStatus))
  expect(await statuses()).toEqual(['active', 'complained'])
  await upsert(contacts)
  expect(await statuses()).toEqual(['active', 'active'])
  const noted = await api.sql`
    select subject_id, detail from audit_events where action = 'contact.resubscribed' order by id`
  expect(noted).toEqual([
    { subjectId: people[0]!.id, detail: { from: 'unsubscribed' } },
    { subjectId: people[1]!.id, detail: { from: 'complained' } },
  ])
})
