import { refuse } from '../errors.ts'
import { isTimezone } from '../timezone.ts'
import { firstAt, localOf, QUARTER_MS } from './zone-shifts.ts'

export const GRANULARITIES = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type Granularity = (typeof GRANULARITIES)[number]

export const DIMENSIONS = [
  'period',
  'domain',
  'broadcast',
  'template',
  'source',
  'account',
  'region',
] as const
export type Dimension = (typeof DIMENSIONS)[number]

export const KEYS = {
  period: 'period',
  domain: 'domain',
  broadcast: 'broadcastId',
  template: 'templateId',
  source: 'source',
  account: 'cloudAccountId',
  region: 'region',
} as const satisfies Record<Dimension, string>

const DAYS_BEFORE = 6
const DAY_MS = 86_400_000
const DAY = /^\d{4}-\d\d-\d\d$/
const HAS_OFFSET = /(?:z|[+-]\d\d(?::?\d\d)?)$/i

/** Milliseconds since 1970 in whole quarters of an hour. The end is exclusive. */
export interface Range {
  start: number
  end: number
}

/**
 * Reads `start_date` and `end_date` in a timezone. A bare day begins at its local midnight, and an
 * end day is included. A time without an offset is local. Both are rounded outwards to whole
 * quarters of an hour, the unit of stored figures. The default start is the beginning of the sixth
 * day before the end.
 */
export function rangeOf(
  query: { start?: string | undefined; end?: string | undefined },
  timezone: string,
  now: number,
): Range {
  const end = query.end === undefined ? now : endOf(query.end, timezone)
  const start =
    query.start === undefined
      ? firstAt(timezone, lastDay(query.end, timezone, end) - DAYS_BEFORE * DAY_MS)
      : timeOf('start_date', query.start, timezone)
  const isBefore = query.end !== undefined && DAY.test(query.end) ? start < end : start <= end
  if (!isBefore) refuse('start_date', 'must not be after end_date')
  return {
    start: Math.floor(start / QUARTER_MS) * QUARTER_MS,
    end: Math.ceil(end / QUARTER_MS) * QUARTER_MS,
  }
}

function endOf(text: string, timezone: string): number {
  if (!DAY.test(text)) return timeOf('end_date', text, timezone)
  return firstAt(timezone, localTime('end_date', text) + DAY_MS)
}

function lastDay(text: string | undefined, timezone: string, end: number): number {
  if (text !== undefined && DAY.test(text)) return localTime('end_date', text)
  return Math.floor(localOf(timezone, end) / DAY_MS) * DAY_MS
}

function timeOf(path: string, text: string, timezone: string): number {
  if (DAY.test(text) || !HAS_OFFSET.test(text)) return firstAt(timezone, localTime(path, text))
  return kept(path, Date.parse(text))
}

const localTime = (path: string, text: string): number =>
  kept(path, Date.parse(DAY.test(text) ? text : `${text}Z`))

/**
 * Beginning of the years in which all offsets are whole quarters of an hour. There is no earlier
 * mail.
 */
const EARLIEST = Date.UTC(1972, 1)
const LATEST = Date.UTC(2100, 0)

function kept(path: string, time: number): number {
  if (time >= EARLIEST && time <= LATEST) return time
  refuse(path, 'must be a time between 1972-02-01 and 2100-01-01')
}

export function requireTimezone(timezone: string): string {
  if (isTimezone(timezone)) return timezone
  refuse('timezone', 'must be the name of an IANA timezone such as Europe/Berlin')
}

export function dimensionsOf(text: string | undefined): Dimension[] {
  const requestedNames = new Set(text?.split(','))
  for (const name of requestedNames) {
    if (!DIMENSIONS.some((each) => each === name)) {
      refuse('dimensions', `must be a comma-separated list of ${DIMENSIONS.join(', ')}`)
    }
  }
  return DIMENSIONS.filter((name) => requestedNames.has(name))
}
