import type { Uuid } from '../ids.ts'
import type { Contact } from '../schemas/contact.ts'
import { columns, type ContactFilters, fitting, subscribersOf, withStats } from './contact-rows.ts'
import { containing } from './like.ts'
import { type Executor, type Sql, transact } from './sql.ts'

/** Newest contacts that are looked through one by one before the index is asked. */
export const MOST_WALKED = 10_000
/** Of an organization that is known to have more: what very many have is found among fewer. */
const MOST_GLANCED = 3_000
/** Found so often among those, a word is found in time by looking through more of the newest. */
const COMMON = 30
/** For how long an organization is known to have more. */
const LARGE_FOR_MS = 60_000
/** Organizations that are remembered. */
const MOST_LARGE = 10_000
/** Contacts that the index may find before looking through all is the better way. */
const MOST_INDEXED = 10_000
/** Fewer letters are no entry of the index. */
const SHORTEST_INDEXED = 3
/** With a digit and so many letters a word is most often one person's: an address, a number. */
const SHORTEST_OWN = 5

export interface SearchPage extends ContactFilters {
  /** Part of an address or a number; not empty. */
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

/** What is searched for, as addresses and numbers are stored. Empty: nothing. */
export function wordOf(text: string): string {
  const word = text.trim().toLowerCase()
  // Separators alone are in no number, and nothing is no search.
  return (isNumber(word) && word.replace(/[\s()./-]/g, '')) || word
}

/** A number, whole or in part, with the separators that people write and we do not store. */
const isNumber = (word: string): boolean => /^[+\d\s()./-]+$/.test(word) && /^\+|[\s()]/.test(word)

/** Letters of a word that the index is asked for. */
const MOST_ASKED = 5

/**
 * The part of a word that the index is asked for: each three letters more are compared with every
 * place that the rarest of them has (a number of thirteen digits: 10 ms instead of 1.3). Threes
 * with a digit are rarer than those of letters alone, which the names of companies share; numbers
 * differ at their end.
 */
export function rarestPart(word: string): string {
  const parts = Array.from({ length: Math.max(0, word.length - MOST_ASKED) + 1 }, (_, at) =>
    word.slice(at, at + MOST_ASKED),
  )
  const [best] = parts
    .map((part) => ({ part, rank: rarity(part) }))
    .toSorted((a, b) => b.rank - a.rank || parts.lastIndexOf(b.part) - parts.lastIndexOf(a.part))
  return best === undefined || best.rank === 0 ? word : best.part
}

/** How many threes of a part have a digit. */
const rarity = (part: string): number =>
  Array.from({ length: Math.max(0, part.length - SHORTEST_INDEXED) + 1 }, (_, at) =>
    part.slice(at, at + SHORTEST_INDEXED),
  ).filter((three) => /\d/.test(three)).length

type Way = (sql: Sql, organizationId: Uuid, page: SearchPage) => Promise<Found>

/** Contacts that were found; `isWhole`: there are no others. */
interface Found {
  counted: number
  /** Those of the page. */
  ids: Uuid[]
  isWhole: boolean
}

/**
 * Finds contacts by a part of their address or number. `sql` is a pool of `letterloom_search`:
 * under the policy of the API's role no index would serve this. Nothing but `organizationId` keeps
 * tenants apart here.
 *
 * 1. The newest contacts are looked through: what many have is found among them at once, and an
 *    organization that has no more is known whole.
 * 2. The index finds what few have. It finds all of it before it answers the first, which is why it
 *    is not asked for what many have; what looks like one person's own it is asked for first.
 * 3. What is left are words too short for the index, and late pages: all are looked through.
 */
export async function contacts(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
): Promise<SearchResult> {
  const wanted = page.offset + page.limit
  const isIndexed = page.search.length >= SHORTEST_INDEXED && (await hasIndex(sql))
  const isOwn = page.search.length >= SHORTEST_OWN && /\d/.test(page.search)
  const ways: Way[] = isOwn ? [lookUp, walk] : [walk, lookUp]
  if (!isOwn && isLarge(organizationId)) {
    const found = await glance(sql, organizationId, page)
    if (found.counted >= wanted) return answer(sql, organizationId, found)
    if (found.counted < COMMON) ways.reverse()
  }
  for (const way of isIndexed ? ways : [walk]) {
    const found = await way(sql, organizationId, page)
    if (found.isWhole || (way !== lookUp && found.counted >= wanted)) {
      return answer(sql, organizationId, found)
    }
  }
  return answer(sql, organizationId, await walkAll(sql, organizationId, page, wanted))
}

async function answer(
  sql: Sql,
  organizationId: Uuid,
  { counted, ids, isWhole }: Found,
): Promise<SearchResult> {
  const rows = ids.length === 0 ? [] : await listByIds(sql, organizationId, ids)
  return { rows, counted, isExact: isWhole }
}

/** How many `matching` has, and those of the page: ten thousand ids cost more than finding them. */
const counted = (sql: Executor, { offset, limit }: SearchPage) => sql`
  (select count(*) from matching) as counted,
  array(select id from matching order by id desc offset ${offset} limit ${limit}) as ids`

/** As the index has it: see the migration. */
const text = (sql: Executor) => sql`(coalesce(email, '') || ',' || coalesce(phone, ''))`

const earlier = (sql: Executor, before: Uuid | undefined) =>
  before === undefined ? sql`` : sql`and contacts.id < ${before}`

/** Organizations of more than `MOST_WALKED` contacts, and until when that is believed. */
const large = new Map<Uuid, number>()

const isLarge = (organizationId: Uuid): boolean =>
  (large.get(organizationId) ?? 0) > performance.now()

function rememberLarge(organizationId: Uuid): void {
  if (large.size >= MOST_LARGE) large.clear()
  large.set(organizationId, performance.now() + LARGE_FOR_MS)
}

/** Looks through the newest `MOST_WALKED` contacts. */
async function walk(sql: Sql, organizationId: Uuid, page: SearchPage): Promise<Found> {
  const found = await walkNewest(sql, organizationId, page, MOST_WALKED)
  if (!found.isWhole) rememberLarge(organizationId)
  return found
}

/** Looks through the newest few of an organization that has many. */
const glance = (sql: Sql, organizationId: Uuid, page: SearchPage): Promise<Found> =>
  walkNewest(sql, organizationId, page, MOST_GLANCED)

async function walkNewest(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  most: number,
): Promise<Found> {
  const [row] = await sql<{ counted: number; ids: Uuid[]; hasMore: boolean }[]>`
    with matching as materialized (
      select contacts.id
      from (
        select organization_id, id, email, phone, email_status, sms_status, preferred_channel,
          created_at, updated_at
        from contacts
        where contacts.organization_id = ${organizationId} ${earlier(sql, page.before)}
        order by contacts.id desc
        limit ${most}
      ) contacts ${subscribersOf(sql, page.topicId)}
      where ${fitting(sql, organizationId, page)} and ${text(sql)} like ${containing(page.search)}
    )
    select ${counted(sql, page)},
      exists (
        select
        from contacts
        where contacts.organization_id = ${organizationId} ${earlier(sql, page.before)}
        order by contacts.id desc
        offset ${most}
        limit 1
      ) as has_more`
  return { counted: row?.counted ?? 0, ids: row?.ids ?? [], isWhole: row?.hasMore === false }
}

/** Asks the index. Left to itself the planner prefers to read everything in order. */
const lookUp = (sql: Sql, organizationId: Uuid, page: SearchPage): Promise<Found> =>
  transact(sql, async (tx) => {
    await tx`
      select set_config('enable_seqscan', 'off', true), set_config('enable_indexscan', 'off', true)`
    const [row] = await tx<{ counted: number; ids: Uuid[] }[]>`
      with matching as materialized (
        select contacts.id
        from contacts ${subscribersOf(tx, page.topicId)}
        where ${fitting(tx, organizationId, page)}
          and ${text(tx)} like ${containing(rarestPart(page.search))}
          and position(${page.search} in ${text(tx)}) > 0
          ${earlier(tx, page.before)}
        limit ${MOST_INDEXED + 1}
      )
      select ${counted(tx, page)}`
    const { counted: found = 0, ids = [] } = row ?? {}
    return { counted: found, ids, isWhole: found <= MOST_INDEXED }
  })

/** Looks through all contacts until so many are found: as slow as there are contacts. */
async function walkAll(
  sql: Sql,
  organizationId: Uuid,
  page: SearchPage,
  most: number,
): Promise<Found> {
  const [row] = await sql<{ counted: number; ids: Uuid[] }[]>`
    with matching as materialized (
      select contacts.id
      from contacts ${subscribersOf(sql, page.topicId)}
      where ${fitting(sql, organizationId, page)}
        and ${text(sql)} like ${containing(page.search)}
        ${earlier(sql, page.before)}
      order by contacts.id desc
      limit ${most}
    )
    select ${counted(sql, page)}`
  const { counted: found = 0, ids = [] } = row ?? {}
  return { counted: found, ids, isWhole: found < most }
}

const listByIds = (sql: Sql, organizationId: Uuid, ids: readonly Uuid[]) => sql<Contact[]>`
  select ${columns(sql)}
  from ${withStats(sql)}
  where contacts.organization_id = ${organizationId} and contacts.id = any(${[...ids]}::uuid[])
  order by contacts.id desc`

const indexed = new WeakMap<Sql, boolean>()

/** Whether the deployment has the extensions that the index is made of; asked once. */
async function hasIndex(sql: Sql): Promise<boolean> {
  const known = indexed.get(sql)
  if (known !== undefined) return known
  const [row] = await sql<{ found: boolean }[]>`
    select to_regclass('contacts_search') is not null as found`
  const found = row?.found ?? false
  indexed.set(sql, found)
  return found
}
