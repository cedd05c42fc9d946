const HOUR_MS = 3_600_000

/** Limit of a report's points. */
export const MOST_POINTS = 96
/** Possible lengths of a point in hours. Longer ones are whole weeks. */
const STEPS = [1, 3, 6, 12, 24, 168]
const DAY_HOURS = 24
const WEEK_HOURS = 168

interface Engagement {
  opened: number
  openedByPeople: number
  clicked: number
  unsubscribed: number
}

/** Engagement in the period that begins at `from` (ISO 8601). */
export interface TimedEngagement extends Engagement {
  from: string
}

/**
 * Sums hours to at most `MOST_POINTS` points of equal length without a gap. `hours` are in their
 * order. Points begin at whole hours, and longer ones at multiples of their length since midnight
 * UTC.
 */
export function toPoints(hours: readonly TimedEngagement[]): {
  hoursEach: number
  data: TimedEngagement[]
} {
  const [first, last] = [hours[0], hours.at(-1)]
  if (!first || !last) return { hoursEach: 1, data: [] }
  const [since, until] = [Date.parse(first.from), Date.parse(last.from)]
  const fits = (step: number) => countOf(since, until, step) <= MOST_POINTS
  const weeks = Math.ceil((until - since) / HOUR_MS / WEEK_HOURS / (MOST_POINTS - 1))
  const hoursEach = STEPS.find(fits) ?? weeks * WEEK_HOURS
  const start = startOf(since, hoursEach)
  const data = Array.from(
    { length: countOf(since, until, hoursEach) },
    (_, index): TimedEngagement => ({
      from: new Date(start + index * hoursEach * HOUR_MS).toISOString(),
      opened: 0,
      openedByPeople: 0,
      clicked: 0,
      unsubscribed: 0,
    }),
  )
  for (const hour of hours) {
    const point = data[Math.floor((Date.parse(hour.from) - start) / (hoursEach * HOUR_MS))]
    if (!point) continue
    point.opened += hour.opened
    point.openedByPeople += hour.openedByPeople
    point.clicked += hour.clicked
    point.unsubscribed += hour.unsubscribed
  }
  return { hoursEach, data }
}

/** Weeks begin at midnight of the first day. */
function startOf(since: number, step: number): number {
  const unit = Math.min(step, DAY_HOURS) * HOUR_MS
  return Math.floor(since / unit) * unit
}

const countOf = (since: number, until: number, step: number): number =>
  Math.floor((until - startOf(since, step)) / (step * HOUR_MS)) + 1
