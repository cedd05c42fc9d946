import { type Answers, isUndisturbed, type Pace } from '../../domain/sending/throttling.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

/** Where the provider counts: one AWS account in one region, whatever organizations share it. */
export interface Account {
  accountId: string
  region: string
}

/** A grant is at most this much of the account's rate, so that no permit lies about unused. */
const GRANT_SECONDS = 0.5
/** What the rate in use grows by in a second after the provider throttled. */
const RECOVERY_PER_SECOND = 1.05
/** Long enough to recover from anything. */
const MOST_RECOVERY_SECONDS = 600

export interface Grant {
  granted: number
  /** Milliseconds until asking again makes sense; 0 when something was granted. */
  waitMs: number
  /** Why the account is paused, when it is. */
  pausedReason: string | null
  /**
   * What the provider answers is counted, accepted or not (`recordAnswers` in
   * src/core/accounts/pace.ts).
   */
  isWatched: boolean
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
export const grantPermits = async (
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
      isWatched: boolean
    }[]
  >`
    update sending_limits
    set granted = case when paused_until > clock.t then 0
        else least(${want}::int, floor(${level(sql)})) end,
      tokens = ${level(sql)} - case when paused_until > clock.t then 0
        else least(${want}::int, floor(${level(sql)})) end,
      factor = case when trial_factor is not null then factor
        else least(1, factor * power(${RECOVERY_PER_SECOND}::float8,
          least(${MOST_RECOVERY_SECONDS}, greatest(0, extract(epoch from clock.t - refilled_at)))::float8))
        end,
      refilled_at = greatest(refilled_at, clock.t)
    from (select clock_timestamp() as t) clock
    where account_id = ${accountId} and region = ${region}
    returning granted, tokens, max_send_rate * factor as rate,
      (extract(epoch from greatest(paused_until - clock.t, interval '0')) * 1000)::float8 as paused_ms,
      case when paused_until > clock.t then paused_reason end as paused_reason,
      judged_from is not null as is_watched`
  if (!row) return { granted: 0, waitMs: 60_000, pausedReason: 'no_account', isWatched: false }
  const { granted, isWatched, pausedReason } = row
  if (granted > 0) return { granted, waitMs: 0, pausedReason: null, isWatched }
  const waitMs = Math.max(row.pausedMs ?? 0, Math.ceil(((1 - row.tokens) / row.rate) * 1000))
  return { granted: 0, waitMs: Math.max(1, Math.round(waitMs)), pausedReason, isWatched }
}

/** Returns permits that no mail was found for. */
export const giveBack = (sql: Sql, { accountId, region }: Account, permits: number) => sql`
  update sending_limits
  set tokens = least(greatest(1, max_send_rate * factor * ${GRANT_SECONDS}), tokens + ${permits})
  where account_id = ${accountId} and region = ${region}`

/** What was answered at the present pace, and for how long. */
export interface Window {
  answered: number
  throttled: number
  ms: number
}

const windowColumns = (sql: Executor) => sql`
  answered, throttled, extract(epoch from clock_timestamp() - judged_from)::float8 * 1000 as ms`

/** Counts answers at the present pace. Undefined: there is no such account. */
export async function countAnswers(
  sql: Sql,
  { accountId, region }: Account,
  { calls, throttled }: Answers,
): Promise<Window | undefined> {
  const [window] = await sql<Window[]>`
    update sending_limits
    set judged_from = coalesce(judged_from, clock_timestamp()),
      answered = case when judged_from > clock_timestamp() then 0 else answered + ${calls} end,
      throttled = case when judged_from > clock_timestamp() then 0 else throttled + ${throttled} end
    where account_id = ${accountId} and region = ${region}
    returning ${windowColumns(sql)}`
  return window
}

interface StoredPace extends Window {
  factor: number
  tolerated: number
  trialFactor: number | null
  trialShare: number | null
  /** Since the last trial began; null: there was none. */
  triedMs: number | null
}

/** Locks the pace of an account whose answers are watched; undefined: they are not. */
export async function lockPace(
  tx: Transaction,
  { accountId, region }: Account,
): Promise<StoredPace | undefined> {
  const [pace] = await tx<StoredPace[]>`
    select factor, tolerated, trial_factor, trial_share,
      extract(epoch from clock_timestamp() - slowed_at)::float8 * 1000 as tried_ms,
      ${windowColumns(tx)}
    from sending_limits
    where account_id = ${accountId} and region = ${region} and judged_from is not null
    for update`
  return pace
}

/** Answers to calls that were begun before the pace changed say nothing about the new one. */
const SETTLING_MS = 500

/** Stores a new pace, `before` being the factor until now; its answers are counted from zero. */
export const updatePace = (
  tx: Transaction,
  { accountId, region }: Account,
  pace: Pace,
  before: number,
) => tx`
  update sending_limits
  set factor = ${pace.factor}, tolerated = ${pace.tolerated},
    trial_factor = ${pace.trial?.factor ?? null}, trial_share = ${pace.trial?.share ?? null},
    slowed_at = case when ${pace.factor < before} then clock_timestamp() else slowed_at end,
    answered = 0, throttled = 0,
    judged_from = case when ${isUndisturbed(pace)} then null
      else clock_timestamp()
        + ${pace.factor === before ? 0 : SETTLING_MS} * interval '1 millisecond' end
  where account_id = ${accountId} and region = ${region}`

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
