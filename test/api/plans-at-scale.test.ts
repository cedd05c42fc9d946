import { afterAll, beforeAll, expect, test } from 'vitest'
import { within } from '../../src/store/sql.ts'
import { type Api, connectAccount, createBatch, startApi } from '../support/api.ts'

/** Of one organization: enough to tell a plan that reads them all from one that does not. */
const CONTACTS = 1_000_000
/** Lists count to 10,000 and one; nothing else reads more than its page. */
const MOST_COUNTED = 10_001
const PAGE = 101

interface Node {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

let api: Api
let asked: { query: string; parameters: unknown[] }[] = []

beforeAll(async () => {
  api = await startApi(
    {},
    { onQuery: (query, parameters) => void asked.push({ query, parameters: [...parameters] }) },
  )
  await api.sql`
    insert into contacts (organization_id, id, external_id, email, email_status)
    select ${api.alice.organizationId},
      (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000000')::uuid,
      'reader-' || n, 'reader-' || n || '@example.com', 'active'
    from generate_series(1, ${CONTACTS}) as n`
  await api.sql`analyze contacts`
}, 120_000)
afterAll(() => api.close())

/**
 * Runs `act` and answers how many rows of its widest statement were read, by the plan under the
 * API's own role and organization, whatever became of them afterwards.
 */
async function rowsRead(act: () => Promise<{ status: number }>, status: number): Promise<number> {
  asked = []
  expect((await act()).status).toBe(status)
  const statements = asked.filter(({ query }) => /\bcontacts\b/.test(query))
  expect(statements.length).toBeGreaterThan(0)
  let most = 0
  for (const { query, parameters } of statements) {
    await within(api.deps.sql, api.alice.organizationId)
      .begin(async (tx) => {
        const [row] = await tx.unsafe(
          `explain (analyze, timing off, format json) ${query}`,
          parameters as never[],
        )
        const [explained] = Object.values(row ?? {})[0] as [{ Plan: Node }]
        most = Math.max(most, widest(explained.Plan))
        throw new RollBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof RollBack)) throw error
      })
  }
  return most
}
class RollBack extends Error {}

const widest = (node: Node): number => {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return Math.max(own, ...(node.Plans ?? []).map(widest))
}

const one = 'reader-777777@example.com'

test('a contact is found by id, address and external id without reading others', async () => {
  const { body } = await api.alice.get(`/v1/contacts/${one}`)
  for (const id of [body.id, one, 'reader-777777']) {
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

test('the measure sees a plan that reads them all', async () => {
  const search = () => api.alice.get('/v1/contacts?search=nobody-is-called-this')
  expect(await rowsRead(search, 200)).toBeGreaterThanOrEqual(CONTACTS)
}, 60_000)
