import type { Duration } from './flow.ts'

const MINUTE_MS = 60_000
const UNIT_MS: Record<Duration['unit'], number> = {
  minutes: MINUTE_MS,
  hours: 60 * MINUTE_MS,
  days: 24 * 60 * MINUTE_MS,
  weeks: 7 * 24 * 60 * MINUTE_MS,
}

/** In milliseconds. A day has 24 hours, whatever the clocks do meanwhile. */
export const durationMs = ({ amount, unit }: Duration): number => Math.round(amount * UNIT_MS[unit])
