import type { Sql } from '../db/sql.ts'

export interface Ask {
  /** Subject whose requests are counted. Occurs once in a set. */
  subject: string
  /** A figure for each window, like `limits`. */
  seconds: readonly number[]
  limits: readonly number[]
  want: number
}

export interface Grant {
  subject: string
  granted: number
  /** A figure for each window. */
  used: number[]
  freesAt: number[]
  takenAt: number
}

/**
 * Counts requests in all windows of their subjects, for all processes at once. The function in the
 * migration describes how, and how exactly. `now` replaces the clock of Postgres in tests.
 */
export const take = (sql: Sql, asks: readonly Ask[], now?: number) => sql<Grant[]>`
  select subject, granted, used, frees_at, taken_at
  from take_rate_limits(${sql.json(asks.map((ask) => ({ ...ask })))}, ${now ?? null}::bigint)`

/** Limit of one statement, since concurrent requests wait for it. */
const MOST_FORGOTTEN = 5_000

/**
 * Deletes subjects that no window covers any more, and the most short-lived ones above `most`, in
 * as many statements as needed. Returns their number.
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
