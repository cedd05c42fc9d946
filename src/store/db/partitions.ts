import { bucketStart, timeOf, type Uuid } from '../../runtime/ids.ts'
import { type Executor, isDuplicateTable, type Sql } from './sql.ts'

const DAY_MS = 86_400_000
/** Made this far ahead, so that a day without a migrator or a worker loses nothing. */
const DAYS_AHEAD = 7
/** Made this far back: a mail decided just before midnight is written just after it. */
const DAYS_BACK = 1

/**
 * Tables whose partitions are a day's ranges of ids or buckets, and those whose are days.
 */
const BY_BUCKET = ['messages', 'message_bodies', 'delivery_events', 'events'] as const
const BY_DAY = ['inbound_events', 'outbox'] as const

/**
 * Makes the daily partitions from yesterday to a week ahead, those that are not there yet. Safe to
 * run from any number of processes at once. `now` in milliseconds.
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
 * Tells the planner what a freeze has just put into the ledger's partition; its own turn would come
 * a minute later.
 */
export const analyzeLedger = async (sql: Sql, bucket: Uuid): Promise<void> => {
  await sql`select analyze_messages(${dayOf(timeOf(bucket))}::date)`
}

/** Whether the mails of a bucket's day are kept still. */
export const isLedgerKept = (sql: Executor, bucket: Uuid): Promise<boolean> =>
  isThere(sql, 'messages', dayOf(timeOf(bucket)))

/** By functions of the owner's: who runs this need not own the tables. */
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
    // Two processes past `if not exists` at once.
    if (!isDuplicateTable(error)) throw error
  }
}

async function isThere(sql: Executor, table: string, day: string): Promise<boolean> {
  const [known] = await sql<{ there: boolean }[]>`
    select to_regclass(${`${table}_${day.replaceAll('-', '')}`}) is not null as there`
  return known?.there ?? false
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
