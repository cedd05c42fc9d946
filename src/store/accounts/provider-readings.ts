import type { Uuid } from '../../runtime/ids.ts'
import * as organizations from '../access/organizations.ts'
import type { Executor, Json, Sql } from '../db/sql.ts'
import { transact } from '../db/sql.ts'

export type Outcome = 'read' | 'missing' | 'denied' | 'throttled' | 'failed'

/** Key of an answer, for one connection and never for an account that several have registered. */
export interface Key {
  organizationId: Uuid
  connectionId: Uuid
  what: string
}

/** State of a question. Ages in milliseconds, by Postgres' clock. */
export interface State {
  /** Null: the latest question is not answered yet. */
  outcome: Outcome | null
  answeredAgoMs: number | null
  /** Age of the last complete answer, whatever came after it. */
  readAgoMs: number | null
  isAsking: boolean
  isBegun: boolean
}

export interface Reading<Page> extends State {
  pages: Page[]
}

const KEPT = '60 seconds'
const MOST_DELETED = 1_000
/** Age up to which an answer is as good as a new one. A failure is repeated sooner. */
export const FRESH_MS = 15_000
export const FAILURE_FRESH_MS = 5_000

const state = (sql: Executor) => sql`
  r.outcome,
  (extract(epoch from clock_timestamp() - r.answered_at) * 1000)::float8 as answered_ago_ms,
  (extract(epoch from clock_timestamp() - r.read_at) * 1000)::float8 as read_ago_ms,
  coalesce(r.asking_until > statement_timestamp(), false) as is_asking,
  r.begun_at is not null as is_begun`

/**
 * Reads the reading and its pages in one statement, and so in one snapshot: pages of two answers
 * never mix.
 */
export async function find<Page>(sql: Executor, key: Key): Promise<Reading<Page> | undefined> {
  const [reading] = await sql<Reading<Page>[]>`
    select ${state(sql)},
      coalesce((
        select jsonb_agg(p.body order by p.page)
        from provider_reading_pages p
        where p.organization_id = r.organization_id
          and p.connection_id = r.connection_id
          and p.what = r.what
          and p.version = r.version
      ), '[]'::jsonb) as pages
    from provider_readings r
    where r.organization_id = ${key.organizationId}
      and r.connection_id = ${key.connectionId}
      and r.what = ${key.what}`
  return reading
}

/**
 * Verified identities, and those that were verified until lately: SES goes on for some days while
 * the DNS is repaired.
 */
const SENDING_STATUSES = ['SUCCESS', 'TEMPORARY_FAILURE']

/**
 * Returns the reading of an account's identities, and whether any of `names` (in lower case) may
 * send. The list stays in Postgres, since an account may have ten thousand.
 */
export async function findSender(
  sql: Executor,
  key: Key,
  names: readonly string[],
): Promise<(State & { maySend: boolean }) | undefined> {
  const [reading] = await sql<(State & { maySend: boolean })[]>`
    select ${state(sql)}, exists (
        select
        from provider_reading_pages p
        cross join lateral jsonb_to_recordset(p.body)
          as listed (identity text, "sendingEnabled" boolean, "verificationStatus" text)
        where p.organization_id = r.organization_id
          and p.connection_id = r.connection_id
          and p.what = r.what
          and p.version = r.version
          and lower(listed.identity) = any(${[...names]}::text[])
          and listed."sendingEnabled"
          and coalesce(listed."verificationStatus" = any(${SENDING_STATUSES}::text[]), true)
      ) as may_send
    from provider_readings r
    where r.organization_id = ${key.organizationId}
      and r.connection_id = ${key.connectionId}
      and r.what = ${key.what}`
  return reading
}

interface Question extends Key {
  subject: string | null
  leaseMs: number
  /** Limit of the organization's open questions. */
  mostAsking: number
  /** Age up to which an answer is reused, in milliseconds. */
  freshMs?: number
}

/**
 * Records that the question is open. `joined`: it is open already, or was answered just now.
 * `full`: the organization has reached its limit of open questions. The organization is locked for
 * a moment, so that only one of two concurrent callers gets the last place.
 */
