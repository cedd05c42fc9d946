import type { Sql } from '../db/sql.ts'

/** Time for which the days with waiting events are cached. */
const KNOWN_MS = 60_000

/** Days (`YYYY-MM-DD`) on which every delivery event was received that may wait to be applied. */
export interface WaitingDays {
  first: string
  last: string
}

const cache = new WeakMap<Sql, { days: WaitingDays; until: number }>()

/**
 * Returns the days that a statement on waiting events must read, so that it reads few partitions of
 * `inbound_events`. The days are looked up once a minute for each pool.
 *
 * The range has one more day on both sides: an event has the day on which its transaction began,
 * which may end on the next, and a day may begin before the next look-up. Events that are received
 * later have no earlier day.
 */
export async function findWaitingDays(sql: Sql, now: number = Date.now()): Promise<WaitingDays> {
  const last = cache.get(sql)
  if (last && now < last.until) return last.days
  const [days] = await sql<WaitingDays[]>`
    select coalesce(min(oldest.received_on), current_date) - 1 as first, current_date + 1 as last
    from (
      (
        select received_on
        from inbound_events
        where applied_at is null and look_at is null
        order by position
        limit 1
      )
      union all
      select min(received_on)
      from inbound_events
      where applied_at is null and look_at is not null
    ) oldest`
  if (!days) throw new Error('an aggregate has one row')
  cache.set(sql, { days, until: now + KNOWN_MS })
  return days
}
