import type { Uuid } from '../../runtime/ids.ts'
import { isSmsEnabled } from '../accounts/connections.ts'
import type { Executor, Part, Sql } from '../db/sql.ts'

const isDue = (sql: Sql) => sql`q.send_at <= statement_timestamp()`

/** A connection that may send texts. Mail is sent without `sms`. */
export const canText = (sql: Executor, connection: Part) => sql`
  ${connection}.is_verified and ${connection}.disconnected_at is null
    and ${isSmsEnabled(sql, connection)}`

/** A connection that sends texts, with what its role is assumed with. */
export interface TextConnection {
  organizationId: Uuid
  connectionId: Uuid
  accountId: string
  region: string
  externalId: string
}

/** Undefined: it may not send texts. */
export async function findConnection(
  sql: Sql,
  { organizationId, connectionId }: { organizationId: Uuid; connectionId: Uuid },
): Promise<TextConnection | undefined> {
  const [connection] = await sql<TextConnection[]>`
    select c.organization_id, c.id as connection_id, c.account_id, c.region, c.external_id
    from connections c
    where c.organization_id = ${organizationId} and c.id = ${connectionId}
      and ${canText(sql, sql`c`)}`
  return connection
}

/** Usable connections with due texts of a sender that is not paused. */
export const listDueConnections = (sql: Sql) => sql<{ organizationId: Uuid; connectionId: Uuid }[]>`
  select c.organization_id, c.id as connection_id
  from connections c
  where ${canText(sql, sql`c`)}
    and exists (
      select
      from text_queue q
      where q.connection_id = c.id and ${isDue(sql)}
        and not exists (
          select
          from text_limits l
          where l.account_id = c.account_id and l.region = c.region and l.sender = q.sender
            and l.paused_until > statement_timestamp()
        )
    )`

/** Senders of a connection with due texts, up to `most`, the longest due first. */
export async function listDueSenders(
  sql: Sql,
  connectionId: Uuid,
  most: number,
): Promise<string[]> {
  const rows = await sql<{ sender: string }[]>`
    select sender
    from text_queue q
    where q.connection_id = ${connectionId} and ${isDue(sql)}
    group by sender
    order by min(send_at)
    limit ${most}`
  return rows.map(({ sender }) => sender)
}

export interface WaitingText {
  bucket: Uuid
  id: Uuid
  parts: number
}

/**
 * A sender's due texts, the longest due first. Nothing is locked: the claim decides who gets them.
 */
export const listWaiting = (
  sql: Sql,
  { connectionId, sender }: { connectionId: Uuid; sender: string },
  limit: number,
) => sql<WaitingText[]>`
  select bucket, id, parts
  from text_queue q
  where q.connection_id = ${connectionId} and q.sender = ${sender} and ${isDue(sql)}
  order by send_at, id
  limit ${limit}`

/** Texts of one bucket. */
export interface TextSet {
  organizationId: Uuid
  bucket: Uuid
  ids: readonly Uuid[]
}

/** Has queued texts wait for `ms` at least. */
export const postpone = (sql: Sql, { organizationId, bucket, ids }: TextSet, ms: number) => sql`
  update text_queue
  set send_at = greatest(send_at, clock_timestamp() + ${ms} * interval '1 millisecond')
  where organization_id = ${organizationId} and bucket = ${bucket}
    and id = any(${[...ids]}::uuid[])`

/**
 * Deletes those of `ids` from the queue whose text does not wait any more, and gives those their
 * text's time that are due before it. They were written between the snapshot of a claim or of a
 * cancellation and its lock, and would be the first for ever.
 */
export const dropStale = (sql: Sql, { organizationId, bucket, ids }: TextSet) => sql`
  with held as materialized (
    select id, state, send_at
    from messages
    where organization_id = ${organizationId} and bucket = ${bucket}
      and id = any(${[...ids]}::uuid[])
      and (state <> 'queued' or send_at > statement_timestamp())
    order by id
    for update skip locked
  ), dropped as (
    delete from text_queue q
    using held
    where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = held.id
      and held.state <> 'queued'
  )
  update text_queue q
  set send_at = greatest(q.send_at, held.send_at)
  from held
  where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = held.id
    and held.state = 'queued'`
