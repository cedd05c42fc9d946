/** Part of the monthly limit that may be used beyond it before events are refused. */
export const GRACE_DIVISOR = 4

/** How many events of a month an organization has used. */
export interface EventUsage {
  /** Events of the month that the plan allows; null: any number. */
  limit: number | null
  /** Events accepted this month. */
  current: number
}

/** The figures of the `X-Event-*` headers. */
export interface EventFigures {
  /** -1: unlimited. */
  limit: number
  current: number
  /** Until the limit, not until events are refused. -1: unlimited. */
  remaining: number
  /** A whole number, rounded down; 0 where there is no limit. */
  percent: number
}

/** The most events of a month: 125 % of the limit, rounded down. */
const hardLimit = (limit: number): number => limit + Math.floor(limit / GRACE_DIVISOR)

export function figuresOf({ limit, current }: EventUsage): EventFigures {
  if (limit === null) return { limit: -1, current, remaining: -1, percent: 0 }
  const percent = Math.floor((current * 100) / limit)
  return { limit, current, remaining: Math.max(0, limit - current), percent }
}

/** Percent of the limit. */
export type EventThreshold = '100' | '125'

/** What owners are notified of: usage above the limit, and when nothing more is accepted. */
export function thresholdsPassed({ limit, current }: EventUsage): EventThreshold[] {
  if (limit === null) return []
  const passed: EventThreshold[] = []
  if (current > limit) passed.push('100')
  if (current >= hardLimit(limit)) passed.push('125')
  return passed
}

/** The first day of the UTC month of `now` (milliseconds): `2026-11-01`. */
export const monthOf = (now: number): string => `${new Date(now).toISOString().slice(0, 7)}-01`

/** When the next UTC month begins, in milliseconds. */
export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
