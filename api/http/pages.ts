import { badRequest } from '../../src/domain/errors.ts'
import { type CursorScope, encodeCursor } from './cursor.ts'

/** Largest exact total. A larger count would cost more than the page itself. */
export const MOST_COUNTED = 10_000

interface Paged {
  page: number
  pageSize: number
  hasMore: boolean
  counted: number
  /** False: more rows may exist than were counted. */
  isExact?: boolean
}

/**
 * The figures of a list by pages. Beyond the counted total, `total` says at least that a further
 * page exists while one does, so that a client that loops to `totalPages` loses nobody.
 */
export function pageFigures({ page, pageSize, hasMore, counted, ...rest }: Paged) {
  const isExact = counted <= MOST_COUNTED && rest.isExact !== false
  const total = isExact ? counted : Math.max(counted, page * pageSize + (hasMore ? 1 : 0))
  return { total, totalPages: Math.ceil(total / pageSize), totalIsExact: isExact }
}

/** Throws a 400 for a list that is asked for by page and by cursor. */
export function requireOneOf(page: number, cursor: string | undefined): void {
  if (cursor === undefined || page === 1) return
  throw badRequest('The query parameters page and cursor cannot be combined', [
    { path: 'page', message: 'cannot be combined with a cursor' },
  ])
}

/**
 * Returns a page of rows and the cursor that continues after it. Null: no rows are left. Ask
 * storage for `limit + 1` rows.
 */
export function pageOf<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
  scope: CursorScope,
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, nextCursor: last ? encodeCursor(scope, last.id) : null }
}
