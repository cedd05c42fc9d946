import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pageFigures } from '../../api/http/pages.ts'
import type { Audience } from '../../src/domain/audience/audience.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { contacts } from '../../src/store/audience/search.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { insertTopic } from '../support/topics.ts'

/** Every other one has a word that the index finds too often. */
const CONTACTS = 24_000
/** More than are looked through at first. */
const NEW = 12_000

const everybody: Audience = [{ type: 'all' }]

interface Seeded {
  id: Uuid
  email: string | null
  phone: string | null
  emailStatus: string | null
}

let api: Api
let seeded: Seeded[]
let asked: { query: string; parameters: unknown[] }[] = []
beforeAll(async () => {
  api = await startApi(
    {},
    {
      onSearch: (query, parameters) => {
        if (query.includes('contacts')) asked.push({ query, parameters: [...parameters] })
      },
    },
  )
  await seed(api.alice.organizationId, 1)
  await seed(api.charlie.organizationId, 2)
  // A second after the others.
  await api.sql`
    insert into contacts (organization_id, id, email, phone)
    values
      (${api.alice.organizationId}, '018bcfe6-0000-7000-8000-000000000000', 'zoë😀x@exämple.com', null),
      (${api.alice.organizationId}, '018bcfe6-0000-7000-8000-000000000001', null, '+4930123456'),
      (${api.alice.organizationId}, '018bcfe6-0000-7000-8000-000000000002', '+plus@example.com', null)`
  seeded = await api.sql<Seeded[]>`
    select id, email, phone, email_status
    from contacts
    where organization_id = ${api.alice.organizationId}
    order by id desc`
})
afterAll(() => api.close())
beforeEach(() => {
  asked = []
})

/**
 * One a millisecond. The oldest is `needle`, every other one `even`, one in fifty `fifty`, one
 * in 150 of the newest `lately`, all but the newest `before`; numbers end in theirs.
 */
const seed = (organizationId: Uuid, tenant: number) => api.sql`
  insert into contacts (organization_id, id, email, phone, email_status, sms_status)
  select ${organizationId},
    (lpad(to_hex(1700000000000 + n), 12, '0') || '7000800000000000000' || ${String(tenant)}::text)::uuid,
    case when n = 1 then 'needle' when n % 2 = 0 then 'even' else 'odd' end || n || case
      when n <= ${CONTACTS - NEW}::int then '.before' when n % 150 = 3 then '.lately' else ''
    end || case when n % 50 = 7 then '@fifty.com' else '@example.com' end,
    '+49151' || lpad(n::text, 8, '0'),
    case when n % 100 = 0 then 'unsubscribed' else 'active' end, 'pending_consent'
  from generate_series(1, ${CONTACTS}) as n`

const search = async (query: string) => {
  const { status, body } = await api.alice.get(`/v1/contacts?${query}`)
  expect([query, status]).toEqual([query, 200])
  return body
}
const emails = ({ contacts }: { contacts: { email: string }[] }) =>
  contacts.map(({ email }) => email)
