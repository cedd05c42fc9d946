/** Segments whose members are stored, because something needs to know who enters and leaves. */
import type { Needs } from '../../domain/audience/condition-needs.ts'
import type { SegmentFailure } from '../../domain/audience/audience.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Begins to store the members of a locked segment, unless they are stored already. */
export async function keep(
  tx: Transaction,
  organizationId: Uuid,
  segmentId: Uuid,
  { asksTopics, asksStats, eventNames }: Needs,
): Promise<void> {
  // If it exists already, this does not wait for the organization's turn.
  await tx`
    insert into membership_turns (organization_id)
    select ${organizationId}
    where not exists (
      select
      from membership_turns
      where organization_id = ${organizationId}
    )
    on conflict do nothing`
  await tx`
    insert into kept_segments (organization_id, id, segment_id, asks_topics, asks_stats,
      event_names)
    values (${organizationId}, ${uuidv7()}, ${segmentId}, ${asksTopics}, ${asksStats},
      ${eventNames}::text[])
    on conflict (organization_id, segment_id) where dropped_at is null do nothing`
}

/** Stops storing the members. The segment is locked, or gone. */
export const drop = (sql: Executor, organizationId: Uuid, segmentId: Uuid) => sql`
  update kept_segments
  set dropped_at = clock_timestamp()
  where organization_id = ${organizationId} and segment_id = ${segmentId} and dropped_at is null`

/** Starts a new scan of all contacts after a locked segment's condition has changed. */
export const rescan = (
  tx: Transaction,
  organizationId: Uuid,
  segmentId: Uuid,
  { asksTopics, asksStats, eventNames }: Needs,
) => tx`
  update kept_segments
  set asks_topics = ${asksTopics}, asks_stats = ${asksStats}, event_names = ${eventNames}::text[],
    scan = scan + 1, scan_after = null, scan_cursor = null, is_scanned = false, recorded_to = null,
    failures = 0, failure = null, set_aside_until = null
  where organization_id = ${organizationId} and segment_id = ${segmentId} and dropped_at is null`

export interface KeptSegment {
  id: Uuid
  segmentId: Uuid
  condition: Condition | null
  keptSince: string
  isRecorded: boolean
  scanCursor: Uuid | null
  recordedTo: Uuid | null
  scan: number
  /** The scan is open, and no transaction is waited for. */
  mayBeScanned: boolean
}

export const list = (sql: Executor, organizationId: Uuid) => sql<KeptSegment[]>`
  select k.id, k.segment_id, s.condition, k.kept_since, k.recorded_at is not null as is_recorded,
    k.scan_cursor, k.recorded_to, k.scan,
    not k.is_scanned and coalesce(k.scan_after < pg_snapshot_xmin(pg_current_snapshot()), false)
      as may_be_scanned
  from kept_segments k
  left join segments s on s.organization_id = k.organization_id and s.id = k.segment_id
  where k.organization_id = ${organizationId} and k.dropped_at is null
    and (k.set_aside_until is null or k.set_aside_until <= statement_timestamp())
  order by k.id`

/**
 * Marks scans as begun. They read contacts after a wait: transactions that started before the
 * segment was visible as stored have marked nothing, so their ends are waited for. These are the
 * transactions that have a number by now. This transaction's own number may be lower than theirs.
 */
export const beginScans = (tx: Transaction, organizationId: Uuid) => tx`
  update kept_segments
  set scan_after = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8
  where organization_id = ${organizationId} and dropped_at is null and not is_scanned
    and scan_after is null`

/** Records the progress of a scan. Null: finished. Does nothing if another scan has begun. */
export const recordScan = (
  tx: Transaction,
  organizationId: Uuid,
  { id, scan }: KeptSegment,
  cursor: Uuid | null,
) => tx`
  update kept_segments
  set scan_cursor = coalesce(${cursor}::uuid, scan_cursor),
    is_scanned = ${cursor === null},
    ${cursor === null ? tx`failures = 0, failure = null, set_aside_until = null,` : tx``}
    recorded_at = case
      when ${cursor === null} then coalesce(recorded_at, clock_timestamp()) else recorded_at end
  where organization_id = ${organizationId} and id = ${id} and scan = ${scan}`

/** The first wait is doubled up to this often. */
const MOST_DOUBLED = 7

/**
 * Sets aside a segment that cannot be evaluated: until then nobody enters or leaves it. Contacts
 * that are marked meanwhile are not evaluated for it, so a new scan of all contacts begins. Returns
 * the end of the pause. Undefined: its condition has changed.
 */
export async function setAside(
  sql: Executor,
  organizationId: Uuid,
  { id, scan }: Pick<KeptSegment, 'id' | 'scan'>,
  { failure, waitMs }: { failure: SegmentFailure; waitMs: number },
): Promise<string | undefined> {
  const [row] = await sql<{ setAsideUntil: string }[]>`
    update kept_segments
    set failure = ${failure}, failures = failures + 1,
      set_aside_until = clock_timestamp()
        + ${waitMs} * 2 ^ least(failures, ${MOST_DOUBLED}) * interval '1 millisecond',
      recorded_to = case when recorded_at is null then greatest(recorded_to, scan_cursor) end,
      scan_cursor = null, is_scanned = false
    where organization_id = ${organizationId} and id = ${id} and scan = ${scan}
      and dropped_at is null
    returning set_aside_until`
  return row?.setAsideUntil
}

/** Returns when contacts entered a stored segment, by id. Empty for other segments. */
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

/**
 * Deletes up to `limit` members of segments that are no longer stored, and finally the segments.
 */
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
