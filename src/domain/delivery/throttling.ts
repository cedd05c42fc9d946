/**
 * Pace of an account whose provider answers some calls "too fast", as a share of its stated rate.
 *
 * Slowing down is a trial. If the rate is the cause (the account allows less than we believe, or
 * another program uses it, too), calls slower by the refused share are no longer refused, and the
 * pace stays there and recovers slowly. If as many are refused afterwards, the rate is not the
 * cause: the old rate comes back, and that share is tolerated until it grows, or until the next
 * trial.
 */
export interface Pace {
  /** Share of the rate that is used. */
  factor: number
  /** Share of refused calls that slowing down did not change. */
  tolerated: number
  /** A running trial: the former factor, and the refused share of the calls. */
  trial: { factor: number; share: number } | null
}

/** Counts of the provider’s answers at one pace. */
export interface Answers {
  calls: number
  throttled: number
}

/** Answers are judged once there are this many and a second has passed, or after ten seconds. */
const ENOUGH_CALLS = 20
const SHORTEST_MS = 1_000
const LONGEST_MS = 10_000

const LOWEST_FACTOR = 0.05
/** A difference in the share that is only noise. */
const NOISE = 0.02
/** A larger share is never tolerated: the account is really over its rate. */
const MOST_TOLERATED = 0.8
/** Time after which a tolerated share is tried again. */
const TRY_AGAIN_MS = 30_000
/** Share of a tolerated share that is forgotten when fewer calls are refused. */
const FORGET = 0.3

/** Returns whether this number of calls, answered within `ms`, can be judged. */
export const isEnough = (calls: number, ms: number): boolean =>
  ms >= LONGEST_MS || (ms >= SHORTEST_MS && calls >= ENOUGH_CALLS)

/**
 * Returns the pace after the answers at `pace`. `triedMs`: milliseconds since the last trial began.
 * Null: there was none.
 */
export function nextPace(pace: Pace, { calls, throttled }: Answers, triedMs: number | null): Pace {
  if (calls === 0) return pace
  const share = throttled / calls
  if (share > MOST_TOLERATED) return { ...slower(pace, share), trial: null }
  if (pace.trial) {
    const isCured = share <= pace.trial.share / 2
    const factor = isCured ? pace.factor : pace.trial.factor
    return { ...pace, factor, tolerated: share, trial: null }
  }
  const { tolerated } = pace
  const chance = 3 * Math.sqrt((tolerated * (1 - tolerated)) / calls)
  const isDue = tolerated > NOISE && triedMs !== null && triedMs >= TRY_AGAIN_MS
  if (share > tolerated + NOISE + chance || (isDue && share > NOISE)) {
    return slower(pace, share)
  }
  return share < tolerated ? { ...pace, tolerated: tolerated + FORGET * (share - tolerated) } : pace
}

const slower = (pace: Pace, share: number): Pace => ({
  ...pace,
  factor: Math.max(LOWEST_FACTOR, pace.factor * (1 - share)),
  trial: { factor: pace.factor, share },
})

/** Returns whether the pace is as if no call had ever been refused. */
export const isUndisturbed = ({ factor, tolerated, trial }: Pace): boolean =>
  factor === 1 && tolerated < NOISE && trial === null