const wayOf = (query: string) =>
  [
    { way: 'index', shows: /array\[contacts/ },
    { way: 'walk', shows: /matching/ },
  ].find(({ shows }) => shows.test(query))?.way ?? 'page'
/** How what was asked since the test began was looked for. */
const ways = () => asked.map(({ query }) => wayOf(query)).filter((way) => way !== 'page')

test.each([
  ['a part of an address', 'needle', ['needle1.before@example.com']],
  ['in capital letters', 'NEEDLE1.BEFORE@EXAMPLE.COM', ['needle1.before@example.com']],
  ['a part of a number', '+4915100000001', ['needle1.before@example.com']],
  ['a number as it is written', '+49 (151) 0000-0001', ['needle1.before@example.com']],
  ['digits of a number', '5100000001', ['needle1.before@example.com']],
  ['three letters', 'dle', ['needle1.before@example.com']],
  ['two letters', 'ne', ['needle1.before@example.com']],
  ['nobody', 'nobody-is-called-this', []],
  ['two letters that nobody has', 'qj', []],
  ['wildcards mean themselves', 'need%', []],
  ['and so do underscores', 'needle_', []],
  ['nobody, who shares what the index is asked for', 'needle00001', []],
])('what few have is found by the index: %s', async (_name, term, found) => {
  const body = await search(`search=${encodeURIComponent(term)}`)
  expect(emails(body)).toEqual(found)
  expect(body).toMatchObject({ total: found.length, totalIsExact: true, nextCursor: null })
  expect(ways()).toEqual(['walk', 'index'])
})

test.each([
  ['very many have', 'even', ['walk']],
  ['many have', 'fifty', ['walk']],
  ['very many have, but none of the newest', 'before', ['walk', 'index', 'walk']],
])('what %s is not counted to the end', async (_name, word, used) => {
  const body = await search(`search=${word}&pageSize=100&emailStatus=active`)
  const fit = seeded.filter(
    ({ email, emailStatus }) => email?.includes(word) && emailStatus === 'active',
  )
  expect(body.contacts.map(({ id }: Seeded) => id)).toEqual(fit.slice(0, 100).map(({ id }) => id))
  expect(body.total).toBeGreaterThan(100)
  expect(body.total).toBeLessThanOrEqual(fit.length)
  expect(body.totalIsExact).toBe(false)
  expect(ways()).toEqual(used)
})

test('a word that only many of the newest contacts have is counted', async () => {
  const body = await search('search=lately&pageSize=100')
  expect(body).toMatchObject({ total: 80, totalIsExact: true, nextCursor: null })
  expect(ways().at(-1)).toBe('index')
})

/** As the documentation has it. */
const fits = ({ email, phone }: Seeded, word: string) =>
  word.length > 2
    ? email?.includes(word) || phone?.includes(word)
    : [
        word.startsWith('+') ? null : email,
        email?.replace(/^.*@/, ''),
        email?.replace(/^.*@/, '@'),
        phone,
        phone?.slice(1),
      ].some((text) => text?.startsWith(word))

const SHORT = 'a e f n 4 49 + +4 @ @e ex fi od co ++ @@ +@ +p p .c'
const LONG = 'fty @fi 777 d77 100 .com odd1 n2@ +49151000 0077 before@f even100 lately@e 7.bef +pl'
const FOREIGN = 'zoë ë😀x 😀x@ x@exämple +4930 30123456'
/** Nobody has them; what carries them to Postgres must not take them for something else. */
const STRANGE = 'a,b {ab} null "ab" a\\\\b %ab a_b $1'

test.each(`${SHORT} ${LONG} ${FOREIGN} ${STRANGE}`.split(' '))(
  '"%s" is found where it is, newest first, on every page',
  async (word) => {
    const expected = seeded.filter((contact) => fits(contact, word)).map(({ id }) => id)
    const query = `search=${encodeURIComponent(word)}&pageSize=100`
    const first = await search(query)
    const idsOf = (body: { contacts: Seeded[] }) => body.contacts.map(({ id }) => id)
    expect(idsOf(first)).toEqual(expected.slice(0, 100))
    const most = first.totalIsExact ? expected.length : Math.min(expected.length, first.total)
    expect(first.total).toBe(most)
    const seventh = await search(`${query}&page=7`)
    expect(idsOf(seventh)).toEqual(expected.slice(600, 700))
    expect(first.nextCursor === null).toBe(expected.length <= 100)
    if (first.nextCursor === null) return
    const next = await search(`${query}&cursor=${first.nextCursor}`)
    expect(idsOf(next)).toEqual(expected.slice(100, 200))
  },
)

test('with the other filters, and by cursor', async () => {
  const all = emails(await search('search=777.b'))
  expect(all).toHaveLength(12)
  const unsubscribed = await search('search=00.b&emailStatus=unsubscribed&pageSize=100')
  expect(unsubscribed).toMatchObject({ total: 120, totalIsExact: true })
  const first = await search('search=777.b&pageSize=10')
  expect(first).toMatchObject({ total: 12, totalIsExact: true, totalPages: 2 })
  const rest = await search(`search=777.b&pageSize=10&cursor=${first.nextCursor}`)
  expect(rest).toMatchObject({ total: 12, totalIsExact: true, nextCursor: null })
  expect([...emails(first), ...emails(rest)]).toEqual(all)
  expect(emails(await search('search=777.b&pageSize=10&page=2'))).toEqual(emails(rest))
})

test('of a topic’s subscribers', async () => {
  const { organizationId } = api.alice
  const topicId = await insertTopic(api.sql, organizationId)
  const subscribers = seeded.filter((_, n) => n % 7 === 0)
  await api.sql`
    insert into subscriptions (organization_id, contact_id, topic_id, status)
    select ${organizationId}, id, ${topicId}, 'subscribed'
    from unnest(${subscribers.map(({ id }) => id)}::uuid[]) id`
  // As Postgres does by itself after a minute: what it does not know it takes for a few rows.
  await api.admin`analyze subscriptions`
  for (const [word, isExact] of [
    ['even', false],
    ['needle', true],
    ['fifty', true],
    ['d77', true],
  ] as const) {
    const expected = subscribers.filter((contact) => fits(contact, word)).map(({ id }) => id)
    const body = await search(`search=${word}&topicId=${topicId}&pageSize=50`)
    expect(body.contacts.map(({ id }: Seeded) => id)).toEqual(expected.slice(0, 50))
    expect([word, body.totalIsExact]).toEqual([word, isExact])
    expect(body.total).toBeGreaterThanOrEqual(isExact ? expected.length : 51)
    expect(body.total).toBeLessThanOrEqual(expected.length)
  }
})

test('an organization of up to ten thousand contacts is counted exactly', async () => {
  const { organizationId } = await createOrganization(api.sql, {
    name: 'Small',
    ownerEmail: 'small@example.com',
    ownerName: 'Small',
  })
  await api.sql`
    insert into contacts (organization_id, id, email)
    select ${organizationId}, (lpad(to_hex(1700000000000 + n), 12, '0') || '70008000000000000003')::uuid,
      'many' || n || '@example.com'
    from generate_series(1, 9000) as n`
  const page = { audience: everybody, search: 'many', pageSize: 100, page: 1 }
  const { rows, ...counted } = await contacts(api.deps.searchSql, organizationId, page)
  expect(rows.map(({ email }) => email)).toEqual(
    Array.from({ length: 100 }, (_, n) => `many${9_000 - n}@example.com`),
  )
  expect(counted).toEqual({ counted: 9_000, isExact: true, next: rows.at(-1)?.id })
})

test.each([
  ['very many have, but none of the newest', 'before', 4],
  ['the index cannot find', '1.b', 4],
  ['one in fifty have', '@fi', 0],
  ['nobody has and the index cannot find', '@@', 8],
])('a search goes on past its bounds for what %s', async (_name, search, empty) => {
  const { searchSql } = api.deps
  const { organizationId } = api.alice
  const few = { found: 100, stretch: 3_000 }
  const pageSize = 500
  const expected = seeded.filter((contact) => fits(contact, search)).map(({ id }) => id)
  const byCursor: Uuid[] = []
  let emptyPages = 0
  for (let before: Uuid | undefined, goesOn = true; goesOn; ) {
    const page = { audience: everybody, search, pageSize, page: 1, before }
    const { rows, next } = await contacts(searchSql, organizationId, page, few)
    byCursor.push(...rows.map(({ id }) => id))
    if (rows.length === 0 && next) emptyPages++
    before = next
    goesOn = next !== undefined
  }
  expect(byCursor).toEqual(expected)
  expect(emptyPages).toBe(empty)
  const byPage: Uuid[] = []
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const input = { audience: everybody, search, pageSize, page }
    const { rows, next, ...counts } = await contacts(searchSql, organizationId, input, few)
    byPage.push(...rows.map(({ id }) => id))
    const hasMore = next !== undefined
    const figures = pageFigures({ page, pageSize, hasMore, ...counts })
    expect(hasMore && figures.total <= page * pageSize).toBe(false)
    totalPages = figures.totalPages
  }
  expect(byPage).toEqual(expected)
})

