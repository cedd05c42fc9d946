/** Figures are stored by the quarter of an hour. Every offset since 1972 is a multiple of it. */
export const QUARTER_MS = 900_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/**
 * No zone has changed its clocks twice within this time since 2000. The shortest interval was 28
 * days.
 */
const STEP_MS = 14 * DAY_MS

export interface Shift {
  since: number
  until: number
  minutes: number
}

/**
 * Returns the offsets of a timezone between two times, in order. Postgres gets these instead of the
 * timezone's name, since its timezone data may be of another year than that of `Intl`.
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
 * Returns the first quarter of an hour at which clocks in the timezone show `local` or later.
 * `local` is in milliseconds, as if it were UTC. Of a time that occurs twice the first is taken.
 */
export function firstAt(timezone: string, local: number): number {
  const shifts = shiftsOf(timezone, local - 2 * DAY_MS, local + 2 * DAY_MS)
  for (const { since, until, minutes } of shifts) {
    const at = Math.max(since, local - minutes * MINUTE_MS)
    if (at < until) return at
  }
  throw new RangeError('no zone is two days away from UTC')
}

export const localOf = (timezone: string, at: number): number =>
  at + offsetIn(timezone)(at) * MINUTE_MS

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

/** Matches `GMT`, `GMT-03:00`, and of other centuries `GMT+00:19:32`. */
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::\d\d)?)?$/

/** Returns a function that gives the minutes by which the timezone is ahead of UTC. */
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
