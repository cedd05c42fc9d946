const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?)?$/i
const LONGEST_TIME = 64
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * Returns the milliseconds since 1970 of a date (its beginning, in UTC) or a time in ISO 8601. A
 * time without an offset is in UTC. Every time that callers send, contacts and events have stored,
 * or Liquid reads is read here. `condition_time` in SQL does the same.
 *
 * Undefined for anything else: days that do not exist, leap seconds, which JavaScript does not
 * know, and the year 0, which Postgres does not know.
 */
export function readTime(text: string): number | undefined {
  const parts = text.length <= LONGEST_TIME ? TIME.exec(text) : null
  if (parts === null) return undefined
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00'] = parts
  const [fraction = '', sign = '+', offset = '0', offsetMinutes = '0'] = parts.slice(7)
  const days = daysOf(Number(year), Number(month))
  const isDay = year !== '0000' && Number(day) >= 1 && Number(day) <= days
  const isTime = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
  if (!isDay || !isTime || Number(offset) > 23 || Number(offsetMinutes) > 59) return undefined
  const ms = fraction.slice(0, 3).padEnd(3, '0')
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  const ahead = Number(offset) * HOUR_MS + Number(offsetMinutes) * MINUTE_MS
  return sign === '-' ? local + ahead : local - ahead
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysOf = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)

const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/

/**
 * Returns a time of the input in the stored form, in UTC. Undefined: `readTime` does not know it,
 * or its year in UTC does not have four digits.
 */
export function toUtc(text: string, plusMs = 0): string | undefined {
  const time = readTime(text)
  if (time === undefined) return undefined
  const utc = new Date(time + plusMs).toISOString()
  return FOUR_DIGIT_YEAR.test(utc) ? utc : undefined
}
