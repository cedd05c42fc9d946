import { PRIORITIES } from '../../domain/mails/mail-priority.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Part, Sql } from '../db/sql.ts'

const { transactional, confirmation, workflow } = PRIORITIES

interface DueConnection {
  organizationId: string
  connectionId: string
}

/** Rows that are read to find due mail. If more is due, every connection is looked at. */
const MOST_DUE_READ = 1_000
/** Transactional mail is a worker's own for so long; then the dispatcher sends it as well. */
const OWN_SECONDS = 2

/**
 * Usable connections that have due single mail, or probes to send. Mail is read in the order of its
 * time, so that nothing is read of what is scheduled for later, and nothing of connections that
 * have no due mail.
 *
 * `isWaiting`: the connection needs its dispatcher, which is not at work. Transactional mail that
 * has just become due does not count.
 */
export async function due(sql: Sql): Promise<readonly (DueConnection & { isWaiting: boolean })[]> {
  const found = await sql<(DueConnection & { isWaiting: boolean; mails: number })[]>`
    with first as materialized (
      select connection_id, priority > ${transactional} or ${isOverdue(sql)} as is_waiting
      from mail_queue q
      where send_at <= statement_timestamp()
      order by send_at
      limit ${MOST_DUE_READ}
    ), named as (
      select connection_id, is_waiting from first
      union
      select id, true from connections where probes_wanted > 0
    )
    select c.organization_id, c.id as connection_id, (select count(*)::int from first) as mails,
      named.is_waiting and not ${isHeld(sql, sql`d.is_dispatcher`)} as is_waiting
    from (
      select connection_id, bool_or(is_waiting) as is_waiting
      from named
      group by connection_id
    ) named
    left join lateral (
      select organization_id, id
      from connections c
      where id = named.connection_id and ${canSend(sql)}
      limit 1
    ) c on true`
  if ((found[0]?.mails ?? 0) >= MOST_DUE_READ) return dueOfMany(sql)
  return found.filter(({ connectionId }) => connectionId !== null)
}

/** The same with one look per connection and priority: a crowd of one connection hides no other. */
const dueOfMany = (sql: Sql) => sql<(DueConnection & { isWaiting: boolean })[]>`
  select organization_id, connection_id, is_waiting and not is_held as is_waiting
  from (
    select c.organization_id, c.id as connection_id,
      exists (select ${isDue(sql, transactional)} and q.connection_id = c.id) as has_receipts,
      c.probes_wanted > 0
        or exists (
          select ${isDue(sql, transactional)} and q.connection_id = c.id and ${isOverdue(sql)})
        or exists (select ${isDue(sql, confirmation)} and q.connection_id = c.id)
        or exists (select ${isDue(sql, workflow)} and q.connection_id = c.id) as is_waiting,
      ${isHeld(sql, sql`d.is_dispatcher`)} as is_held
    from connections c
    where ${canSend(sql)}
  ) each_connection
  where has_receipts or is_waiting`

/**
 * Usable connections with due transactional mail that nobody sends, the longest due first. It is
 * read by an index of its own: other mail hides none.
 */
export async function dueReceipts(sql: Sql): Promise<readonly DueConnection[]> {
  const found = await sql<(DueConnection & { mails: number })[]>`
    with first as materialized (
      select connection_id, send_at
      from mail_queue
      where priority = ${transactional} and send_at <= statement_timestamp()
      order by send_at
      limit ${MOST_DUE_READ}
    ), named as (
      select connection_id, min(send_at) as send_at, (sum(count(*)) over ())::int as mails
      from first
      group by connection_id
    )
    select c.organization_id, c.id as connection_id, named.mails
    from named
    left join lateral (
      select organization_id, id
      from connections c
      where id = named.connection_id and ${canSend(sql)} and not ${isHeld(sql, sql`true`)}
      limit 1
    ) c on true
    order by named.send_at`
  if ((found[0]?.mails ?? 0) >= MOST_DUE_READ) return dueReceiptsOfMany(sql)
  return found.filter(({ connectionId }) => connectionId !== null)
}

const dueReceiptsOfMany = (sql: Sql) => sql<DueConnection[]>`
  select c.organization_id, c.id as connection_id
  from connections c
  where ${canSend(sql)} and not ${isHeld(sql, sql`true`)}
    and exists (select ${isDue(sql, transactional)} and q.connection_id = c.id)`

