/**
 * Longest wait of an untagged event. It may be about a mail of ours whose call is not answered yet,
 * so it waits while a call of its connection is open that began before the mail was accepted. A
 * lease is shorter than this.
 */
export const HELD_MS = 60_000
/** Limit of the clock difference between Postgres and the provider. */
export const CLOCK_SKEW_MS = 10_000

const FIRST_LOOK_MS = 5_000
const GROWTH = 3
/** The event bus tries for 24 hours: no event comes later. */
const LAST_LOOK_MS = 27 * 3_600_000

/**
 * Returns the time of the next search for a mail's message id among ours: a tagged event or a late
 * answer may have recorded it since. Undefined: it stays another program's mail.
 */
export function nextLookMs(ageMs: number): number | undefined {
  if (ageMs >= LAST_LOOK_MS) return undefined
  return Math.max(FIRST_LOOK_MS, Math.min(ageMs * (GROWTH - 1), LAST_LOOK_MS - ageMs))
}
