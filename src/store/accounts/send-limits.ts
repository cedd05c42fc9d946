import { QUOTA_RESERVE } from '../../domain/batches/estimate.ts'
import { type Answers, isUndisturbed, type Pace } from '../../domain/delivery/throttling.ts'
import { BUCKET_SECONDS, SLOW_BUCKET_MAILS } from '../../domain/batches/permits.ts'
import { type Lane, LANES } from '../../domain/mails/mail-priority.ts'
import { countPermits } from '../../runtime/metrics.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'
import { type Account, countedMails, nextPeriodOf, usedBy } from './send-usage.ts'

export type { Account }

/** Time for which a lane yields after a higher one got less than it asked for. */
const WAY_SECONDS = 0.5
/** Share of the rate that batches keep while they yield. */
const FLOOR = 0.05
/** After a restore, whoever wants to send asks again after so long. */
const HELD_MS = 10_000
/** Reason of a refusal while nothing is sent after a restore. */
const HELD = 'restored'
const WAY_MS = WAY_SECONDS * 1000
/** Longest wait for the quota, since the account may have got a larger one. */
const MOST_QUOTA_WAIT = '10 minutes'
/** Growth of the rate in use, a second, after the provider throttled. */
const RECOVERY_PER_SECOND = 1.05
/** Limit of a recovery, long enough to recover from any rate. */
const MOST_RECOVERY_SECONDS = 600

export interface Grant {
  granted: number
  /** Milliseconds until the next request makes sense. 0: permits were granted. */
  waitMs: number
  pausedReason: string | null
  /**
   * The provider's answers are counted, accepted or not (`recordAnswers` in
   * src/core/accounts/pace.ts).
   */
  isWatched: boolean
}

/** Quota of GetAccount: mails a second and in 24 hours. -1: unlimited in 24 hours. */
export interface AccountQuota {
  maxSendRate: number
  max24Hour: number
  /** Mails that the provider counts in the last 24 hours, including those of other programs. */
  sentLast24Hours: number
}

/** Stores the quota. A first reading creates the row. */
export const learn = (
  sql: Sql,
  account: Account,
  { maxSendRate, max24Hour, sentLast24Hours }: AccountQuota,
) => sql`
  insert into sending_limits (account_id, region, max_send_rate, max_24_hour, others_24_hour)
  values (${account.accountId}, ${account.region}, ${maxSendRate}, ${max24Hour},
    greatest(0, ${sentLast24Hours}::float8 - ${usedBy(sql, account, sql`clock_timestamp()`)}))
  on conflict (account_id, region) do update
  set max_send_rate = excluded.max_send_rate, max_24_hour = excluded.max_24_hour,
    others_24_hour = excluded.others_24_hour`

/**
 * Takes up to `want` permits for a lane, each good for one mail within the next second.
 *
 * A lane gives way to the higher ones: while one of them got less than it asked for in the last
 * half second, it gets nothing. What the bucket gathers meanwhile is not lost, because it holds
 * half a second of rate. Batches, the lowest lane, have a twentieth of the rate all the same, also
 * out of an empty bucket, which then has less to give for a moment: on average the rate is kept.
 *
 * A bucket refilled by the clock of Postgres, never deeper than half a second of rate, a second of
 * a slow one: nothing is reserved in the future, so a receipt never waits behind a batch's.
 * Expressions of an update are evaluated again on the newest row after a lock wait, so concurrent
 * takers never share a token. An account without a row has nothing to give.
 *
 * Nothing while an operator has to look at what a restore has forgotten.
 *
 * No more than the provider takes in 24 hours: what we gave in them, and what others had sent there
 * when the provider was last asked. Batches leave a twentieth of it to single mail. Takers at the
 * same moment may pass the figure by their grants; then the provider says that it is used up.
 */
export const grantPermits = async (
  sql: Sql,
  account: Account,
  want: number,
  lane: Lane = 'transactional',
): Promise<Grant> => {
  const grant = await askGrant(sql, account, want, lane)
  countPermits(lane, want, grant)
  return grant
}

async function askGrant(sql: Sql, account: Account, want: number, lane: Lane): Promise<Grant> {
  const { accountId, region } = account
  const granted = grantOf(sql, lane, want)
  const [row] = await sql<
    {
      granted: number
      tokens: number
      rate: number
      pausedMs: number | null
      pausedReason: string | null
      isWatched: boolean
      givesWay: boolean
      floor: number
      quotaMs: number | null
      isHeld: boolean
    }[]
  >`
    with given as (
    update sending_limits
    set granted = ${granted},
      tokens = ${level(sql)} - ${granted},
      ${shortness(sql, lane, want, granted)},
      factor = case when trial_factor is not null then factor
        else least(1, factor * power(${RECOVERY_PER_SECOND}::float8,
          least(${MOST_RECOVERY_SECONDS}, greatest(0, extract(epoch from clock.t - refilled_at)))::float8))
        end,
      refilled_at = greatest(refilled_at, clock.t),
      quota_until = case when ${quotaOf(sql, 'batch')} < 1 then ${quotaUntil(sql)} end
    from (
      select t, ${usedBy(sql, account, sql`t`)} as used,
        exists (select from ledger_beats where held_at is not null) as is_held
      from (select clock_timestamp() as t) at
      offset 0
    ) clock
    where account_id = ${accountId} and region = ${region}
    returning account_id, region, clock.t, granted as mails, granted, tokens, max_send_rate * factor as rate,
      (extract(epoch from greatest(paused_until - clock.t, interval '0')) * 1000)::float8 as paused_ms,
      case when paused_until > clock.t then paused_reason end as paused_reason,
      judged_from is not null as is_watched, clock.is_held, ${givesWay(sql, lane)} as gives_way,
      ${floorOf(sql)} as floor,
      case when ${quotaOf(sql, lane)} < 1
        then extract(epoch from ${quotaUntil(sql)} - clock.t)::float8 * 1000 end as quota_ms
    ), usage as (${countedMails(sql, 'given')})
    select granted, tokens, rate, paused_ms, paused_reason, is_watched, gives_way, floor, quota_ms,
      is_held
    from given`
  if (!row) return { granted: 0, waitMs: 60_000, pausedReason: 'no_account', isWatched: false }
  const { isWatched, quotaMs } = row
  if (row.granted > 0) {
    return { granted: row.granted, waitMs: 0, pausedReason: null, isWatched }
  }
  if (row.isHeld) return { granted: 0, waitMs: HELD_MS, pausedReason: HELD, isWatched }
  const pausedReason = row.pausedReason ?? (quotaMs === null ? null : 'daily_quota')
  const waitMs = Math.max(row.pausedMs ?? 0, quotaMs ?? 0, waitOf(row, lane))
  return { granted: 0, waitMs: Math.max(1, Math.round(waitMs)), pausedReason, isWatched }
}

