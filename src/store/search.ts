import type { Uuid } from '../ids.ts'
import type { Contact } from '../schemas/contact.ts'
import {
  columns,
  type ContactFilters,
  filtered,
  fitting,
  subscribersOf,
  withStats,
} from './contact-rows.ts'
import { madeAt, partsOf, SHORTEST_ANYWHERE, spansBetween } from './search-words.ts'
import type { Executor, Sql } from './sql.ts'

/** Newest contacts that are looked through one by one at first. */
const MOST_WALKED = 1_000
/** How many fit is counted to here, but where the page is full before that. */
const MOST_COUNTED = 10_000
/**
 * How many of the newest the index is asked about, one after the other, before all. Who has not as
 * many as the first is a small organization.
 */
export const REACHES = [MOST_COUNTED, 30_000, 100_000] as const
/** A longer reach is asked about if so many times what is wanted are likely in it. */
const MARGIN = 1.25
/** For how long it is believed when those were made. */
const STRETCH_FOR_MS = 60_000
/** Stretches that are remembered. */
const MOST_REMEMBERED = 30_000

export interface SearchPage extends ContactFilters {
  /** Part of an address or a number; not empty. See `wordOf`. */
  search: string
  limit: number
  offset: number
  /** Only contacts made before this one. */
  before?: Uuid | undefined
}

export interface SearchResult {
  /** At most `limit`, newest first. */
  rows: Contact[]
  /** How many fit, from the first page on; at least so many where `isExact` is false. */
  counted: number
  isExact: boolean
}

/** Contacts that were found. */
interface Found {
  /** How many fit, of those that were looked at. */
  counted: number
  /** How many of them were made before the page's cursor. */
  earlier: number
  /** Those of the page. */
  ids: Uuid[]
}

/**
 * Finds contacts by a part of their address or number, or, by one or two letters, by how these
 * begin. `sql` is a pool of `letterloom_search`: under the policy of the API's role no index would
 * serve this. Nothing but `organizationId` keeps tenants apart here.
 *
 * Reading a contact that was found is what costs, so that what many of a large organization have is
 * not found whole. Each way finds the newest; the next one is asked when they are fewer than the
 * page needs. A small organization is asked the third way only.
 *
 * 1. The newest contacts are looked through one by one.
 * 2. The index is asked about longer and longer stretches of the newest, as long as so many are
 *    likely to have the word as the page needs.
 * 3. The index is asked about all.
 * 4. What it finds too often and yet not among the newest is looked for among all, one by one.
 */
export async function contacts(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
): Promise<SearchResult> {
  const { found, isExact } = await find(sql, organizationId, page)
  const rows = found.ids.length === 0 ? [] : await listByIds(sql, organizationId, found.ids)
  // A page that lacks one that was deleted meanwhile would look like the last.
  if (rows.length < found.ids.length) return contacts(sql, organizationId, page)
  return { rows, counted: found.counted, isExact }
}

async function find(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
): Promise<{ found: Found; isExact: boolean }> {
  const wanted = page.offset + page.limit
  let newest: Found | undefined
  if (await stretchOf(sql, organizationId, REACHES[0])) {
    const walked = await walk(sql, organizationId, page)
    if (walked.earlier >= wanted) return { found: walked, isExact: false }
    newest = await lookUpNewest(sql, organizationId, page, walked.newest)
    if (newest && isAll(newest) && newest.earlier >= wanted) {
      return { found: newest, isExact: false }
    }
  }
  const all = newest && !isAll(newest) ? newest : await lookUp(sql, organizationId, page)
  if (isAll(all)) return { found: all, isExact: true }
  return { found: await walkAll(sql, organizationId, page, wanted), isExact: false }
}

/** Whether the index found no more than it may. */
const isAll = ({ counted }: Found): boolean => counted <= MOST_COUNTED

/** What a word is compared with: `+` begins numbers only, `@` domains. */
function matches(sql: Executor, word: string) {
  if (Array.from(word).length >= SHORTEST_ANYWHERE) {
    return sql`(position(${word} in email) > 0 or position(${word} in phone) > 0)`
  }
  if (word.startsWith('+')) return sql`starts_with(phone, ${word})`
  if (word.startsWith('@')) return sql`position(${word} in email) > 0`
  return sql`(starts_with(email, ${word}) or position(${`@${word}`} in email) > 0
    or starts_with(phone, ${`+${word}`}))`
}

/** What was found of `matching`: ten thousand ids cost more than finding them. */
function found(sql: Executor, { before, offset, limit }: SearchPage) {
  const earlier = sql`from matching ${before === undefined ? sql`` : sql`where id < ${before}`}`
  return sql`
    (select count(*) from matching) as counted,
    (select count(*) ${earlier}) as earlier,
    array(select id ${earlier} order by id desc offset ${offset} limit ${limit}) as ids`
}

const earlier = (sql: Executor, before: Uuid | undefined) =>
  before === undefined ? sql`` : sql`and contacts.id < ${before}`

const NOBODY: Found = { counted: 0, earlier: 0, ids: [] }

interface Walked extends Found {
  newest: Uuid | null
}

