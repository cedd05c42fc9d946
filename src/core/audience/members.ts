import { badRequest } from '../../domain/errors.ts'
import * as members from '../../store/audience/members.ts'
import { hasState, QUERY_CANCELED, type Sql } from '../../store/db/sql.ts'

/** Where all contacts take too long, every so many of them is looked at. */
const ESTIMATED_PARTS = 64

/**
 * How many contacts a condition holds of, and the newest `limit` of these. An estimate where all of
 * them take longer than a statement may; undefined where even that does.
 */
export async function countMembers(searchSql: Sql, asked: members.Asked, limit = 0) {
  for (const parts of [1, ESTIMATED_PARTS]) {
    const found = await inTime(members.survey(searchSql, asked, { parts, limit }))
    if (found) return { ...found, count: found.count * parts, isExact: parts === 1 }
  }
  return undefined
}

/** The same. 400 where it takes too long. */
export async function previewMembers(searchSql: Sql, asked: members.Asked, limit: number) {
  const found = await countMembers(searchSql, asked, limit)
  if (!found) throw tooSlow('condition', 'condition_too_slow')
  return found
}

/** What asks a condition of all contacts. 400 where it takes too long: `path` names it. */
export async function requireInTime<T>(path: string, work: Promise<T>): Promise<T> {
  const done = await inTime(work.then((result) => ({ result })))
  if (!done) throw tooSlow(path, 'segment_too_slow')
  return done.result
}

/** Undefined: the statement took longer than it may. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasState(error, QUERY_CANCELED)) return undefined
    throw error
  }
}

const SLOW = 'takes too long to evaluate: use fewer or narrower filters'

const tooSlow = (path: string, reason: string) =>
  badRequest(`The condition ${SLOW}`, [{ path, message: SLOW }], reason)
