import type { SegmentFailure } from '../../domain/audience/audience.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import type { KeptSegment } from '../../store/audience/kept-segments.ts'
import * as membership from '../../store/audience/membership.ts'
import type { Difference } from '../../store/audience/membership.ts'
import * as contactLocks from '../../store/contacts/locks.ts'
import { type Executor, type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import {
  ask,
  type Asking,
  askOne,
  noteFailure,
  SegmentsFailed,
  setAside,
  usableOf,
} from './ask-segments.ts'
import { fire } from './triggers.ts'
import { needsOf } from '../../domain/audience/condition-needs.ts'
import type { Trigger } from '../../domain/flows/flow.ts'
import { hold } from '../../store/audience/segments.ts'
import { isUsable } from '../../domain/audience/usable-condition.ts'
import * as triggered from '../../store/flows/triggered.ts'

/** Marks of one turn. A turn holds locks of contacts, and others wait for its worker. */
const MARKS = 300
const FEW_MARKS = 20
/** Contacts that a scan evaluates in one turn, and the number after a failure. */
const SCANNED = [2_000, 200]
const WRITTEN = 2_000
/** Members that one turn deletes because their segment is no longer stored. */
const DELETED = 5_000
const PUT_OFF_MS = 5_000
/** Time limit of a statement that evaluates a turn's contacts, which takes milliseconds. */
const ASKED_MS = 5_000

/** Returns the time in ISO 8601, for conditions that depend on it. */
export type Clock = (sql: Executor) => Promise<string>

export interface Keeping {
  sql: Sql
  clock?: Clock | undefined
  /** Time limit of a statement that evaluates segments, in milliseconds. Tests lower it. */
  limitMs?: number | undefined
  onFailure: (organizationId: Uuid, error: unknown) => void
  /** Called for a failing segment, which nobody enters or leaves until a time. */
  onSetAside?: ((segment: SetAside) => void) | undefined
}

export interface SetAside {
  organizationId: Uuid
  segmentId: Uuid
  failure: SegmentFailure
  /** ISO 8601. */
  until: string
  error?: unknown
}

/**
 * Updates the stored membership of one organization in one transaction: evaluates some of its
 * marked contacts, and a page of an open scan. Entering or leaving a segment starts the flows that
 * wait for it. Returns false if there was nothing to do.
 *
 * Contacts are evaluated without locks, since later writes leave marks of their own. The turn is
 * locked first, then the contacts that differ, in the order of their ids.
 */
export async function keepMembership(keeping: Keeping): Promise<boolean> {
  let organizationTurn: Uuid | undefined
  try {
    const turn = await transact(keeping.sql, async (tx) => {
      organizationTurn = undefined
      const next = await membership.takeTurn(tx)
      organizationTurn = next?.organizationId
      return next && takeTurn(tx, next, keeping)
    })
    if (turn) tell(keeping, turn)
    return turn !== undefined
  } catch (error) {
    if (organizationTurn === undefined) throw error
    await recover(keeping, organizationTurn, error)
    return true
  }
}

/** Recovers from a turn that was rolled back, with its marks and members as before. */
async function recover(keeping: Keeping, organizationId: Uuid, error: unknown): Promise<void> {
  if (error instanceof SegmentsFailed) {
    const { failed } = error
    const segments = await transact(keeping.sql, (tx) => setAside(tx, organizationId, failed))
    tell(keeping, { organizationId, segments })
    return
  }
  keeping.onFailure(organizationId, error)
  await membership.putOff(keeping.sql, organizationId, PUT_OFF_MS)
}

interface Turn {
  organizationId: Uuid
  segments: Awaited<ReturnType<typeof setAside>>
}

function tell({ onSetAside }: Keeping, { organizationId, segments }: Turn): void {
  for (const { segment, failure, until, error } of segments) {
    onSetAside?.({ organizationId, segmentId: segment.segmentId, failure, until, error })
  }
}

async function takeTurn(
  tx: Transaction,
  { organizationId, hasFailed }: { organizationId: Uuid; hasFailed: boolean },
  { clock = membership.present, limitMs = ASKED_MS }: Keeping,
): Promise<Turn> {
  const marks = hasFailed ? FEW_MARKS : MARKS
  const contactIds = await membership.takeDirty(tx, organizationId, marks)
  const now = await clock(tx)
  const asking: Asking = { tx, organizationId, now, limitMs, failed: [] }
  const segments = usableOf(asking, await keptSegments.list(tx, organizationId))
  await membership.deleteDeadlines(tx, organizationId, contactIds)
  const differences = await ask(asking, contactIds, segments)
  // While a segment is recorded, of other contacts it is not known where they come from.
  await write(
    asking,
    segments,
    differences.filter(({ isKnown }) => isKnown),
  )
  const failed = new Set(asking.failed.map(({ segment: kept }) => kept.id))
  const openScan = segments.find(({ id, mayBeScanned }) => mayBeScanned && !failed.has(id))
  if (openScan) await scan(asking, openScan)
  await keptSegments.beginScans(tx, organizationId)
  await keptSegments.deleteDropped(tx, organizationId, DELETED)
  return { organizationId, segments: await setAside(tx, organizationId, asking.failed) }
}

/**
 * Evaluates a page of all contacts when a segment is first stored, whose present members are
 * recorded without entering, and when its condition was changed.
 */
async function scan(asking: Asking, segment: ReturnType<typeof usableOf>[number]): Promise<void> {
  const { tx, organizationId } = asking
  let differences: Awaited<ReturnType<typeof askOne>> = []
  for (const size of SCANNED) {
    const contactIds = await membership.listPage(tx, organizationId, segment.scanCursor, size)
    differences = await askOne(asking, contactIds, segment)
    if ('failure' in differences) continue
    await write(asking, [segment], differences)
    const last = contactIds.length < size ? null : contactIds.at(-1)
    await keptSegments.recordScan(tx, organizationId, segment, last ?? null)
    return
  }
  if ('failure' in differences) noteFailure(asking, differences)
}

/** Writes differences for existing contacts, and starts the executions that follow. */
async function write(
  { tx, organizationId, now }: Asking,
  storedSegments: readonly KeptSegment[],
  segmentDifferences: readonly Difference[],
): Promise<void> {
  if (segmentDifferences.length === 0) return
  const ids = segmentDifferences.map(({ contactId }) => contactId)
  const present = await contactLocks.lockAll(tx, organizationId, ids)
  const differences = segmentDifferences.filter(({ contactId }) => present.has(contactId))
  const segmentOf = new Map(storedSegments.map(({ id, segmentId }) => [id, segmentId]))
  for (let from = 0; from < differences.length; from += WRITTEN) {
    const some = differences.slice(from, from + WRITTEN)
    await membership.writeDifferences(tx, organizationId, some, now)
    const occurrences = some.flatMap(({ keptId, contactId, hasEntered, isKnown }) => {
      const segmentId = segmentOf.get(keptId)
      const type = hasEntered ? ('segment_entry' as const) : ('segment_exit' as const)
      return isKnown && segmentId !== undefined ? [{ type, contactId, segmentId }] : []
    })
    await fire(tx, organizationId, occurrences, undefined)
  }
}

/** Marks contacts for which time has passed, up to `limit`. Returns whether there may be more. */
export async function markDue(
  { sql, clock = membership.present }: Pick<Keeping, 'sql' | 'clock'>,
  limit: number,
): Promise<boolean> {
  return (await membership.markDue(sql, await clock(sql), limit)) === limit
}

const watchedSegment = (trigger: Trigger): Uuid | undefined =>
  trigger.type === 'segment_entry' || trigger.type === 'segment_exit'
    ? trigger.segmentId
    : undefined

/**
 * Keeps the members of these segments from now on where an enabled flow waits for entries or exits,
 * and of the others no more. Called after a flow that is locked was changed; locks the segments, so
 * that of two changes at once the later sees the earlier. One that cannot be evaluated stays as it
 * is: no flow that waits for it is enabled.
 */
export async function keepWatched(
  tx: Transaction,
  organizationId: Uuid,
  triggers: readonly Trigger[],
): Promise<void> {
  const ids = new Set(triggers.flatMap((trigger) => watchedSegment(trigger) ?? []))
  for (const id of [...ids].filter(isUuid).toSorted()) {
    const segment = await hold(tx, organizationId, id)
    const isWatched = await triggered.isWatched(tx, organizationId, id)
    if (!segment || !isWatched) await keptSegments.drop(tx, organizationId, id)
    else if (isUsable(segment.condition)) {
      await keptSegments.keep(tx, organizationId, id, needsOf(segment.condition))
    }
  }
}
