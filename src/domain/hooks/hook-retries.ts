const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Limit of a call, with the look-up of the name and the last byte of the answer. */
export const CALL_TIMEOUT_MS = 15 * SECOND_MS
/** Time after which a claimed delivery is due again. Its call is lost by then. */
export const LEASE_MS = 3 * CALL_TIMEOUT_MS

/** Days for which deliveries are kept. */
export const DELIVERY_DAYS = 14

/** Waits after the first, second … failed call of a delivery: 72 hours in all. */
const RETRY_WAITS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  20 * HOUR_MS,
] as const
const JITTER = 0.2

/**
 * Returns the wait before the next call of a delivery that has failed this often. Undefined: it is
 * not called again. `random` is between 0 and 1.
 */
export function retryWaitMs(attempts: number, random: number): number | undefined {
  const waitMs = RETRY_WAITS_MS[attempts - 1]
  return waitMs === undefined ? undefined : Math.round(waitMs * (1 + JITTER * (2 * random - 1)))
}

/** Failed calls in a row after which the gate of an endpoint closes. */
export const CLOSING_FAILURES = 5
/** Waits before the first, second … trial while the gate is closed. The last one repeats. */
export const GATE_WAITS_MS = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
] as const

/** Longest wait that a receiver can ask for by `Retry-After`. */
const MOST_RETRY_AFTER_MS = 24 * HOUR_MS

/** Time without a success after which owners are told, and after which the endpoint is disabled. */
export const TELL_AFTER_MS = 24 * HOUR_MS
export const DISABLE_AFTER_MS = 72 * HOUR_MS
/** Minimum of failed calls in a row after which an endpoint is disabled. */
export const DISABLING_FAILURES = 12

/** Returns how long a receiver asks us to wait: given as seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0
  const askedMs = /^\d{1,9}$/.test(value) ? Number(value) * SECOND_MS : Date.parse(value) - nowMs
  return Number.isNaN(askedMs) ? 0 : Math.min(Math.max(askedMs, 0), MOST_RETRY_AFTER_MS)
}
