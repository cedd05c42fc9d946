import { bucketStart } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const DAY_MS = 86_400_000

/** A mail is in all three of them, each in the partition of its day. */
export const LEDGER = ['messages', 'message_bodies', 'delivery_events'] as const
export type DailyTable = (typeof LEDGER)[number] | 'events' | 'inbound_events' | 'outbox'

/** Days (`YYYY-MM-DD`) before `before` of which a table has a partition, oldest first. */
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

/** Drops the tables' partitions of a day, by a function of the owner's. */
export async function drop(
  tx: Transaction,
  tables: readonly DailyTable[],
  day: string,
): Promise<void> {
  for (const table of tables) await tx`select drop_partition(${table}, ${day}::date)`
}

/**
 * Whether mails of the day may still be sent or decided: a batch lives, or a claim. Costs little,
 * so that it can be asked while writers wait.
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

/** Whether single mail of the day waits to be sent. */
export async function isQueued(sql: Executor, day: string): Promise<boolean> {
  const [from, to] = bounds(day)
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from mail_queue where bucket >= ${from} and bucket < ${to}) as found`
  return row?.found ?? false
}

/** Whether a delivery event that was received on the day is not applied yet. */
export async function hasWaitingEvent(sql: Executor, day: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from inbound_events where received_on = ${day}::date and applied_at is null
    ) as found`
  return row?.found ?? false
}

/** Whether an outbox message of the day is not done yet. */
export async function hasWaitingMessage(sql: Executor, day: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from outbox where created_on = ${day}::date and done_at is null
    ) as found`
  return row?.found ?? false
}

/** The buckets of a day: from the first, before the second. */
function bounds(day: string): [string, string] {
  const time = Date.parse(day)
  return [bucketStart(time), bucketStart(time + DAY_MS)]
}
