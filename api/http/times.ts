import { badRequest } from '../../src/domain/errors.ts'
import { toUtc } from '../../src/domain/times.ts'

const DAY = /^\d{4}-\d\d-\d\d$/

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
