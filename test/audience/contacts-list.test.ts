import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
  for (let i = 1; i <= 25; i++) {
    await createContact(api.alice, {
      email: `reader-${i}@example.com`,
      ...(i % 5 === 0 ? { emailStatus: 'unsubscribed', phone: `+1555000${1000 + i}` } : {}),
    })
  }
  await createContact(api.charlie, { email: 'reader-1@example.com' })
})
afterAll(() => api.close())

const emails = (body: { contacts: { email: string }[] }) => body.contacts.map(({ email }) => email)

test('newest first, by pages, only one’s own', async () => {
  const { body } = await api.alice.get('/v1/contacts/?page=2&pageSize=10')
  expect(body).toMatchObject({
    page: 2,
    pageSize: 10,
    total: 25,
    totalPages: 3,
    totalIsExact: true,
    nextCursor: expect.any(String),
  })
  expect(emails(body)).toEqual(Array.from({ length: 10 }, (_, i) => `reader-${15 - i}@example.com`))
  const last = await api.alice.get('/v1/contacts?page=3&pageSize=10')
  expect([last.body.contacts.length, last.body.nextCursor]).toEqual([5, null])
  const beyond = await api.alice.get('/v1/contacts?page=9&pageSize=10')
  expect([beyond.body.contacts, beyond.body.total]).toEqual([[], 25])
  expect((await api.charlie.get('/v1/contacts')).body.total).toBe(1)
})

test('a cursor walks through all of them once, while others write', async () => {
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { body } = await api.alice.get(`/v1/contacts?pageSize=10&search=reader-${query}`)
    seen.push(...emails(body))
    cursor = body.nextCursor
    await createContact(api.alice, { email: `late-${uuidv7()}@example.com` })
  }
  expect(seen.length).toBe(25)
  expect(new Set(seen).size).toBe(25)
})

describe('a cursor is good for one list of one organization with the same filters', () => {
  test('and nothing else', async () => {
    const { nextCursor } = (await api.alice.get('/v1/contacts?pageSize=5')).body
    expect((await api.alice.get(`/v1/contacts?pageSize=9&cursor=${nextCursor}`)).status).toBe(200)
    const bytes = Buffer.from(nextCursor, 'base64url')
    const otherRow = Buffer.concat([bytes.subarray(0, 12), Buffer.from(uuidv7())])
    const wrong = [
      [api.charlie, `/v1/contacts?cursor=${nextCursor}`],
      [api.alice, `/v1/contacts?cursor=${nextCursor}&emailStatus=active`],
      [api.alice, `/v1/templates?cursor=${nextCursor}`],
      [api.alice, `/v1/email/logs?cursor=${nextCursor}`],
      [api.alice, `/v1/contacts?cursor=${nextCursor}&page=2`],
      [api.alice, `/v1/contacts?cursor=${nextCursor.slice(0, -1)}`],
      [api.alice, `/v1/contacts?cursor=${nextCursor}A`],
      [api.alice, `/v1/contacts?cursor=${otherRow.toString('base64url')}`],
      [api.alice, '/v1/contacts?cursor=x'],
      [api.alice, '/v1/contacts?cursor='],
    ] as const
    for (const [client, url] of wrong) {
      const { status, body } = await client.get(url)
      expect([url, status, body.code]).toEqual([url, 400, 'BAD_REQUEST'])
    }
  })
})

test('filters', async () => {
  const total = async (query: string) => (await api.alice.get(`/v1/contacts?${query}`)).body.total
  expect(await total('emailStatus=unsubscribed')).toBe(5)
  expect(await total('emailStatus=unsubscribed&smsStatus=pending_consent')).toBe(5)
  expect(await total('smsStatus=opted_in')).toBe(0)
  expect(await total('preferredChannel=sms')).toBe(0)
  expect(await total('search=READER-2')).toBe(7)
  expect(await total('search=%2B15550001')).toBe(5)
  expect(await total('search=reader_2')).toBe(0)
  expect(await total('search=%25')).toBe(0)
  expect(await total(`search=reader-&createdAfter=2020-01-01T00:00:00Z`)).toBe(25)
  expect(await total('search=reader-&createdAfter=2020-01-01T00:00:00%2B23:00')).toBe(25)
  expect(await total('updatedAfter=2999-01-01T00:00:00Z')).toBe(0)
  expect((await api.alice.get('/v1/contacts?emailStatus=gone')).status).toBe(400)
})

test('beyond ten thousand a client that loops to totalPages loses nobody', async () => {
  const { organizationId } = api.charlie
  const ids = Array.from({ length: 10_150 }, () => uuidv7())
  await api.sql`
    insert into contacts (organization_id, id, email, email_status)
    select ${organizationId}, id, 'many-' || n || '@example.com', 'active'
    from unnest(${ids}::uuid[]) with ordinality as given (id, n)`
  let pages = 0
  let seen = 0
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const { body } = await api.charlie.get(`/v1/contacts?pageSize=100&page=${page}`)
    expect(body.totalIsExact).toBe(false)
    totalPages = body.totalPages
    seen += body.contacts.length
    pages++
  }
  expect([seen, pages]).toEqual([10_151, 102])
})
