import { isDeepStrictEqual } from 'node:util'
import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import { needsOf } from '../../domain/audience/condition-needs.ts'
import type { SegmentFailure } from '../../domain/audience/audience.ts'
import { sentenceOf } from '../../domain/audience/condition-sentence.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { badRequest, conflict, sentence } from '../../domain/errors.ts'
import { requireUnmodified } from '../../domain/unmodified.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Segment, SegmentPatch } from '../../schemas/audience/segment.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import * as segments from '../../store/audience/segments.ts'
import type { Sql, Transaction } from '../../store/db/sql.ts'
import { missing } from '../access/ownership.ts'
import { requireUnused } from '../access/require-unused.ts'
import { countMembers } from './members.ts'
import { isUsable, whyUnusable } from '../../domain/audience/usable-condition.ts'

const MOST_SEGMENTS = 1_000
/**
 * Age at which a segment's count is renewed when the segment is read. A count that took too long is
 * not repeated for the same time.
 */
const RECOUNTED_AFTER_MS = 60_000

/**
 * Returns a segment on the wire. One that cannot be evaluated has no members and shows the reason,
 * but not its condition, which may be anything.
 */
export function viewOf({ keptFailure, setAsideUntil, ...segment }: segments.SegmentRow): Segment {
  const unusable = whyUnusable(segment.condition)
  if (unusable !== undefined) {
    const problem = { reason: 'segment_not_usable' as const, message: unusable }
    return { ...segment, ...UNCOUNTED, condition: null, sentence: NOBODY, problem }
  }
  const sentence = sentenceOf(segment.condition)
  if (keptFailure === null) return { ...segment, sentence, problem: null }
  const message = `${WAITING[keptFailure]}; it is tried again at ${setAsideUntil}`
  return { ...segment, sentence, problem: { reason: keptFailure, message } }
}

const UNCOUNTED = { memberCount: null, memberCountIsExact: null, countedAt: null }
const NOBODY = 'Nobody: this version cannot evaluate the condition.'
const WAITING: Record<SegmentFailure, string> = {
  segment_too_slow: 'Entries and exits wait: the condition takes too long to evaluate',
  segment_not_usable: 'Entries and exits wait: the condition could not be evaluated',
}

/** Throws a 400 if a segment cannot have the condition. Paths begin with `condition`. */
export function requireCondition(condition: Condition): void {
  const problems = checkCondition(condition, 'condition', IN_SEGMENTS)
  if (problems.length > 0) throw badRequest(sentence(problems), problems)
}

type Counts = segments.SegmentCount & segments.CountTried

interface Counting {
  searchSql: Sql
  organizationId: Uuid
  now: number
}

export async function counted(
  { searchSql, organizationId, now: at }: Counting,
  condition: Condition,
): Promise<Counts> {
  const now = new Date(at).toISOString()
  const memberCount = await countMembers(searchSql, { organizationId, condition, now })
  return memberCount
    ? { memberCount: memberCount.count, memberCountIsExact: memberCount.isExact, countedAt: now }
    : { ...UNCOUNTED, countTriedAt: now }
}

/** Creates a segment. Undefined: the id is taken. Throws a 409 if there are too many. */
export async function createSegment(
  tx: Transaction,
  organizationId: Uuid,
  segment: segments.SegmentValues & Counts & { id: Uuid },
): Promise<segments.SegmentRow | undefined> {
  await organizations.lock(tx, organizationId)
  if ((await segments.count(tx, organizationId)) >= MOST_SEGMENTS) {
    throw conflict(`An organization can have at most ${MOST_SEGMENTS} segments`, {
      reason: 'segment_limit',
    })
  }
  return segments.create(tx, organizationId, segment)
}

export async function requireSegment(
  sql: Sql,
  organizationId: Uuid,
  id: string,
): Promise<segments.SegmentRow> {
  const segment = isUuid(id) ? await segments.find(sql, organizationId, id) : undefined
  if (!segment) throw await missing(sql, 'segment', organizationId, id)
  return segment
}

/**
 * Returns the segment with a count that is at most a minute old, if possible. One caller counts at
 * a time, and nobody counts again soon after it took too long. Others get the stored count.
 */
export async function recounted(
  sql: Sql,
  counting: Counting,
  segment: segments.SegmentRow,
): Promise<segments.SegmentRow> {
  const { organizationId, now } = counting
  if (segment.countedAt !== null && now - Date.parse(segment.countedAt) < RECOUNTED_AFTER_MS) {
    return segment
  }
  const at = new Date(now).toISOString()
  const after = new Date(now - RECOUNTED_AFTER_MS).toISOString()
  if (!isUsable(segment.condition)) return segment
  const { id } = segment
  if (!(await segments.takeCount(sql, organizationId, id, { now: at, after }))) return segment
  const newCount = await counted(counting, segment.condition)
  if (newCount.countedAt === null) return segment
  const next = { ...segment, ...newCount }
  await segments.recordCount(sql, organizationId, next)
  return next
}

export async function changeSegment(
  tx: Transaction,
  organizationId: Uuid,
  { id, patch, members }: { id: Uuid; patch: SegmentPatch; members: Counts | undefined },
): Promise<segments.SegmentRow | undefined> {
  const locked = await segments.lock(tx, organizationId, id)
  if (!locked) return undefined
  requireUnmodified('segment', locked, patch.ifUnmodifiedSince)
  const { name = locked.name, description = locked.description } = patch
  const { condition } = patch
  const next = { ...locked, ...members, name, description, condition }
  if (condition !== undefined && !isDeepStrictEqual(condition, locked.condition)) {
    await keptSegments.rescan(tx, organizationId, id, needsOf(condition))
  }
  return segments.update(tx, organizationId, id, next)
}

/**
 * Deletes a segment. False: there is none. Throws a 409 if a live batch, an enabled flow or a live
 * execution uses it.
 */
export async function deleteSegment(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean> {
  const segment = await segments.lock(tx, organizationId, id)
  if (!segment) return false
  await requireUnused(tx, organizationId, { kind: 'segment', id }, ['batch', 'workflow'])
  await segments.remove(tx, organizationId, id)
  return true
}
