import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Uuid } from '../../src/ids.ts'
import { MOST_WALKED, rarestPart, wordOf } from '../../src/store/search.ts'
import { type Api, createContact, startApi } from '../support/api.ts'

/** So many that the newest of them are not all, by far. */
const CONTACTS = 2 * MOST_WALKED + 4_000

let api: Api
let asked: { query: string; parameters: unknown[] }[] = []
beforeAll(async () => {
  api = await startApi(
    {},
    { onSearch: (query, parameters) => void asked.push({ query, parameters: [...parameters] }) },
  )
  await seed(api, api.alice.organizationId, 1)
  await seed(api, api.charlie.organizationId, 2)
}, 60_000)
afterAll(() => api.close())
beforeEach(() => {
  asked = []
})

/** The oldest is `needle`; every other one is `even`; all have a number that ends in theirs. */
const seed = ({ sql }: Api, organizationId: Uuid, tenant: number) => sql`
  insert into contacts (organization_id, id, email, phone, email_status, sms_status)
  select ${organizationId},
    (lpad(to_hex(1700000000000 + n), 12, '0') || '7000800000000000000' || ${String(tenant)}::text)::uuid,
    case when n = 1 then 'needle' when n % 2 = 0 then 'even' else 'odd' end || n || '@example.com',
    '+49151' || lpad(n::text, 8, '0'),
    case when n % 100 = 0 then 'unsubscribed' else 'active' end, 'pending_consent'
  from generate_series(1, ${CONTACTS}) as n`

const search = async (query: string, of: Api = api) => {
  const { status, body } = await of.alice.get(`/v1/contacts?${query}`)
  expect([query, status]).toEqual([query, 200])
  return body
}
const emails = ({ contacts }: { contacts: { email: string }[] }) =>
  contacts.map(({ email }) => email)
const kindOf = (query: string) =>
  /has_more|position|any\(/.exec(query)?.[0].replace('any(', 'by id') ?? 'all'
const usesIndex = () => asked.some(({ query }) => query.includes('position('))
const readsAll = () =>
  asked.some(
    ({ query }) => /order by contacts\.id desc\s+limit/.test(query) && !query.includes('has_more'),
  )

describe('what few have is found by the index', () => {
  test.each([
    ['a part of an address', 'needle', ['needle1@example.com']],
    ['in capital letters', 'NEEDLE1@EXAMPLE.COM', ['needle1@example.com']],
    ['a part of a number', '+4915100000001', ['needle1@example.com']],
    ['a number as it is written', '+49 (151) 0000-0001', ['needle1@example.com']],
    ['digits of a number', '5100000001', ['needle1@example.com']],
    ['three letters', 'dle', ['needle1@example.com']],
    ['nobody', 'nobody-is-called-this', []],
    ['wildcards mean themselves', 'need%', []],
    ['and so do underscores', 'needle_', []],
  ])('%s', async (_name, term, found) => {
    const body = await search(`search=${encodeURIComponent(term)}`)
    expect(emails(body)).toEqual(found)
    expect(body).toMatchObject({ total: found.length, totalIsExact: true, nextCursor: null })
    expect([usesIndex(), readsAll()]).toEqual([true, false])
  })

  test('newest first, with the other filters, and by cursor', async () => {
    const all = emails(await search('search=777@'))
    const numbers = all.map((email) => Number(/\d+/.exec(email)?.[0]))
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(numbers.length).toBe(24)
    expect(emails(await search('search=00@&emailStatus=unsubscribed&pageSize=100'))).toHaveLength(
      100,
    )
    const first = await search('search=777@&pageSize=20')
    expect(first).toMatchObject({ total: 24, totalIsExact: true, totalPages: 2 })
    const rest = await search(`search=777@&pageSize=20&cursor=${first.nextCursor}`)
    expect([...emails(first), ...emails(rest)]).toEqual(all)
    expect(emails(await search('search=777@&pageSize=20&page=2'))).toEqual(emails(rest))
  })
})

test('what many have is found among the newest, and not counted to the end', async () => {
  await search('search=even&pageSize=1')
  const body = await search('search=even&pageSize=100')
  expect(body.contacts).toHaveLength(100)
  // Half of the few that are looked at first, once the organization is known to be large.
  expect(body).toMatchObject({ totalIsExact: false, total: 1_500 })
  expect([usesIndex(), readsAll()]).toEqual([false, false])
})

test('words too short for the index are looked for among all', async () => {
  const body = await search('search=ne')
  expect(emails(body)).toEqual(['needle1@example.com'])
  expect(body).toMatchObject({ total: 1, totalIsExact: true })
  expect([usesIndex(), readsAll()]).toEqual([false, true])
})

test('who loops to totalPages loses nobody, however many fit', async () => {
  const seen: string[] = []
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const body = await search(`search=even&pageSize=100&page=${page}`)
    totalPages = body.totalPages
    seen.push(...emails(body))
  }
  expect([seen.length, new Set(seen).size]).toEqual([CONTACTS / 2, CONTACTS / 2])
}, 60_000)

