import type { ErrorDetail } from '../errors.ts'

export const DELAY_UNITS = ['minutes', 'hours', 'days', 'weeks'] as const
export interface Duration {
  amount: number
  unit: (typeof DELAY_UNITS)[number]
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const UNIT_MS: Record<Duration['unit'], number> = {
  minutes: MINUTE_MS,
  hours: 60 * MINUTE_MS,
  days: DAY_MS,
  weeks: 7 * DAY_MS,
}

const LONGEST_DAYS = 366

/** Returns milliseconds. A day has 24 hours, also when clocks change. */
export const durationMs = ({ amount, unit }: Duration): number => Math.round(amount * UNIT_MS[unit])

/** Returns a problem at `path` if the duration exceeds the limit of delays and waits. */
export const checkDuration = (duration: Duration, path: string): ErrorDetail[] =>
  durationMs(duration) > LONGEST_DAYS * DAY_MS
    ? [{ path, message: `must not be longer than ${LONGEST_DAYS} days` }]
    : []

export const span = ({ amount, unit }: Duration): string =>
  `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`