test('a client that reads up to totalPages misses no contact', async () => {
  const seen: string[] = []
  for (let page = 1, totalPages = 1; page <= totalPages; page++) {
    const body = await search(`search=even&pageSize=100&page=${page}`)
    totalPages = body.totalPages
    seen.push(...emails(body))
  }
  expect([seen.length, new Set(seen).size]).toEqual([CONTACTS / 2, CONTACTS / 2])
})

test('a client that follows the cursor misses no contact', async () => {
  const seen: string[] = []
  const query = 'search=odd&pageSize=100'
  for (let cursor: string | null = ''; cursor !== null; ) {
    const body = await search(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    seen.push(...emails(body))
    cursor = body.nextCursor
  }
  expect([seen.length, new Set(seen).size]).toEqual([CONTACTS / 2 - 1, CONTACTS / 2 - 1])
})

test('a new contact is found at once, and one that changed by what it has now', async () => {
  const { id } = await createContact(api.alice, { email: 'just-now@example.com' })
  expect(emails(await search('search=just-now'))).toEqual(['just-now@example.com'])
  await api.alice.patch(`/v1/contacts/${id}`, { email: 'later@example.com' })
  expect(emails(await search('search=just-now'))).toEqual([])
  expect(emails(await search('search=later@'))).toEqual(['later@example.com'])
})

test('nothing but its predicates keeps a search to its organization', async () => {
  await search('search=needle')
  await search('search=fifty&pageSize=100')
  await search('search=before&pageSize=100')
  const { organizationId } = api.alice
  const stranger = api.charlie.organizationId
  const strangers = await api.sql<{ id: Uuid }[]>`
    select id from contacts where organization_id = ${stranger}`
  const foreign = new Set(strangers.map(({ id }) => id))
  // Each way answers a stranger's rows as soon as its predicates are gone: that of the index has
  // two, of the rows and of their entries.
  const open = new Set<string>()
  for (const { query, parameters } of asked.splice(0)) {
    const run = async (text: string) => {
      const rows = await api.deps.searchSql.unsafe(text, parameters as never[])
      const ids = rows.flatMap((row) => (row['ids'] as Uuid[] | undefined) ?? [row['id'] as Uuid])
      return ids.filter((id) => foreign.has(id)).length
    }
    expect(parameters).toContain(organizationId)
    expect(await run(query), query).toBe(0)
    const anybodys = query.replace(/contacts\.organization_id = (\$\d+)/g, '$1::uuid is not null')
    expect(anybodys).not.toBe(query)
    const theirs = anybodys.replace(
      /array\[contacts\.organization_id\] @> array\[(\$\d+)::uuid\]/,
      '$1::uuid is not null',
    )
    expect(theirs === anybodys ? 0 : await run(anybodys), anybodys).toBe(0)
    if ((await run(theirs)) > 0) open.add(wayOf(query))
  }
  expect([...open].sort()).toEqual(['index', 'walk'])
})
