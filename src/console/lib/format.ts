const NUMBERS = new Intl.NumberFormat('en')
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2 })
const BYTES = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const MOMENT = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** `12,345`. */
export const number = (value: number): string => NUMBERS.format(value)

/** `1 person`, `12,345 people`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

/** `1.25%`. Of nothing there is no share. */
export const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : PERCENT.format(part / whole)

export const percent = (ratio: number): string => PERCENT.format(ratio)

/** `$12.34`; below a cent with four places. */
export const dollars = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `73.4 MB`. */
export function bytes(value: number): string {
  const power = Math.min(UNITS.length - 1, value < 1_000 ? 0 : Math.floor(Math.log10(value) / 3))
  return `${BYTES.format(value / 1_000 ** power)} ${UNITS[power]}`
}

export const moment = (time: string): string => MOMENT.format(new Date(time))
export const day = (time: string): string => DAY.format(new Date(time))

/** `3 minutes ago`, `in 2 days`; older than a month: the day. */
export function ago(time: string, now = Date.now()): string {
  const difference = Date.parse(time) - now
  const size = Math.abs(difference)
  if (size < MINUTE_MS) return difference > 0 ? 'in a moment' : 'just now'
  if (size < HOUR_MS) return RELATIVE.format(Math.round(difference / MINUTE_MS), 'minute')
  if (size < DAY_MS) return RELATIVE.format(Math.round(difference / HOUR_MS), 'hour')
  if (size < 31 * DAY_MS) return RELATIVE.format(Math.round(difference / DAY_MS), 'day')
  return day(time)
}

export const isPast = (time: string): boolean => Date.parse(time) <= Date.now()

/** `2 min 05 s`, `45 s`, `3 h 12 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
  return `${number(Math.floor(whole / 3_600))} h ${Math.floor((whole % 3_600) / 60)} min`
}
