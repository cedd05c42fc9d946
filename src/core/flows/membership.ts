import { checkCondition, IN_SEGMENTS } from '../../domain/audience/condition-check.ts'
import type { Uuid } from '../../ids.ts'
import * as keptSegments from '../../store/audience/kept-segments.ts'
import type { KeptSegment } from '../../store/audience/kept-segments.ts'
import * as membership from '../../store/audience/membership.ts'
import type { AskedSegment, Difference } from '../../store/audience/membership.ts'
import * as contactLocks from '../../store/contacts/locks.ts'
import { type Executor, type Sql, transact, type Transaction } from '../../store/db/sql.ts'
import { fire } from './triggers.ts'

/** Marks of one turn. A turn holds locks of contacts, and others wait for its worker. */
const MARKS = 500
/** The same after a failure. */
const FEW_MARKS = 20
/** Contacts of one turn that a scan looks at. */
const SCANNED = 2_000
/** Members of one turn that are deleted because their segment is kept no more. */
const DELETED = 5_000
/** After a failure. */
const PUT_OFF_MS = 5_000

/** What time it is, in ISO 8601: for conditions on time. */
export type Clock = (sql: Executor) => Promise<string>

export interface Keeping {
  sql: Sql
  /** The clock of Postgres, unless a test has another. */
  clock?: Clock | undefined
  /** Told of a turn that failed; it is tried again. */
  onFailure: (organizationId: Uuid, error: unknown) => void
}

/**
 * Brings the kept membership of one organization up to date, in one transaction: evaluates some of
 * its dirty contacts, and a page of the contacts that a scan is to look at. Who entered or left a
 * segment starts the flows that wait for that. Returns false when there was nothing to do.
 *
 * Contacts are evaluated without locks: what is written of them meanwhile has marks of its own. The
 * turn is locked first, then those contacts that differ, in the order of their ids.
 */
export async function keepMembership(keeping: Keeping): Promise<boolean> {
  let taken: Uuid | undefined
  try {
    return await transact(keeping.sql, async (tx) => {
      const turn = await membership.takeTurn(tx)
      taken = turn?.organizationId
      if (!turn) return false
      await takeTurn(tx, turn, keeping.clock ?? membership.present)
      return true
    })
  } catch (error) {
    if (taken === undefined) throw error
    keeping.onFailure(taken, error)
    await membership.putOff(keeping.sql, taken, PUT_OFF_MS)
    return true
  }
}

interface Turn {
  tx: Transaction
  organizationId: Uuid
  /** ISO 8601. */
  now: string
}

async function takeTurn(
  tx: Transaction,
  { organizationId, hasFailed }: { organizationId: Uuid; hasFailed: boolean },
  clock: Clock,
): Promise<void> {
  const marks = hasFailed ? FEW_MARKS : MARKS
  const contactIds = await membership.takeDirty(tx, organizationId, marks)
  const turn = { tx, organizationId, now: await clock(tx) }
  const kept = await keptSegments.list(tx, organizationId)
  const segments = kept.flatMap((each) => asked(each) ?? [])
  const some = { ...turn, contactIds, segments }
  const differences = await membership.listDifferences(tx, some)
  // While a segment is recorded, of other contacts it is not known where they come from.
  await write(
    turn,
    kept,
    differences.filter(({ isKnown }) => isKnown),
  )
  await membership.writeDeadlines(tx, some, { isAll: true })
  const open = kept.find(({ isScanned }) => !isScanned)
  if (open) await scan(turn, open)
  await keptSegments.deleteDropped(tx, organizationId, DELETED)
}

/** Undefined: this version cannot evaluate its condition. Nobody enters or leaves then. */
function asked({ condition, ...kept }: KeptSegment): AskedSegment | undefined {
  if (condition === null) return undefined
  const problems = checkCondition(condition, 'condition', IN_SEGMENTS)
  return problems.length > 0 ? undefined : { ...kept, condition }
}

/**
 * Looks at a page of all contacts: when a segment begins to be kept, whose present members are
 * recorded and have entered nothing, and when its condition was changed.
 */
async function scan(turn: Turn, kept: KeptSegment): Promise<void> {
  const { tx, organizationId } = turn
  if (!(await keptSegments.mayScan(tx, organizationId, kept))) return
  const contactIds = await membership.listPage(tx, organizationId, kept.scanCursor, SCANNED)
  const segment = asked(kept)
  if (segment) {
    const page = { ...turn, contactIds, segments: [segment] }
    await write(turn, [kept], await membership.listDifferences(tx, page))
    await membership.writeDeadlines(tx, page, { isAll: false })
  }
  const last = contactIds.length < SCANNED ? null : contactIds.at(-1)
  await keptSegments.recordScan(tx, organizationId, kept, last ?? null)
}

/** Writes differences, and starts what follows from them, for contacts that are there still. */
async function write(
  { tx, organizationId, now }: Turn,
  kept: readonly KeptSegment[],
  found: readonly Difference[],
): Promise<void> {
  if (found.length === 0) return
  const ids = found.map(({ contactId }) => contactId)
  const present = await contactLocks.lockAll(tx, organizationId, ids)
  const differences = found.filter(({ contactId }) => present.has(contactId))
  await membership.writeDifferences(tx, organizationId, differences, now)
  const segmentOf = new Map(kept.map(({ id, segmentId }) => [id, segmentId]))
  const occurrences = differences.flatMap(({ keptId, contactId, hasEntered, isKnown }) => {
    const segmentId = segmentOf.get(keptId)
    const type = hasEntered ? ('segment_entry' as const) : ('segment_exit' as const)
    return isKnown && segmentId !== undefined ? [{ type, contactId, segmentId }] : []
  })
  await fire(tx, organizationId, occurrences, undefined)
}

/** Marks contacts for which time has passed, up to `limit`; returns whether there may be more. */
export async function markDue(
  { sql, clock = membership.present }: Pick<Keeping, 'sql' | 'clock'>,
  limit: number,
): Promise<boolean> {
  return (await membership.markDue(sql, await clock(sql), limit)) === limit
}
