/** Figures are kept by the quarter of an hour: every offset since 1972 is a number of them. */
export const QUARTER_MS = 900_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** No zone has changed its clocks twice within it since 2000; the shortest time was 28 days. */
const STEP_MS = 14 * DAY_MS

/** A time in which the clocks of a zone are so many minutes ahead of UTC. Milliseconds. */
export interface Shift {
  since: number
  /** Not included. */
  until: number
  minutes: number
}

/**
 * How clocks in a timezone differ from UTC between two times, in the order of time. What Postgres
 * knows of timezones may be of another year than what `Intl` knows: it is told these instead.
 */
export function shiftsOf(timezone: string, from: number, to: number): Shift[] {
  const offset = offsetIn(timezone)
  const shifts: Shift[] = []
  let since = from
  let minutes = offset(from)
  for (let at = from; at < to; ) {
    const next = Math.min(at + STEP_MS, to)
    const after = offset(next)
    if (after !== minutes) {
      const changed = findChange(offset, at, next)
      shifts.push({ since, until: changed, minutes })
      since = changed
      minutes = after
    }
    at = next
  }
  if (since < to) shifts.push({ since, until: to, minutes })
  return shifts
}

/**
 * The first quarter of an hour at which clocks in the timezone show `local` or later; that is their
 * time as if it were UTC, in milliseconds. A time of day that comes twice is the first of the two.
 */
export function firstAt(timezone: string, local: number): number {
  const shifts = shiftsOf(timezone, local - 2 * DAY_MS, local + 2 * DAY_MS)
  for (const { since, until, minutes } of shifts) {
    const at = Math.max(since, local - minutes * MINUTE_MS)
    if (at < until) return at
  }
  throw new RangeError('no zone is two days away from UTC')
}

/** What clocks in the timezone show, as if it were UTC. */
export const localOf = (timezone: string, at: number): number =>
  at + offsetIn(timezone)(at) * MINUTE_MS

/** The quarter after which the offset is another: one of `from` and `to` differs from the other. */
function findChange(offset: (at: number) => number, from: number, to: number): number {
  const before = offset(from)
  let low = Math.floor(from / QUARTER_MS)
  let high = Math.ceil(to / QUARTER_MS)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offset(middle * QUARTER_MS) === before) low = middle
    else high = middle
  }
  return high * QUARTER_MS
}

/** `GMT`, `GMT-03:00`, and of another century `GMT+00:19:32`. */
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::\d\d)?)?$/

/** How many minutes clocks in the timezone are ahead of UTC. */
function offsetIn(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
  })
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [matched, sign, hours = '0', minutes = '0'] = OFFSET.exec(name) ?? []
    if (matched === undefined) throw new RangeError(`${name} is not an offset`)
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  }
}
