import { PRIORITIES } from '../../domain/mails/mail-priority.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Part, Sql } from '../db/sql.ts'

const { transactional, confirmation, workflow } = PRIORITIES

interface DueConnection {
  organizationId: string
  connectionId: string
}

/** Limit of rows that are read to find due mail. If more is due, each connection is checked. */
const MOST_DUE_READ = 1_000
/** Seconds for which only a worker sends due transactional mail. Then the dispatcher does, too. */
const OWN_SECONDS = 2

/**
 * Lists usable connections that have due single mail, or probes to send. Mail is read in the order
 * of its time, so that no row of mail that is scheduled for later is read, and none of connections
 * without due mail.
 *
 * `isWaiting`: the connection needs its dispatcher, which is not running. Transactional mail that
 * has just become due does not count.
 */
export async function due(sql: Sql): Promise<readonly (DueConnection & { isWaiting: boolean })[]> {
  const dueConnections = await sql<(DueConnection & { isWaiting: boolean; mails: number })[]>`
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
  if ((dueConnections[0]?.mails ?? 0) >= MOST_DUE_READ) return dueOfMany(sql)
  return dueConnections.filter(({ connectionId }) => connectionId !== null)
}

/** Does the same with one index look-up per connection and priority, if much mail is due. */
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
 * Lists usable connections with due transactional mail that no drain sends, the longest due first.
 * An index of its own finds it, however much other mail is due.
 */
export async function dueReceipts(sql: Sql): Promise<readonly DueConnection[]> {
  const dueConnections = await sql<(DueConnection & { mails: number })[]>`
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
  if ((dueConnections[0]?.mails ?? 0) >= MOST_DUE_READ) return dueReceiptsOfMany(sql)
  return dueConnections.filter(({ connectionId }) => connectionId !== null)
}

const dueReceiptsOfMany = (sql: Sql) => sql<DueConnection[]>`
  select c.organization_id, c.id as connection_id
  from connections c
  where ${canSend(sql)} and not ${isHeld(sql, sql`true`)}
    and exists (select ${isDue(sql, transactional)} and q.connection_id = c.id)`

const canSend = (sql: Sql) => sql`c.is_verified and c.disconnected_at is null`

/** Condition: a drain sends the mail of connection `c` (`mail-drains.ts`). */
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
 * Lists a connection's due rows, the most urgent first. It locks none: the claim decides which
 * drain gets them.
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

/** Lists a connection's due transactional mail, like `waiting`. */
export const waitingReceipts = (sql: Sql, connectionId: string, limit: number) =>
  sql<
    { organizationId: string; bucket: Uuid; id: Uuid; priority: number }[]
  >`${dueOf(sql, connectionId, transactional, limit)}`

const isDue = (sql: Sql, priority: number) => sql`
  from mail_queue q
  where q.priority = ${priority} and q.send_at <= statement_timestamp()`

/** Reads the index in its order, so that no row of mail that is scheduled for later is read. */
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

/** Fraction of a mail's age after which it is tried again. Old mail is tried less often. */
const AGE_PER_TRY = 20
const LONGEST_WAIT = '1 hour'

/**
 * Postpones queued mails of a refused sender by `ms` at least, since they would be the first again.
 * Old mails wait longer, so that many of them do not use up the account's rate for days.
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
 * Corrects rows of the queue that differ from their mails. It deletes rows whose mail no longer
 * waits, and postpones rows that are due before their mail. A claim, a cancellation or a reschedule
 * reads the newest version of a mail, but the queue by its snapshot. A row of the queue that was
 * written in between is not changed by it. No claim would take that row, and it would stay first.
 *
 * The mails are locked, so that a mail that is queued again meanwhile keeps its row.
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
