const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A session ends when it was not used for so long … */
export const SESSION_IDLE_MS = 14 * DAY_MS
/** … and at the latest so long after the password was given. */
export const SESSION_MOST_MS = 60 * DAY_MS

export const SHORTEST_PASSWORD = 12
/** Long enough for any sentence; hashing reads all of it. */
export const LONGEST_PASSWORD = 256

const WINDOW_SECONDS = 15 * 60
/** Tries of one account from one address. */
export const ACCOUNT_TRIES = { limit: 5, seconds: WINDOW_SECONDS }
/** Tries of any account from one address. */
export const ADDRESS_TRIES = { limit: 20, seconds: WINDOW_SECONDS }

/** Failures of an account are forgotten when the last is so old, and when somebody logs in. */
export const FAILURES_LAST_MS = 15 * MINUTE_MS
const FREE_FAILURES = 3
const FIRST_DELAY_MS = 250
const MOST_DELAY_MS = 8_000

/**
 * How long a try waits before the password is looked at, after this many failures of the account
 * from anywhere. It grows to a most and refuses nobody: a lock is something that a stranger could
 * set.
 */
export const loginDelayMs = (failures: number): number =>
  failures < FREE_FAILURES
    ? 0
    : Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - FREE_FAILURES))
