import { bucketStart, timeOf, type Uuid } from '../../runtime/ids.ts'
import { type Executor, isDuplicateTable, type Sql } from './sql.ts'

const DAY_MS = 86_400_000
/**
 * Partitions are created this far ahead, so that a day without a migrator or a worker loses
 * nothing.
 */
const DAYS_AHEAD = 7
/**
 * Partitions are created this far back, since a mail decided just before midnight is written after
 * it.
 */
const DAYS_BACK = 1

/** Tables partitioned by a day's range of ids or buckets, and tables partitioned by day. */
const BY_BUCKET = [
  'messages',
  'message_bodies',
  'delivery_events',
  'events',
  'hook_deliveries',
] as const
const BY_DAY = ['inbound_events', 'outbox'] as const

/**
 * Creates missing daily partitions from yesterday to a week ahead. Any number of processes may run
 * it at once. `now` is in milliseconds.
 */
export async function createPartitions(sql: Sql, now: number = Date.now()): Promise<void> {
  for (let day = -DAYS_BACK; day <= DAYS_AHEAD; day++) {
    const from = now + day * DAY_MS
    for (const table of BY_BUCKET) {
      await create(sql, table, from, [bucketStart(from), bucketStart(from + DAY_MS)])
    }
    for (const table of BY_DAY) {
      await create(sql, table, from, [dayOf(from), dayOf(from + DAY_MS)])
    }
  }
}

/**
 * Returns the number of coming days that every table has partitions for, up to those that are made
 * ahead. -1: one of the tables has none for today.
 */
export async function countDaysAhead(sql: Executor, now: number = Date.now()): Promise<number> {
  const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, day) => dayOf(now + day * DAY_MS))
  const [row] = await sql<{ days: number }[]>`
    select coalesce(min(d.place), ${days.length + 1})::integer - 2 as days
    from unnest(${days}::text[]) with ordinality d (day, place)
    cross join unnest(${[...BY_BUCKET, ...BY_DAY]}::text[]) t (name)
    where to_regclass(t.name || '_' || replace(d.day, '-', '')) is null`
  return row?.days ?? -1
}

/** Updates the planner's statistics after a freeze. Autovacuum would come a minute later. */
export const analyzeLedger = async (sql: Sql, bucket: Uuid): Promise<void> => {
  await sql`select analyze_messages(${dayOf(timeOf(bucket))}::date)`
}

export const isLedgerKept = (sql: Executor, bucket: Uuid): Promise<boolean> =>
  isThere(sql, 'messages', dayOf(timeOf(bucket)))

/** Uses functions that run as the owner, since the caller need not own the tables. */
async function create(
  sql: Sql,
  table: string,
  time: number,
  [from, to]: [string, string],
): Promise<void> {
  const day = dayOf(time)
  if (await isThere(sql, table, day)) return
  try {
    await sql`select make_partition(${table}, ${day}::date, ${from}, ${to})`
  } catch (error) {
    // Two processes passed `if not exists` at once.
    if (!isDuplicateTable(error)) throw error
  }
}

async function isThere(sql: Executor, table: string, day: string): Promise<boolean> {
  const [partition] = await sql<{ there: boolean }[]>`
    select to_regclass(${`${table}_${day.replaceAll('-', '')}`}) is not null as there`
  return partition?.there ?? false
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