const canSend = (sql: Sql) => sql`c.is_verified and c.disconnected_at is null`

/** Whether a drain sends the mail of connection `c` (`mail-drains.ts`). */
const isHeld = (sql: Sql, which: Part) => sql`
  exists (
    select
    from mail_drains d
    where d.organization_id = c.organization_id and d.connection_id = c.id
      and d.held_until > statement_timestamp() and ${which}
  )`

const isOverdue = (sql: Sql) => sql`
  q.send_at <= statement_timestamp() - ${OWN_SECONDS} * interval '1 second'`

/**
 * A connection's due rows, best priority first. Nothing is locked: the claim decides who gets them.
 */
export const waiting = (sql: Sql, connectionId: string, limit: number) => sql<
  { organizationId: string; bucket: Uuid; id: Uuid; priority: number }[]
>`
  select organization_id, bucket, id, priority
  from (
    ${dueOf(sql, connectionId, transactional, limit)}
    union all
    ${dueOf(sql, connectionId, confirmation, limit)}
    union all
    ${dueOf(sql, connectionId, workflow, limit)}
  ) each_priority
  order by priority, send_at, id
  limit ${limit}`

/** A connection's due transactional mail, like `waiting`. */
export const waitingReceipts = (sql: Sql, connectionId: string, limit: number) =>
  sql<
    { organizationId: string; bucket: Uuid; id: Uuid; priority: number }[]
  >`${dueOf(sql, connectionId, transactional, limit)}`

const isDue = (sql: Sql, priority: number) => sql`
  from mail_queue q
  where q.priority = ${priority} and q.send_at <= statement_timestamp()`

/** Read from the index in its order: what is scheduled for later is not walked past. */
const dueOf = (sql: Sql, connectionId: string, priority: number, limit: number) => sql`
  (
    select organization_id, bucket, id, priority, send_at
    ${isDue(sql, priority)} and q.connection_id = ${connectionId}
    order by send_at, id
    limit ${limit}
  )`

/** Mails of one bucket. */
export interface MailSet {
  organizationId: string
  bucket: Uuid
  ids: readonly Uuid[]
}

/** A mail that was to be sent long ago is tried less often: after this part of its age. */
const AGE_PER_TRY = 20
const LONGEST_WAIT = '1 hour'

/**
 * Has queued mails wait for `ms` at least, those whose sender is refused: they would be the first
 * again. Many that are tried as often for days would use up the account's rate.
 */
export const postpone = (
  sql: Sql,
  { organizationId, bucket, ids }: MailSet,
  connectionId: Uuid,
  ms: number,
) => sql`
  update mail_queue q
  set send_at = greatest(q.send_at, clock_timestamp() + greatest(
    ${ms} * interval '1 millisecond',
    least(${LONGEST_WAIT}::interval, (clock_timestamp() - m.send_at) / ${AGE_PER_TRY}::int)))
  from messages m
  where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = any(${[...ids]})
    and q.connection_id = ${connectionId}
    and m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = q.id`

/**
 * Deletes those of `ids` from the queue whose mail does not wait any more, and gives those their
 * mail's time that are due before it. A claim, a cancellation or another time finds a mail on its
 * newest version, but its row in the queue by the snapshot: a row that was written in between stays
 * as it is, is never claimed, and would be the first for ever.
 *
 * The mails are locked: one that is queued again meanwhile keeps its row.
 */
export const dropStale = (sql: Sql, { organizationId, bucket, ids }: MailSet) => sql`
  with held as materialized (
    select m.*
    from (select unnest(${[...ids]}::uuid[]) as id order by 1) wanted
    cross join lateral (
      select id, state, send_at
      from messages
      where organization_id = ${organizationId} and bucket = ${bucket} and id = wanted.id
        and (state <> 'queued' or send_at > statement_timestamp())
      for update skip locked
    ) m
  ), dropped as (
    delete from mail_queue q
    using held
    where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = held.id
      and held.state <> 'queued'
  )
  update mail_queue q
  set send_at = greatest(q.send_at, held.send_at)
  from held
  where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = held.id
    and held.state = 'queued'`