test('who follows the cursor loses nobody either', async () => {
  const seen: string[] = []
  const query = 'search=odd&pageSize=100'
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body = await search(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    seen.push(...emails(body))
    cursor = body.nextCursor
  }
  expect([seen.length, new Set(seen).size]).toEqual([CONTACTS / 2 - 1, CONTACTS / 2 - 1])
}, 60_000)

test('a new contact is found at once', async () => {
  await createContact(api.alice, { email: 'just-now@example.com' })
  expect(emails(await search('search=just-now'))).toEqual(['just-now@example.com'])
})

test('nothing but its predicate keeps a search to its organization', async () => {
  await search('search=needle')
  await search('search=ne')
  await search('search=even&pageSize=100')
  const { organizationId } = api.alice
  const foreign = new Set(
    (
      await api.sql<{ id: Uuid }[]>`
        select id from contacts where organization_id = ${api.charlie.organizationId}`
    ).map(({ id }) => id),
  )
  const statements = asked.filter(({ query }) => /\bcontacts\b/.test(query))
  // Each kind of statement answers a stranger's rows as soon as its predicate is gone.
  const kinds = new Set<string>()
  for (const { query, parameters } of statements.filter(
    ({ query }) => !/to_regclass/.test(query),
  )) {
    expect(parameters).toContain(organizationId)
    const run = async (text: string) => {
      const rows = await api.deps.searchSql.unsafe(text, parameters as never[])
      const ids = rows.flatMap((row) => (row['ids'] as Uuid[] | undefined) ?? [row['id'] as Uuid])
      return ids.filter((id) => foreign.has(id)).length
    }
    expect(await run(query), query).toBe(0)
    const open = query.replace(/contacts\.organization_id = (\$\d+)/g, '$1::uuid is not null')
    expect(open).not.toBe(query)
    if ((await run(open)) > 0) kinds.add(kindOf(query))
  }
  expect([...kinds].sort()).toEqual(['all', 'has_more', 'position'])
})

test('a deployment without the extensions finds the same, row by row', async () => {
  const bare = await startApi()
  try {
    await bare.sql`drop index contacts_search`
    await seed(bare, bare.alice.organizationId, 1)
    const body = await search('search=needle', bare)
    expect(emails(body)).toEqual(['needle1@example.com'])
    expect(body).toMatchObject({ total: 1, totalIsExact: true })
  } finally {
    await bare.close()
  }
}, 60_000)

test.each([
  [' Ada@Example.com ', 'ada@example.com'],
  ['+49 (151) 123-45', '+4915112345'],
  ['0151 / 123', '0151123'],
  ['1.2', '1.2'],
  ['ada-1 b', 'ada-1 b'],
  ['   ', ''],
  ['( )', '( )'],
  [')', ')'],
])('"%s" is looked for as "%s"', (given, word) => {
  expect(wordOf(given)).toBe(word)
})

test.each([
  ['+491510000777', '00777'],
  ['@company12.com', 'y12.c'],
  ['dora.12ab', '.12ab'],
  ['gmail.com', 'gmail.com'],
  ['777', '777'],
  ['a1', 'a1'],
])('of "%s" the index is asked for "%s"', (word, part) => {
  expect(rarestPart(word)).toBe(part)
})

test('what shares the part that the index is asked for, and not the word, is not found', async () => {
  expect(emails(await search('search=even0001'))).toEqual([])
  expect(emails(await search('search=1510000'))).toHaveLength(50)
  const body = await search('search=odd7@example')
  expect(emails(body)).toEqual(['odd7@example.com'])
})
