import { type FilterImplOptions, toValue } from 'liquidjs'
import { readTime } from '../domain/times.ts'

export const DATE_FILTERS: ReadonlySet<string> = new Set([
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
])

type Filter = Extract<FilterImplOptions, (...args: never[]) => unknown>

const LONGEST = 64
/** Texts that LiquidJS reads itself: the present, and seconds since 1970. */
const OF_LIQUID = /^(?:now|today|\d+)$/
/** Texts that name a zone: `GMT`, `EST`, `10:00Z`, `10:00 +0100`. */
const HAS_ZONE = /\b(?:UTC?|GMT|[ECMP][SD]T)\b|\dZ|:\d\d(?:\.\d+)? ?(?:[ap]m)? ?[+-]\d/i

/**
 * Wraps a date filter so that a text means the same moment on every machine. ISO 8601 times are
 * read as conditions read them. Other texts, such as `05/01/1990`, are read as JavaScript does, in
 * UTC unless they name a zone. A text that cannot be read as a time is returned unchanged.
 */
export function readingTimes(filter: FilterImplOptions): Filter {
  const handler = typeof filter === 'function' ? filter : filter.handler
  return function (value, ...args) {
    const text: unknown = toValue(value)
    if (typeof text !== 'string' || OF_LIQUID.test(text)) return handler.call(this, text, ...args)
    const time = timeOf(text.trim())
    return Number.isNaN(time) ? text : handler.call(this, new Date(time), ...args)
  }
}

function timeOf(text: string): number {
  if (text.length > LONGEST) return Number.NaN
  return readTime(text) ?? Date.parse(HAS_ZONE.test(text) ? text : `${text} UTC`)
}
