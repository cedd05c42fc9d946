import type { Audience } from '../../domain/audience/audience.ts'
import { sentenceOf } from '../../domain/audience/condition-sentence.ts'
import { badRequest } from '../../domain/errors.ts'
import { shown } from '../../domain/text.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as members from '../../store/audience/members.ts'
import * as skippedValues from '../../store/audience/skipped-values.ts'
import { hasState, QUERY_CANCELED, type Sql, type Transaction } from '../../store/db/sql.ts'

/** Fraction of the contacts that an estimate looks at, if all of them take too long. */
const ESTIMATED_PARTS = 64

/**
 * Counts the contacts that meet a condition and returns the newest `limit` of them. The count is an
 * estimate if all contacts take longer than a statement may. Undefined: even the estimate does.
 */
export async function countMembers(searchSql: Sql, question: members.MemberQuestion, limit = 0) {
  for (const parts of [1, ESTIMATED_PARTS]) {
    const survey = async (tx: Transaction) => members.survey(tx, question, { parts, limit })
    const estimate = await inTime(askAll(searchSql, survey))
    if (estimate) return { ...estimate, count: estimate.count * parts, isExact: parts === 1 }
  }
  return undefined
}

export async function countAudience(searchSql: Sql, organizationId: Uuid, audience: Audience) {
  for (const parts of [1, ESTIMATED_PARTS]) {
    const countAll = async (tx: Transaction) =>
      audiences.countAll(tx, organizationId, audience, parts)
    const count = await inTime(askAll(searchSql, countAll))
    if (count !== undefined) return { count: count * parts, isExact: parts === 1 }
  }
  return undefined
}

/**
 * Returns `countMembers` and the values that the filters cannot read, or null if finding them takes
 * too long. Throws a 400 if counting does.
 */
export async function previewMembers(
  searchSql: Sql,
  question: members.MemberQuestion,
  limit: number,
) {
  const memberCount = await countMembers(searchSql, question, limit)
  if (!memberCount) throw tooSlow('condition', 'condition_too_slow', sentenceOf(question.condition))
  const parts = memberCount.isExact ? 1 : ESTIMATED_PARTS
  const skip = async (tx: Transaction) => skippedValues.list(tx, question, parts)
  const skipped = await inTime(askAll(searchSql, skip))
  const scaled = skipped?.map((each) => ({ ...each, count: each.count * parts }))
  return { ...memberCount, skippedValues: scaled ?? null }
}

/** Runs a query of all contacts. Throws a 400 that names `path` if it takes too long. */
export async function requireInTime<T>(path: string, work: Promise<T>): Promise<T> {
  const done = await inTime(work.then((result) => ({ result })))
  if (!done) throw tooSlow(path, 'segment_too_slow')
  return done.result
}

export async function withEntryTimes<T extends { id: Uuid }>(
  sql: Sql,
  organizationId: Uuid,
  segmentId: Uuid,
  members: readonly T[],
): Promise<(T & { enteredAt: string | null })[]> {
  const ids = members.map(({ id }) => id)
  const times = await keptSegments.entryTimes(sql, organizationId, segmentId, ids)
  return members.map((each) => ({ ...each, enteredAt: times.get(each.id) ?? null }))
}

export const askAll = <T>(searchSql: Sql, ask: (tx: Transaction) => Promise<T>): Promise<T> =>
  searchSql.begin(async (tx) => {
    await members.allowWholeReads(tx)
    return ask(tx)
  })

async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasState(error, QUERY_CANCELED)) return undefined
    throw error
  }
}

const SLOW = 'takes too long to evaluate: use fewer or narrower filters'

function tooSlow(path: string, reason: string, sentence?: string) {
  const message = sentence === undefined ? SLOW : `${SLOW}; it is: ${shown(sentence)}`
  return badRequest(`The condition ${message}`, [{ path, message }], reason)
}
