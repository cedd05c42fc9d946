import { bucketStart } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const DAY_MS = 86_400_000

/** A mail has rows in all three tables, in the partitions of its day. */
export const LEDGER = ['messages', 'message_bodies', 'delivery_events'] as const
export type DailyTable =
  | (typeof LEDGER)[number]
  | 'events'
  | 'inbound_events'
  | 'outbox'
  | 'hook_deliveries'

/** Days (`YYYY-MM-DD`) before `before` with a partition, oldest first. */
export async function list(
  sql: Executor,
  tables: readonly DailyTable[],
  before: string,
): Promise<string[]> {
  const days = await sql<{ day: string }[]>`
    select distinct to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    join pg_class parent on parent.oid = i.inhparent
    where parent.relname = any(${[...tables]}::text[])
      and parent.relnamespace = 'public'::regnamespace
      and c.relname ~ '_[0-9]{8}$'
      and right(c.relname, 8) < ${before.replaceAll('-', '')}
    order by 1`
  return days.map(({ day }) => day)
}

/** Drops the partitions of a day, by a function that runs as the owner. */
export async function drop(
  tx: Transaction,
  tables: readonly DailyTable[],
  day: string,
): Promise<void> {
  if (tables.includes('message_bodies')) await subtractBodies(tx, day)
  for (const table of tables) await tx`select drop_partition(${table}, ${day}::date)`
}

/** Subtracts the bodies of a day from the stored bytes: a dropped partition fires no trigger. */
async function subtractBodies(tx: Transaction, day: string): Promise<void> {
  const [from, to] = bounds(day)
  await tx`
    select add_stored_bytes(array(
      select row(organization_id, null::bigint, -sum(bytes))::stored_bytes
      from (
        select organization_id,
          coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) as bytes
        from message_bodies
        where bucket >= ${from} and bucket < ${to}
      ) body
      group by organization_id
      having sum(bytes) > 0
    ))`
}

/**
 * Returns whether mails of the day may still be sent or decided, because of a live batch or a
 * claim. It is cheap enough to be asked while writers wait.
 */
export async function isBeingMailed(sql: Executor, day: string): Promise<boolean> {
  const [from, to] = bounds(day)
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from batches
      where status in ('queued', 'scheduled', 'processing') and bucket >= ${from} and bucket < ${to}
    ) or exists (
      select from claims where bucket >= ${from} and bucket < ${to}
    ) as found`
  return row?.found ?? false
}

export async function isQueued(sql: Executor, day: string): Promise<boolean> {
  const [from, to] = bounds(day)
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from mail_queue where bucket >= ${from} and bucket < ${to})
      or exists (select from text_queue where bucket >= ${from} and bucket < ${to}) as found`
  return row?.found ?? false
}

export async function hasWaitingEvent(sql: Executor, day: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from inbound_events where received_on = ${day}::date and applied_at is null
    ) as found`
  return row?.found ?? false
}

export async function hasWaitingMessage(sql: Executor, day: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from outbox where created_on = ${day}::date and done_at is null
    ) as found`
  return row?.found ?? false
}

/** Buckets of a day. The first is inclusive, the second exclusive. */
function bounds(day: string): [string, string] {
  const time = Date.parse(day)
  return [bucketStart(time), bucketStart(time + DAY_MS)]
}
