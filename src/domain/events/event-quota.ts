export const GRACE_DIVISOR = 4

export interface EventUsage {
  /** Events that the plan allows in the month. Null: unlimited. */
  limit: number | null
  current: number
}

export interface EventFigures {
  /** -1: unlimited. */
  limit: number
  current: number
  /** Events until the limit, not until events are refused. -1: unlimited. */
  remaining: number
  /** A whole number, rounded down. 0 if there is no limit. */
  percent: number
}

/** Returns the events of a month after which they are refused: 125 % of the limit, rounded down. */
const hardLimit = (limit: number): number => limit + Math.floor(limit / GRACE_DIVISOR)

export function figuresOf({ limit, current }: EventUsage): EventFigures {
  if (limit === null) return { limit: -1, current, remaining: -1, percent: 0 }
  const percent = Math.floor((current * 100) / limit)
  return { limit, current, remaining: Math.max(0, limit - current), percent }
}

/** Percent of the limit. */
export type EventThreshold = '100' | '125'

/**
 * Returns the thresholds of which owners are notified: usage above the limit, and the refusal of
 * further events.
 */
export function thresholdsPassed({ limit, current }: EventUsage): EventThreshold[] {
  if (limit === null) return []
  const passed: EventThreshold[] = []
  if (current > limit) passed.push('100')
  if (current >= hardLimit(limit)) passed.push('125')
  return passed
}

/** Returns the first day of the UTC month of `now` (milliseconds): `2026-11-01`. */
export const monthOf = (now: number): string => `${new Date(now).toISOString().slice(0, 7)}-01`

/** Returns the beginning of the next UTC month, in milliseconds. */
export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
