import type { Sql } from './sql.ts'

/** Where the provider counts: one AWS account in one region, whatever organizations share it. */
export interface Account {
  accountId: string
  region: string
}

/** A grant is at most this much of the account's rate, so that no permit lies about unused. */
const GRANT_SECONDS = 0.5
/** Share of the full rate that comes back in a second after the provider throttled. */
const RECOVERY_PER_SECOND = 0.05
const LOWEST_FACTOR = 0.05

export interface Grant {
  granted: number
  /** Milliseconds until asking again makes sense; 0 when something was granted. */
  waitMs: number
  /** Why the account is paused, when it is. */
  pausedReason: string | null
}

/** Stores what GetAccount said. A first reading makes the row. */
export const learn = (
  sql: Sql,
  {
    accountId,
    region,
    maxSendRate,
    max24Hour,
  }: Account & { maxSendRate: number; max24Hour: number },
) => sql`
  insert into sending_limits (account_id, region, max_send_rate, max_24_hour)
  values (${accountId}, ${region}, ${maxSendRate}, ${max24Hour})
  on conflict (account_id, region) do update
  set max_send_rate = excluded.max_send_rate, max_24_hour = excluded.max_24_hour`

/**
 * Takes up to `want` permits, each good for one mail within the next second.
 *
 * A bucket refilled by the clock of Postgres, never deeper than half a second of rate: nothing is
 * reserved in the future, so a receipt never waits behind a batch's reservations. Expressions of an
 * update are evaluated again on the newest row after a lock wait, so concurrent takers never share
 * a token. An account without a row has nothing to give.
 */
export const take = async (
  sql: Sql,
  { accountId, region }: Account,
  want: number,
): Promise<Grant> => {
  const [row] = await sql<
    {
      granted: number
      tokens: number
      rate: number
      pausedMs: number | null
      pausedReason: string | null
    }[]
  >`
    update sending_limits
    set granted = case when paused_until > clock.t then 0
        else least(${want}::int, floor(${level(sql)})) end,
      tokens = ${level(sql)} - case when paused_until > clock.t then 0
        else least(${want}::int, floor(${level(sql)})) end,
      factor = least(1, factor + greatest(0, extract(epoch from clock.t - refilled_at)) * ${RECOVERY_PER_SECOND}),
      refilled_at = greatest(refilled_at, clock.t)
    from (select clock_timestamp() as t) clock
    where account_id = ${accountId} and region = ${region}
    returning granted, tokens, max_send_rate * factor as rate,
      (extract(epoch from greatest(paused_until - clock.t, interval '0')) * 1000)::float8 as paused_ms,
      case when paused_until > clock.t then paused_reason end as paused_reason`
  if (!row) return { granted: 0, waitMs: 60_000, pausedReason: 'no_account' }
  if (row.granted > 0) return { granted: row.granted, waitMs: 0, pausedReason: null }
  const waitMs = Math.max(row.pausedMs ?? 0, Math.ceil(((1 - row.tokens) / row.rate) * 1000))
  return { granted: 0, waitMs: Math.max(1, Math.round(waitMs)), pausedReason: row.pausedReason }
}

/** Returns permits that no mail was found for. */
export const giveBack = (sql: Sql, { accountId, region }: Account, permits: number) => sql`
  update sending_limits
  set tokens = least(greatest(1, max_send_rate * factor * ${GRANT_SECONDS}), tokens + ${permits})
  where account_id = ${accountId} and region = ${region}`

/** The provider said "too fast": half the rate, at most once a second; it comes back by itself. */
export const slowDown = (sql: Sql, { accountId, region }: Account) => sql`
  update sending_limits
  set factor = greatest(${LOWEST_FACTOR}, factor / 2), tokens = 0, slowed_at = clock_timestamp()
  where account_id = ${accountId} and region = ${region}
    and (slowed_at is null or slowed_at < clock_timestamp() - interval '1 second')`

/** Nothing is granted for `ms`: the 24-hour quota is used up, or the provider cannot be reached. */
export const pause = (sql: Sql, { accountId, region }: Account, ms: number, reason: string) => sql`
  update sending_limits
  set paused_until = greatest(paused_until, clock_timestamp() + ${ms} * interval '1 millisecond'),
    paused_reason = ${reason}
  where account_id = ${accountId} and region = ${region}`

/** What the bucket holds at `clock.t`. */
const level = (sql: Sql) => sql`
  least(
    greatest(1, max_send_rate * factor * ${GRANT_SECONDS}),
    tokens + greatest(0, extract(epoch from clock.t - refilled_at)) * max_send_rate * factor
  )`