function waitOf(
  row: { tokens: number; rate: number; givesWay: boolean; floor: number },
  lane: Lane,
): number {
  if (!row.givesWay) return Math.ceil(((1 - row.tokens) / row.rate) * 1000)
  if (lane !== 'batch') return WAY_MS
  return Math.min(WAY_MS, Math.ceil(((1 - row.floor) / (row.rate * FLOOR)) * 1000))
}

/** Returns whether a higher lane got less than it asked for in the last half second. */
function givesWay(sql: Sql, lane: Lane) {
  const higher = LANES.slice(0, LANES.indexOf(lane))
  if (higher.length === 0) return sql`false`
  const times = higher.map((each, index) =>
    index === 0 ? sql`${sql(`${each}ShortAt`)}` : sql`, ${sql(`${each}ShortAt`)}`,
  )
  return sql`coalesce(
    greatest(${times}) > clock.t - ${WAY_SECONDS} * interval '1 second', false)`
}

const floorOf = (sql: Sql) => sql`
  least(
    greatest(1, max_send_rate * factor * ${BUCKET_SECONDS} * ${FLOOR}),
    greatest(0, extract(epoch from clock.t - floor_at)) * max_send_rate * factor * ${FLOOR}
  )::float8`

const quotaOf = (sql: Sql, lane: Lane) => sql`
  case when max_24_hour < 0 then 'infinity'::float8
    else max_24_hour * ${lane === 'batch' ? 1 - QUOTA_RESERVE : 1}::float8 - others_24_hour - clock.used end`

const quotaUntil = (sql: Sql) => sql`
  least(${nextPeriodOf(sql, sql`clock.t`)}, clock.t + ${MOST_QUOTA_WAIT}::interval)`

const grantOf = (sql: Sql, lane: Lane, want: number) => sql`
  case when clock.is_held or paused_until > clock.t then 0
    when ${givesWay(sql, lane)} then ${
      lane === 'batch'
        ? sql`greatest(0, least(${want}::int, floor(${floorOf(sql)}), floor(${quotaOf(sql, lane)})))`
        : sql`0`
    }
    else greatest(0, least(${want}::int, floor(${level(sql)}), floor(${quotaOf(sql, lane)}))) end`

/**
 * Records that a lane of single mail got less than it asked for, and the last permits of batches.
 */
const shortness = (sql: Sql, lane: Lane, want: number, granted: Part) =>
  lane === 'batch'
    ? sql`floor_at = case when ${granted} > 0 then clock.t else floor_at end`
    : sql`${sql(`${lane}ShortAt`)} = case when ${granted} < ${want}::int then clock.t
        else ${sql(`${lane}ShortAt`)} end`

export const giveBack = (sql: Sql, { accountId, region }: Account, permits: number) => sql`
  with given as (
    update sending_limits
    set tokens = least(${depth(sql)}, tokens + ${permits})
    where account_id = ${accountId} and region = ${region}
    returning account_id, region, clock_timestamp() as t, ${-permits}::int as mails
  )
  ${countedMails(sql, 'given')}`

export interface Window {
  answered: number
  throttled: number
  ms: number
}

const windowColumns = (sql: Executor) => sql`
  answered, throttled, extract(epoch from clock_timestamp() - judged_from)::float8 * 1000 as ms`

/** Counts answers at the present pace. Undefined: the account does not exist. */
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
  /** Milliseconds since the last trial began. Null: there was none. */
  triedMs: number | null
}

/** Locks the pace of a watched account. Undefined: it is not watched. */
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

/**
 * Time after a change of pace in which answers are ignored, since their calls may have begun
 * before.
 */
const SETTLING_MS = 500

/** Stores a new pace. `before` is the previous factor. Answers are counted from zero. */
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

/** Grants nothing for `ms`: the 24-hour quota is used up, or the provider cannot be reached. */
export const pause = (sql: Sql, { accountId, region }: Account, ms: number, reason: string) => sql`
  update sending_limits
  set paused_until = greatest(paused_until, clock_timestamp() + ${ms} * interval '1 millisecond'),
    paused_reason = ${reason}
  where account_id = ${accountId} and region = ${region}`

const depth = (sql: Sql) => sql`
  greatest(1, max_send_rate * factor * ${BUCKET_SECONDS},
    least(max_send_rate * factor, ${SLOW_BUCKET_MAILS}))`

const level = (sql: Sql) => sql`
  least(
    ${depth(sql)},
    tokens + greatest(0, extract(epoch from clock.t - refilled_at)) * max_send_rate * factor
  )`
