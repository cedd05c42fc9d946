import type { Sql } from '../db/sql.ts'

export interface Ask {
  /** Whose requests are counted. At most once a set. */
  subject: string
  /** Of each window, as `limits`. */
  seconds: readonly number[]
  limits: readonly number[]
  /** Requests that want to be let through now. */
  want: number
}

export interface Grant {
  subject: string
  /** Of `want`: these were counted, the others not. */
  granted: number
  /** Of each window. */
  used: number[]
  /** When the oldest requests leave each window; milliseconds by the store's clock. */
  freesAt: number[]
  /** The store's clock. */
  takenAt: number
}

/**
 * Counts requests in all windows of their subjects, for all processes at once; how, and how
 * exactly, is written at the function in the migration. `now` replaces the clock of Postgres in
 * tests.
 */
export const take = (sql: Sql, asks: readonly Ask[], now?: number) => sql<Grant[]>`
  select subject, granted, used, frees_at, taken_at
  from take_rate_limits(${sql.json(asks.map((ask) => ({ ...ask })))}, ${now ?? null}::bigint)`

/** In one statement: requests that are counted meanwhile wait for it. */
const MOST_FORGOTTEN = 5_000

/**
 * Forgets subjects that no window holds any more, and the most short-lived ones above `most`, in as
 * many statements as it takes. Returns how many.
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