export const begin = (sql: Sql, question: Question): Promise<'asking' | 'joined' | 'full'> =>
  transact(sql, async (tx) => {
    const { organizationId, connectionId, what, subject, leaseMs, mostAsking } = question
    const { freshMs = FRESH_MS } = question
    await organizations.lock(tx, organizationId)
    const [openQuestions] = await tx<{ count: number; isOurs: boolean }[]>`
      select count(*) as count,
        coalesce(bool_or(connection_id = ${connectionId} and what = ${what}), false) as is_ours
      from provider_readings
      where organization_id = ${organizationId} and asking_until > statement_timestamp()`
    if (openQuestions?.isOurs) return 'joined'
    if ((openQuestions?.count ?? 0) >= mostAsking) return 'full'
    const { count } = await tx`
      insert into provider_readings as r
        (organization_id, connection_id, what, subject, asking_until)
      values (${organizationId}, ${connectionId}, ${what}, ${subject},
        clock_timestamp() + ${leaseMs} * interval '1 millisecond')
      on conflict (organization_id, connection_id, what) do update
      set subject = excluded.subject,
        asking_until = excluded.asking_until,
        begun_at = null,
        outcome = null,
        answered_at = null,
        touched_at = clock_timestamp()
      where r.answered_at is null
        or r.answered_at < clock_timestamp() - interval '1 millisecond'
          * case when r.outcome in ('read', 'missing')
              then ${freshMs}::integer else ${FAILURE_FRESH_MS}::integer end`
    return count > 0 ? 'asking' : 'joined'
  })

export const giveUp = (sql: Executor, { organizationId, connectionId, what }: Key) => sql`
  update provider_readings
  set asking_until = null
  where organization_id = ${organizationId}
    and connection_id = ${connectionId}
    and what = ${what}
    and begun_at is null`

/**
 * Starts the question in a worker. Undefined: nobody waits for it any more, or it was answered
 * while this run was being started.
 */
export async function take(
  sql: Executor,
  { organizationId, connectionId, what }: Key,
): Promise<{ subject: string | null } | undefined> {
  const [question] = await sql<{ subject: string | null }[]>`
    update provider_readings
    set begun_at = clock_timestamp()
    where organization_id = ${organizationId}
      and connection_id = ${connectionId}
      and what = ${what}
      and answered_at is null
    returning subject`
  return question
}

export const addPage = (
  sql: Executor,
  { organizationId, connectionId, what }: Key,
  { version, page, body }: { version: Uuid; page: number; body: unknown },
) => sql`
  insert into provider_reading_pages (organization_id, connection_id, what, version, page, body)
  values (${organizationId}, ${connectionId}, ${what}, ${version}, ${page}, ${sql.json(body as Json)})`

/**
 * Ends the question. With `read`, the pages of `version` become the reading, and all other pages
 * are deleted, also those of a lost worker. With any other outcome the last reading stays.
 */
export const answer = (
  sql: Executor,
  { organizationId, connectionId, what }: Key,
  { outcome, version }: { outcome: Outcome; version: Uuid },
) => sql`
  with answered as (
    update provider_readings
    set asking_until = null,
      outcome = ${outcome},
      answered_at = clock_timestamp(),
      version = case when ${outcome === 'read'} then ${version} else version end,
      read_at = case when ${outcome === 'read'} then clock_timestamp() else read_at end,
      touched_at = clock_timestamp()
    where organization_id = ${organizationId}
      and connection_id = ${connectionId}
      and what = ${what}
    returning organization_id, connection_id, what, version
  )
  delete from provider_reading_pages p
  using answered a
  where p.organization_id = a.organization_id
    and p.connection_id = a.connection_id
    and p.what = a.what
    and p.version is distinct from a.version`

/**
 * Deletes readings that were not requested lately, with their pages, in bounded sets. Returns their
 * number.
 */
export async function deleteOld(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from provider_readings
    where (organization_id, connection_id, what) in (
      select organization_id, connection_id, what
      from provider_readings
      where touched_at < statement_timestamp() - ${KEPT}::interval
        and (asking_until is null or asking_until < statement_timestamp())
      order by touched_at
      limit ${MOST_DELETED}
      for update skip locked
    )`
  return count
}
