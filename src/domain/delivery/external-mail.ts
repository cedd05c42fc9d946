/**
 * An untagged event may be about a mail of ours whose call is not answered yet: it waits while a
 * call of its connection is open that began before its mail was accepted, and no longer than this.
 * A lease is shorter.
 */
export const HELD_MS = 60_000
/** Limit of the clock difference between Postgres and the provider. */
export const CLOCK_SKEW_MS = 10_000

const FIRST_LOOK_MS = 5_000
const GROWTH = 3
/** The event bus tries for 24 hours: no event comes later. */
const LAST_LOOK_MS = 27 * 3_600_000

/**
 * Time of the next search for a mail's message id among our own: an event with our tag, or an
 * answer that was given up, may have told it since. Undefined: it stays another program's mail.
 */
export function nextLookMs(ageMs: number): number | undefined {
  if (ageMs >= LAST_LOOK_MS) return undefined
  return Math.max(FIRST_LOOK_MS, Math.min(ageMs * (GROWTH - 1), LAST_LOOK_MS - ageMs))
}