/** Looks through the newest contacts before the cursor. */
async function walk(sql: Sql, organizationId: Uuid, page: SearchPage): Promise<Walked> {
  const ofAll = sql`
    from contacts
    where contacts.organization_id = ${organizationId} ${earlier(sql, page.before)}
    order by contacts.id desc`
  const [row] = await sql<Walked[]>`
    with matching as materialized (
      select contacts.id
      from (
        select organization_id, id, email, phone, email_status, sms_status, preferred_channel,
          created_at, updated_at
        ${ofAll}
        limit ${MOST_WALKED}
      ) contacts ${subscribersOf(sql, page.topicId)}
      where ${fitting(sql, organizationId, page)} and ${matches(sql, page.search)}
    )
    select ${found(sql, page)}, (select id ${ofAll} limit 1) as newest`
  return row ?? { ...NOBODY, newest: null }
}

/**
 * Asks the index about longer and longer stretches of the newest, the last of which is given, as
 * long as the page's contacts are likely in them. Answers the last answer; undefined: not asked.
 */
async function lookUpNewest(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  last: Uuid | null,
): Promise<Found | undefined> {
  const wanted = page.offset + page.limit
  if (last === null || wanted > MOST_COUNTED) return undefined
  let newest: Found | undefined
  let share = 1
  for (const reach of REACHES) {
    if (share * reach < wanted * MARGIN) continue
    const spans = await spansOf(sql, organizationId, last, reach)
    if (!spans) break
    newest = await lookUp(sql, organizationId, page, spans)
    if (!isAll(newest) || newest.earlier >= wanted) break
    share = newest.earlier / reach
  }
  return newest
}

/**
 * Asks the index, about all or about what was made in the given spans of time, and finds no more
 * than one above `MOST_COUNTED`, in no order. The organization is asked for in a form that no other
 * index has: left to itself the planner may prefer to read everything in order.
 */
async function lookUp(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  spans?: readonly string[],
): Promise<Found> {
  const keys = (parts: readonly string[]) => sql`array(
    select hashtextextended(part, uuid_hash_extended(${organizationId}, 0))
    from unnest(${[...parts]}::text[]) part
  )`
  const ofContact = sql`
    contact_keys(contacts.organization_id, contacts.id, contacts.email, contacts.phone)`
  const [row] = await sql<Found[]>`
    with matching as materialized (
      select contacts.id
      from contacts ${subscribersOf(sql, page.topicId)}
      where (contacts.organization_id = ${organizationId}) is true
        and ${ofContact} @> ${keys(partsOf(page.search))}
        ${spans ? sql`and ${ofContact} && ${keys(spans)}` : sql``}
        ${filtered(sql, organizationId, page)} and ${matches(sql, page.search)}
      limit ${MOST_COUNTED + 1}
    )
    select ${found(sql, page)}`
  return row ?? NOBODY
}

/** Looks through all contacts until so many are found: as slow as there are contacts. */
async function walkAll(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  most: number,
): Promise<Found> {
  const [row] = await sql<Found[]>`
    with matching as materialized (
      select contacts.id
      from contacts ${subscribersOf(sql, page.topicId)}
      where ${fitting(sql, organizationId, page)} and ${matches(sql, page.search)}
        ${earlier(sql, page.before)}
      order by contacts.id desc
      limit ${most}
    )
    select ${found(sql, page)}`
  return row ?? NOBODY
}

/** The spans of time that about so many contacts were made in, the last of which is given. */
async function spansOf(
  sql: Sql,
  organizationId: Uuid,
  last: Uuid,
  reach: number,
): Promise<string[] | undefined> {
  const stretch = await stretchOf(sql, organizationId, reach)
  if (!stretch) return undefined
  // From a cursor on it is as far back as from the newest.
  const to = madeAt(last)
  const back = Math.max(0, stretch.to - to)
  return spansBetween(stretch.from - back, to, stretch.least - back)
}

/** When the last and the first of the newest were made; milliseconds since 1970. */
interface Stretch {
  from: number
  to: number
  /** When the first was of half as many again. */
  least: number
}
const stretches = new Map<string, { until: number; stretch: Stretch | undefined }>()

/**
 * When so many of the newest were made; undefined: there are not so many. It says how much there is
 * to read and no more, so that it may be old.
 */
async function stretchOf(
  sql: Sql,
  organizationId: Uuid,
  reach: number,
): Promise<Stretch | undefined> {
  const key = `${organizationId} ${reach}`
  const known = stretches.get(key)
  if (known && known.until > performance.now()) return known.stretch
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from unnest(${[1, reach, 1.5 * reach]}::int[]) place
    cross join lateral (
      select id
      from contacts
      where contacts.organization_id = ${organizationId}
      order by id desc
      offset place - 1
      limit 1
    ) contact
    order by place`
  const [to, from, least = -Infinity] = rows.map(({ id }) => madeAt(id))
  const stretch = to === undefined || from === undefined ? undefined : { from, to, least }
  if (stretches.size >= MOST_REMEMBERED) stretches.clear()
  stretches.set(key, { until: performance.now() + STRETCH_FOR_MS, stretch })
  return stretch
}

const listByIds = (sql: Sql, organizationId: Uuid, ids: readonly Uuid[]) => sql<Contact[]>`
  select ${columns(sql)}
  from ${withStats(sql)}
  where contacts.organization_id = ${organizationId} and contacts.id = any(${[...ids]}::uuid[])
  order by contacts.id desc`
