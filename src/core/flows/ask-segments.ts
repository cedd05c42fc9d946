/**
 * Evaluates stored segments for contacts, a few of them in one statement. A segment that takes too
 * long or fails is set aside, so that it does not hold up the others of its organization.
 */
import type { SegmentFailure } from '../../domain/audience/audience.ts'
import { filtersOf } from '../../domain/audience/condition-check.ts'
import { eventCountOf } from '../../domain/audience/condition-events.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import type { KeptSegment } from '../../store/audience/kept-segments.ts'
import * as membership from '../../store/audience/membership.ts'
import type { AskedSegment, Difference } from '../../store/audience/membership.ts'
import { hasState, isPassing, QUERY_CANCELED, type Transaction } from '../../store/db/sql.ts'
import { isUsable } from '../../domain/audience/usable-condition.ts'

/** Limits of one statement: segments, and filters of segments. */
const SEGMENTS = 20
const FILTERS = 100
/** Slow statements of one turn. Each has reached the time limit. */
const MOST_SLOW = 3
const WAIT_MS = 30_000

export interface FailedSegment {
  segment: KeptSegment
  failure: SegmentFailure
  error?: unknown
}

export interface Asking {
  tx: Transaction
  organizationId: Uuid
  /** ISO 8601. */
  now: string
  /** Time limit of one statement that evaluates segments. */
  limitMs: number
  failed: FailedSegment[]
}

/** Too many segments failed in one turn. It is rolled back, and these are set aside first. */
export class SegmentsFailed extends Error {
  readonly failed: readonly FailedSegment[]

  constructor(failed: readonly FailedSegment[]) {
    super('too many segments take too long')
    this.failed = failed
  }
}

type Usable = KeptSegment & AskedSegment

export const usableOf = ({ failed }: Asking, storedSegments: readonly KeptSegment[]): Usable[] =>
  storedSegments.flatMap((each) => {
    const { condition } = each
    if (condition !== null && isUsable(condition)) return [{ ...each, condition }]
    failed.push({ segment: each, failure: 'segment_not_usable' })
    return []
  })

/** Returns the differences between the evaluated and the stored membership of these contacts. */
export const ask = (
  asking: Asking,
  contactIds: readonly Uuid[],
  segments: readonly Usable[],
): Promise<Difference[]> =>
  limited(asking, async () => {
    if (contactIds.length === 0) return []
    const differences: Difference[][] = []
    for (const group of groupsOf(segments)) {
      differences.push(await askGroup(asking, contactIds, group))
    }
    return differences.flat()
  })

export const askOne = (
  asking: Asking,
  contactIds: readonly Uuid[],
  segment: Usable,
): Promise<Difference[] | FailedSegment> =>
  limited(asking, () => tryAsking(asking, contactIds, [segment]))

export function noteFailure({ failed }: Asking, failure: FailedSegment): void {
  failed.push(failure)
  const slow = failed.filter((each) => each.failure === 'segment_too_slow')
  if (slow.length > MOST_SLOW) throw new SegmentsFailed(failed)
}

/**
 * Sets failed segments aside, except those that were changed meanwhile. Returns the end of the
 * pause.
 */
export async function setAside(
  tx: Transaction,
  organizationId: Uuid,
  failed: readonly FailedSegment[],
): Promise<(FailedSegment & { until: string })[]> {
  const done: (FailedSegment & { until: string })[] = []
  for (const each of failed) {
    const { segment, failure } = each
    const wait = { failure, waitMs: WAIT_MS }
    const until = await keptSegments.setAside(tx, organizationId, segment, wait)
    if (until !== undefined) done.push({ ...each, until })
  }
  return done
}

async function askGroup(
  asking: Asking,
  contactIds: readonly Uuid[],
  group: readonly Usable[],
): Promise<Difference[]> {
  const differences = await tryAsking(asking, contactIds, group)
  if (!('failure' in differences)) return differences
  const [only, ...otherSegments] = group
  if (only && otherSegments.length === 0) {
    noteFailure(asking, differences)
    return []
  }
  const each: Difference[][] = []
  for (const segment of group) each.push(await askGroup(asking, contactIds, [segment]))
  return each.flat()
}

/** Runs one statement, which is rolled back if it fails because of the segments. */
async function tryAsking(
  { tx, organizationId, now }: Asking,
  contactIds: readonly Uuid[],
  segments: readonly Usable[],
): Promise<Difference[] | FailedSegment> {
  const question = { organizationId, contactIds, segments, now }
  try {
    return await tx.savepoint(async (part) => {
      const differences = await membership.listDifferences(part, question)
      await membership.writeDeadlines(part, question)
      return differences
    })
  } catch (error) {
    const failure = failureOf(error)
    const [firstSegment] = segments
    if (!failure || !firstSegment) throw error
    return { segment: firstSegment, failure, error }
  }
}

/** Undefined: the server failed, not the segment. */
function failureOf(error: unknown): SegmentFailure | undefined {
  if (hasState(error, QUERY_CANCELED)) return 'segment_too_slow'
  return isPassing(error) ? undefined : 'segment_not_usable'
}

async function limited<T>({ tx, limitMs }: Asking, work: () => Promise<T>): Promise<T> {
  const before = await membership.limitStatements(tx, limitMs)
  const result = await work()
  await membership.restoreLimit(tx, before)
  return result
}

function* groupsOf(segments: readonly Usable[]): Generator<Usable[]> {
  let group: Usable[] = []
  let filters = 0
  for (const segment of segments) {
    const own = filtersOf(segment.condition).reduce(
      (count, filter) => count + 1 + (eventCountOf(filter)?.where.length ?? 0),
      0,
    )
    if (group.length > 0 && (group.length === SEGMENTS || filters + own > FILTERS)) {
      yield group
      group = []
      filters = 0
    }
    group.push(segment)
    filters += own
  }
  if (group.length > 0) yield group
}
