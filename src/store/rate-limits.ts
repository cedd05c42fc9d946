import type { Sql } from './sql.ts'

export interface Ask {
  /** Whose requests are counted. At most once a set. Other windows than before begin again. */
  subject: string
  seconds: readonly number[]
  limits: readonly number[]
  /** Requests that want to be let through now. */
  want: number
  /** Requests let through under the lease since the last ask; what else was leased goes back. */
  settled: number
  /** When the last of them was; milliseconds by the store's clock. */
  settledAt: number
  /** Whether some more may be leased. */
  lease: boolean
}

export interface Grant {
  /** Of `want`: these were counted, the others not. */
  granted: number
  /** The holder may let through so many by itself, for less than half a second. */
  leased: number
  /** What other holders may let through at this moment. */
  onLease: number
  /** Of each window, with everything that is leased. */
  used: number[]
  /** When the oldest requests leave each window; milliseconds by the store's clock. */
  freesAt: number[]
  /** The store's clock. */
  takenAt: number
}

/**
 * Counts requests in all windows of their subjects, for all processes at once; how, and how
 * exactly, is written at the function in the migration. Grants come in the order of the asks.
 * `now` replaces the clock of Postgres in tests.
 */
export async function take(
  sql: Sql,
  holder: string,
  asks: readonly Ask[],
  now?: number,
): Promise<Grant[]> {
  const rows = await sql<(Grant & { place: number })[]>`
    select place, granted, leased, on_lease, used, frees_at, taken_at
    from take_rate_limits(${holder}, ${sql.json(asks.map((ask, place) => ({ ...ask, place })))},
      ${now ?? null}::bigint)`
  const grants: Grant[] = []
  for (const row of rows) grants[row.place] = row
  return grants
}

/** In one statement: who is counted waits for it. */
const MOST_FORGOTTEN = 5_000

/**
 * Forgets subjects that no window holds any more, and the most short-lived ones above `most`, in as
 * many statements as it takes. Answers how many.
 */
export async function forget(sql: Sql, most: number, now?: number): Promise<number> {
  for (let all = 0; ; ) {
    const [row] = await sql<{ forgotten: number }[]>`
      select forget_rate_limits(${most}, ${MOST_FORGOTTEN}, ${now ?? null}::bigint) as forgotten`
    const forgotten = row?.forgotten ?? 0
    all += forgotten
    if (forgotten < MOST_FORGOTTEN) return all
  }
}
