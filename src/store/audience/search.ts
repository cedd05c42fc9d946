/**
 * Searches contacts by a part of their address or number, or, for one or two letters, by the
 * beginning. `sql` is a pool of `letterloom_search`: under the policy of the API's role no index
 * would serve this. Only `organizationId` separates tenants here.
 *
 * 1. The newest contacts are read: most pages are full then, and a small organization is read to
 * its end.
 * 2. The index is asked for the rest. If it does not find too many, the search is complete.
 * 3. Words that it finds too often or cannot find are searched in stretches, one for a page. A page
 * that ends with its stretch has a next page, full or empty.
 */
import type { Audience } from '../../domain/audience/audience.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql } from '../db/sql.ts'
import { isIn, list } from './audience.ts'
import { isIndexed } from './search-terms.ts'

const BOUNDS = {
  /** Contacts that are read first, and that the index may find. */
  found: 10_000,
  stretch: 50_000,
}

interface SearchPage {
  audience: Audience
  search: string
  pageSize: number
  /** From 1. Counted from `before`, if it is given. */
  page: number
  before?: Uuid | undefined
}

interface SearchResult {
  counted: number
  ids: Uuid[]
  /** Older contacts may match, too. */
  end?: Uuid | null
  isExact?: boolean
}

/** `rows` are newest first. `next`: the search continues before this contact. */
export async function contacts(sql: Sql, organizationId: Uuid, page: SearchPage, bounds = BOUNDS) {
  const { ids, end, counted, isExact = false } = await find(sql, organizationId, page, bounds)
  const pageIds = ids.slice(0, page.pageSize)
  const pageAudience: Audience = [{ type: 'contacts', contactIds: pageIds }]
  const limit = pageIds.length
  const rows = limit === 0 ? [] : await list(sql, organizationId, pageAudience, { limit })
  const next = (ids.length > pageIds.length ? pageIds.at(-1) : end) ?? undefined
  return { rows, next, counted, isExact }
}

async function find(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  bounds: typeof BOUNDS,
): Promise<SearchResult> {
  const newest = await walk(sql, organizationId, page, bounds.found)
  if (newest.isExact || newest.ids.length > page.pageSize) return newest
  if (isIndexed(page.search)) {
    const indexed = await lookUp(sql, organizationId, page, bounds.found + 1)
    if (indexed.looked <= bounds.found) return { ...indexed, isExact: true }
  }
  // Every stretch begins a page, so that page numbers advance like the cursor.
  for (const rest = { ...page }; ; ) {
    const stretchResult = await walk(sql, organizationId, rest, bounds.stretch)
    const pages = Math.max(1, Math.ceil(stretchResult.counted / page.pageSize))
    if (!stretchResult.end || rest.page <= pages) return stretchResult
    rest.page -= pages
    rest.before = stretchResult.end
  }
}

async function walk(sql: Sql, organizationId: Uuid, page: SearchPage, most: number) {
  const newest = sql`
    from contacts
    where contacts.organization_id = ${organizationId} ${earlier(sql, page)}
    order by contacts.id desc`
  const [row] = await sql<SearchResult[]>`
    with matching as materialized (
      select contacts.id
      from (select ${looked(sql)} ${newest} limit ${most}) contacts
      where ${isIn(sql, organizationId, page.audience)} and ${matches(sql, page.search)}
    )
    select ${resultColumns(sql, page)}, (select id ${newest} offset ${most - 1} limit 1) as "end"`
  const isExact = !row?.end && page.before === undefined
  return { counted: 0, ids: [], ...row, isExact }
}

/**
 * `looked`: how many contacts have the word, up to `most`. The query is shaped for this index:
 * otherwise the planner may read all contacts in order.
 */
async function lookUp(sql: Sql, organizationId: Uuid, page: SearchPage, most: number) {
  const [row] = await sql<(SearchResult & { looked: number })[]>`
    with looked as materialized (
      select ${looked(sql)}
      from contacts
      where array[contacts.organization_id] @> array[${organizationId}::uuid]
        and ${matches(sql, page.search)}
      limit ${most}
    ), matching as materialized (
      select id
      from looked contacts
      where ${isIn(sql, organizationId, page.audience)}
    )
    select ${resultColumns(sql, page)}, (select count(*) from looked) as looked`
  return row ?? { counted: 0, ids: [], looked: 0 }
}

const looked = (sql: Executor) => sql`
  organization_id, id, email, phone, email_status, sms_status, preferred_channel, created_at,
  updated_at`

const resultColumns = (sql: Executor, page: SearchPage) => sql`
  (select count(*) from matching) as counted,
  array(
    select contacts.id
    from matching contacts
    where true ${earlier(sql, page)}
    order by contacts.id desc
    offset ${(page.page - 1) * page.pageSize}
    limit ${page.pageSize + 1}
  ) as ids`

const earlier = (sql: Executor, { before }: SearchPage) =>
  before === undefined ? sql`` : sql`and contacts.id < ${before}`

/** Comparisons of a word: `+` begins numbers only, `@` domains. */
function matches(sql: Executor, word: string) {
  const part = word.replace(/[\\%_]/g, '\\$&')
  const anywhere = `%${part}%`
  if (Array.from(word).length > 2) return sql`(email like ${anywhere} or phone like ${anywhere})`
  if (word.startsWith('+')) return sql`phone like ${`${part}%`}`
  if (word.startsWith('@')) return sql`email like ${anywhere}`
  return sql`
    (email like ${`${part}%`} or email like ${`%@${part}%`} or phone like ${`+${part}%`})`
}
