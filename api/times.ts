import { badRequest } from '../src/domain/errors.ts'

const DAY = /^\d{4}-\d\d-\d\d$/
const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/

/**
 * A time of the input as we keep it, in UTC; undefined when it cannot be kept: a leap second, which
 * JavaScript does not know, or a year that is not one of four digits once it is in UTC.
 */
export function toUtc(text: string, plusMs = 0): string | undefined {
  const time = Date.parse(text) + plusMs
  if (Number.isNaN(time)) return undefined
  const utc = new Date(time).toISOString()
  return FOUR_DIGIT_YEAR.test(utc) ? utc : undefined
}

/** The same for a query parameter that may be absent: 400 that names it. */
export function timeParameter(path: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : kept(path, toUtc(text))
}

const DAY_MS = 86_400_000

/** The moment a day or time ends: a bare day includes the whole of it. */
export function endParameter(path: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : kept(path, toUtc(text, DAY.test(text) ? DAY_MS : 0))
}

function kept(path: string, utc: string | undefined): string {
  if (utc !== undefined) return utc
  const message = 'is not a time we can keep'
  throw badRequest(`The query parameter ${path} ${message}`, [{ path, message }])
}
