/**
 * How values of JSON compare. No value is another because of its spelling alone, with two
 * exceptions that imports need, whose values are all texts: a text that is written as a number is
 * that number to a number, and `true` and `false` are those words to a boolean.
 */

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/

/**
 * A number, or a text that is written as one: at most 15 digits before the point and behind it.
 * `condition_number` in SQL is the same.
 */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}

/**
 * Whether two scalars are the same: texts by their characters, large and small ones told apart;
 * numbers by their value. Null, lists and objects are the same as nothing.
 */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b
  if (typeof a === 'number' || typeof b === 'number') {
    const number = numberOf(a)
    return number !== undefined && number === numberOf(b)
  }
  if (typeof a === 'boolean' || typeof b === 'boolean')
    return isScalar(a) && String(a) === String(b)
  return false
}

export const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** The values of a list. */
export interface Listed {
  /** Whether one of them is the same as this value: see `isSame`. */
  has: (value: unknown) => boolean
}

/** Finds the same value without comparing it with each. */
export function listOf(values: readonly unknown[]): Listed {
  const texts = new Set(values.filter((each) => typeof each === 'string'))
  const booleans = new Set(values.filter((each) => typeof each === 'boolean').map(String))
  const written = new Set(values.map(numberOf))
  const numbers = new Set(values.filter((each) => typeof each === 'number').map(numberOf))
  const hasNumber = (among: ReadonlySet<number | undefined>, value: unknown): boolean => {
    const number = numberOf(value)
    return number !== undefined && among.has(number)
  }
  return {
    has: (value) => {
      switch (typeof value) {
        case 'string':
          return texts.has(value) || booleans.has(value) || hasNumber(numbers, value)
        case 'number':
          return hasNumber(written, value)
        case 'boolean':
          return booleans.has(String(value)) || texts.has(String(value))
        default:
          return false
      }
    },
  }
}

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](\d\d):(\d\d))?)?$/

/**
 * Milliseconds since 1970 of a text that is a date (its beginning, in UTC) or a time of ISO 8601;
 * one without an offset is in UTC. Undefined for all else: for days that no calendar has, for the
 * year 0 and offsets of 16 hours, which Postgres does not know. `condition_time` in SQL is the
 * same.
 */
export function timeOf(value: unknown): number | undefined {
  const [text, year, month, day, hour = '0', minute = '0', second = '0', offset = '0', rest = '0'] =
    (typeof value === 'string' && value.length <= 40 && TIME.exec(value)) || []
  if (text === undefined) return undefined
  const days = daysOf(Number(year), Number(month))
  if (Number(day) < 1 || Number(day) > days || Number(hour) > 23 || Number(minute) > 59) {
    return undefined
  }
  if (Number(second) > 59 || Number(offset) > 15 || Number(rest) > 59) return undefined
  if (year === '0000') return undefined
  const hasTime = text.length > 10
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text.slice(10))
  return Date.parse(text.replace(' ', 'T') + (hasTime && !hasZone ? 'Z' : ''))
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysOf = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0)

/**
 * The value at `path`: of the key that is called so, points included, else key by key; a number
 * counts the places of a list from 0. Undefined where there is none. Only what an object has
 * itself.
 */
export function lookUp(root: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(root, path)) return root[path]
  let value: unknown = root
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    // A list has its length itself, too.
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

/** Neither NUL nor half of a surrogate pair: what has one is stored nowhere. */
export const isStorable = (value: unknown): boolean =>
  typeof value !== 'string' || !/\p{Surrogate}|\0/u.test(value)
