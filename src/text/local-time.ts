import { DateTime, IANAZone } from 'luxon'
import type { LocalTime } from '../domain/flows/steps/delay.ts'

export const isTimezone = (name: unknown): name is string =>
  typeof name === 'string' && IANAZone.isValidZone(name)

/**
 * Returns the next moment at which clocks in `timezone` show `time` after `days` whole days:
 * milliseconds since 1970, later than `now`.
 *
 * A time of day that is skipped when clocks go forward is shifted by as much (02:30 becomes 03:30).
 * Of one that occurs twice the first is taken: RFC 5545, 3.3.5.
 */
export function nextLocalTime(
  now: number,
  { time, days = 0 }: Pick<LocalTime, 'time' | 'days'>,
  timezone: string,
): number {
  const [hour, minute] = time.split(':').map(Number)
  // Counts calendar days, so that a day of 23 hours is one.
  const from = DateTime.fromMillis(now, { zone: timezone }).plus({ days })
  for (let day = 0; ; day++) {
    const at = earliest(from.plus({ days: day }).set({ hour, minute, second: 0, millisecond: 0 }))
    if (at > now && at >= from.toMillis()) return at
  }
}

/** The zone whose clocks are furthest ahead. */
const FURTHEST_AHEAD = 'Pacific/Kiritimati'

/**
 * Returns when clocks in `zone` show what clocks in `timezone` show at `at`, both in milliseconds
 * since 1970. Without a zone: when the first clocks on earth do. Skipped and repeated times are
 * handled as in `nextLocalTime`.
 */
export function sameLocalTime(at: number, timezone: string, zone: string = FURTHEST_AHEAD): number {
  const { year, month, day, hour, minute, second, millisecond } = DateTime.fromMillis(at, {
    zone: timezone,
  })
  return earliest(
    DateTime.fromObject({ year, month, day, hour, minute, second, millisecond }, { zone }),
  )
}

/** Returns the first of two equal times of day. Luxon may return either. */
const earliest = (time: DateTime): number =>
  Math.min(...time.getPossibleOffsets().map((each) => each.toMillis()))
