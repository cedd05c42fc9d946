/** The segments whose members are kept, because something wants to know who enters and leaves. */
import type { Needs } from '../../domain/audience/condition-needs.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Begins to keep a segment that is locked, unless it is kept already. */
export async function keep(
  tx: Transaction,
  organizationId: Uuid,
  segmentId: Uuid,
  { asksTopics, asksStats, eventNames }: Needs,
): Promise<void> {
  await tx`
    insert into membership_turns (organization_id)
    values (${organizationId})
    on conflict do nothing`
  await tx`
    insert into kept_segments (organization_id, id, segment_id, asks_topics, asks_stats,
      event_names)
    values (${organizationId}, ${uuidv7()}, ${segmentId}, ${asksTopics}, ${asksStats},
      ${eventNames}::text[])
    on conflict (organization_id, segment_id) where dropped_at is null do nothing`
}

/** Ends it: from now on nobody enters or leaves. The segment is locked, or gone. */
export const drop = (sql: Executor, organizationId: Uuid, segmentId: Uuid) => sql`
  update kept_segments
  set dropped_at = clock_timestamp()
  where organization_id = ${organizationId} and segment_id = ${segmentId} and dropped_at is null`

/** The condition of a segment that is locked has changed: all contacts are looked at again. */
export const rescan = (
  tx: Transaction,
  organizationId: Uuid,
  segmentId: Uuid,
  { asksTopics, asksStats, eventNames }: Needs,
) => tx`
  update kept_segments
  set asks_topics = ${asksTopics}, asks_stats = ${asksStats}, event_names = ${eventNames}::text[],
    scan = scan + 1, scan_after = null, scan_cursor = null, is_scanned = false
  where organization_id = ${organizationId} and segment_id = ${segmentId} and dropped_at is null`

export interface KeptSegment {
  id: Uuid
  segmentId: Uuid
  /** Null: the segment is gone. */
  condition: Condition | null
  keptSince: string
  /** Whether all that were members at first have been recorded. */
  isRecorded: boolean
  /** The last contact that the scan has looked at. */
  scanCursor: Uuid | null
  scan: number
  isScanned: boolean
}

export const list = (sql: Executor, organizationId: Uuid) => sql<KeptSegment[]>`
  select k.id, k.segment_id, s.condition, k.kept_since, k.recorded_at is not null as is_recorded,
    k.scan_cursor, k.scan, k.is_scanned
  from kept_segments k
  left join segments s on s.organization_id = k.organization_id and s.id = k.segment_id
  where k.organization_id = ${organizationId} and k.dropped_at is null
  order by k.id`

/**
 * Whether the scan may look at contacts. Transactions that had begun to write before they could see
 * that the segment is kept have marked nothing: their ends are waited for. Such a transaction had
 * its number before the first call of this function, which takes one itself.
 */
export async function mayScan(
  tx: Transaction,
  organizationId: Uuid,
  { id, scan }: KeptSegment,
): Promise<boolean> {
  const [row] = await tx<{ mayScan: boolean }[]>`
    update kept_segments
    set scan_after = coalesce(scan_after, pg_current_xact_id())
    where organization_id = ${organizationId} and id = ${id} and scan = ${scan}
    returning scan_after < pg_snapshot_xmin(pg_current_snapshot()) as may_scan`
  return row?.mayScan ?? false
}

/** Notes how far a scan has come; null: it has looked at all. Nothing if another has begun. */
export const recordScan = (
  tx: Transaction,
  organizationId: Uuid,
  { id, scan }: KeptSegment,
  cursor: Uuid | null,
) => tx`
  update kept_segments
  set scan_cursor = coalesce(${cursor}::uuid, scan_cursor),
    is_scanned = ${cursor === null},
    recorded_at = case
      when ${cursor === null} then coalesce(recorded_at, clock_timestamp()) else recorded_at end
  where organization_id = ${organizationId} and id = ${id} and scan = ${scan}`

/** When contacts entered a kept segment, by id; of one that is not kept nothing is known. */
export async function entryTimes(
  sql: Executor,
  organizationId: Uuid,
  segmentId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Map<Uuid, string | null>> {
  const rows = await sql<{ contactId: Uuid; enteredAt: string | null }[]>`
    select m.contact_id, m.entered_at
    from kept_segments k
    join segment_members m on m.organization_id = k.organization_id and m.kept_id = k.id
    where k.organization_id = ${organizationId} and k.segment_id = ${segmentId}
      and k.dropped_at is null and m.contact_id = any(${[...contactIds]}::uuid[])`
  return new Map(rows.map(({ contactId, enteredAt }) => [contactId, enteredAt]))
}

/** Deletes up to `limit` members of segments that are kept no more, and in the end these. */
export async function deleteDropped(
  tx: Transaction,
  organizationId: Uuid,
  limit: number,
): Promise<void> {
  const { count } = await tx`
    delete from segment_members
    where organization_id = ${organizationId} and (kept_id, contact_id) in (
      select m.kept_id, m.contact_id
      from kept_segments k
      join segment_members m on m.organization_id = k.organization_id and m.kept_id = k.id
      where k.organization_id = ${organizationId} and k.dropped_at is not null
      limit ${limit}
    )`
  if (count === limit) return
  await tx`
    delete from kept_segments
    where organization_id = ${organizationId} and dropped_at is not null`
}
