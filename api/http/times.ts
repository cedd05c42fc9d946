import { badRequest } from '../../src/domain/errors.ts'
import { toUtc } from '../../src/domain/times.ts'

const DAY = /^\d{4}-\d\d-\d\d$/

/** Parses a query parameter that may be absent. Throws a 400 that names it. */
export function timeParameter(path: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : kept(path, toUtc(text))
}

const DAY_MS = 86_400_000

/**
 * Returns `from` and `to` of a list. A bare day as `to` includes the whole day. Throws a 400 if the
 * list would end before it begins.
 */
export function rangeParameters(range: { from?: string | undefined; to?: string | undefined }) {
  const from = timeParameter('from', range.from)
  if (range.to === undefined) return { from, to: undefined }
  const isDay = DAY.test(range.to)
  const to = kept('to', toUtc(range.to, isDay ? DAY_MS : 0))
  const spanMs = from === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) - Date.parse(from)
  if (spanMs < 0 || (isDay && spanMs === 0)) {
    const message = 'must not be after to'
    throw badRequest(`The query parameter from ${message}`, [{ path: 'from', message }])
  }
  return { from, to }
}

function kept(path: string, utc: string | undefined): string {
  if (utc !== undefined) return utc
  const message = 'must be a time between the years 1 and 9999'
  throw badRequest(`The query parameter ${path} ${message}`, [{ path, message }])
}
