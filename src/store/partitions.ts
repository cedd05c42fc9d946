import { bucketStart, timeOf, type Uuid } from '../ids.ts'
import { isDuplicateTable, type Sql } from './sql.ts'

const DAY_MS = 86_400_000
/** Made this far ahead, so that a day without a migrator or a worker loses nothing. */
const DAYS_AHEAD = 7
/** Made this far back: a mail decided just before midnight is written just after it. */
const DAYS_BACK = 1

/** Tables whose partitions are ranges of buckets, with the storage settings of each partition. */
const BY_BUCKET = {
  messages: 'with (fillfactor = 70)',
  message_bodies: '',
  delivery_events: '',
} as const
const BY_DAY = {
  inbound_events: 'with (fillfactor = 90)',
  outbox: 'with (fillfactor = 70)',
} as const

/**
 * Makes the daily partitions from yesterday to a week ahead, those that are not there yet. Safe to
 * run from any number of processes at once. `now` in milliseconds.
 */
export async function createPartitions(sql: Sql, now: number = Date.now()): Promise<void> {
  for (let day = -DAYS_BACK; day <= DAYS_AHEAD; day++) {
    const from = now + day * DAY_MS
    for (const [table, settings] of Object.entries(BY_BUCKET)) {
      await create(sql, table, from, [bucketStart(from), bucketStart(from + DAY_MS)], settings)
    }
    for (const [table, settings] of Object.entries(BY_DAY)) {
      await create(sql, table, from, [dayOf(from), dayOf(from + DAY_MS)], settings)
    }
  }
}

/**
 * Tells the planner what a freeze has just put into the ledger's partition; its own turn would come
 * a minute later. A role that may not do this gets a warning from Postgres and nothing else.
 */
export const analyzeLedger = async (sql: Sql, bucket: Uuid): Promise<void> => {
  await sql`analyze ${sql(`messages_${dayOf(timeOf(bucket)).replaceAll('-', '')}`)}`
}

async function create(
  sql: Sql,
  table: string,
  day: number,
  [from, to]: [string, string],
  settings: string,
): Promise<void> {
  const partition = `${table}_${dayOf(day).replaceAll('-', '')}`
  const [known] = await sql<{ there: boolean }[]>`
    select to_regclass(${partition}) is not null as there`
  if (known?.there) return
  try {
    // Only names and dates made here are in this text: bounds of a partition cannot be parameters.
    await sql.begin(async (tx) => {
      // It needs the parent for itself for a moment: while it waits for a long statement, everybody
      // else would wait behind it. Rather give up and come back; there is a week's time.
      await tx`set local lock_timeout = '1s'`
      await tx.unsafe(`create table if not exists ${partition}
        partition of ${table} for values from ('${from}') to ('${to}') ${settings}`)
    })
  } catch (error) {
    // Two processes past `if not exists` at once.
    if (!isDuplicateTable(error)) throw error
  }
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
