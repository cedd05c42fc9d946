const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export const SESSION_IDLE_MS = 14 * DAY_MS
export const SESSION_MOST_MS = 60 * DAY_MS

export const SHORTEST_PASSWORD = 12
/** Limit in characters, longer than any sentence. Hashing reads all of it. */
export const LONGEST_PASSWORD = 256

const WINDOW_SECONDS = 15 * 60
export const ACCOUNT_TRIES = { limit: 5, seconds: WINDOW_SECONDS }
export const ADDRESS_TRIES = { limit: 20, seconds: WINDOW_SECONDS }

/**
 * Age of the last failure after which an account's failures are forgotten. A login forgets them,
 * too.
 */
export const FAILURES_LAST_MS = 15 * MINUTE_MS
const FREE_FAILURES = 3
const FIRST_DELAY_MS = 250
const MOST_DELAY_MS = 8_000

/**
 * Delay of an attempt before the password is checked, after this many failures of the account from
 * anywhere. It has an upper bound and never refuses: strangers could lock people out.
 */
export const loginDelayMs = (failures: number): number =>
  failures < FREE_FAILURES
    ? 0
    : Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES))
