import { UNAPPLIED_EVENTS_A_DAY } from '../../domain/delivery/unapplied-events.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql } from '../db/sql.ts'

/** An event that is not applied, or is about another program's mail. */
export interface UnappliedEvent {
  organizationId: Uuid
  connectionId: Uuid
  /** Reason for which it is not applied. `external`: it is about another program's mail. */
  reason: string
  /** Number of rows that are or would be stored. */
  rows: number
  bytes: number
  /** The event could not be read. It may have been about a mail of ours. */
  isUnread: boolean
  /** The event has its rows already, and is only counted. */
  isStored: boolean
}

/**
 * Takes room for events within the daily limits of their connections, and counts events without
 * room. Returns in the order of `events` whether each may be stored. Cross-tenant: the proof of
 * each event was checked before.
 */
export async function takeRoom(
  sql: Executor,
  events: readonly UnappliedEvent[],
): Promise<boolean[]> {
  if (events.length === 0) return []
  const { rows, bytes } = UNAPPLIED_EVENTS_A_DAY
  const storable = await sql<{ place: number }[]>`
    select place
    from take_room_for_events(
      ${events.map((event) => event.organizationId)}::uuid[],
      ${events.map((event) => event.connectionId)}::uuid[],
      ${events.map((event) => event.reason)}::text[],
      ${events.map((event) => event.rows)}::integer[],
      ${events.map((event) => event.bytes)}::bigint[],
      ${events.map((event) => String(event.isUnread))}::text[]::boolean[],
      ${events.map((event) => String(event.isStored))}::text[]::boolean[],
      ${rows}, ${bytes}
    ) as place`
  const places = new Set(storable.map(({ place }) => place))
  return events.map((_, index) => places.has(index + 1))
}

/**
 * Returns the connections that have no room left today. Locks nothing, so several appliers may each
 * exceed the limit by one set.
 */
export async function listFull(
  sql: Executor,
  connectionIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  const { rows, bytes } = UNAPPLIED_EVENTS_A_DAY
  const full = await sql<{ connectionId: Uuid }[]>`
    select connection_id
    from unapplied_events
    where day = current_date and connection_id = any(${[...connectionIds]}::uuid[])
      and (kept_rows >= ${rows} or kept_bytes >= ${bytes})`
  return new Set(full.map(({ connectionId }) => connectionId))
}

/** Retention. At least that of logs, since these rows explain which events are missing there. */
const KEPT_DAYS = 90

export async function deleteOld(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from unapplied_events where day < current_date - ${KEPT_DAYS}::int`
  return count
}
