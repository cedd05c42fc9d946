import type { Uuid } from '../../runtime/ids.ts'
import type { Sql, Transaction } from '../db/sql.ts'

export interface QuietConnection {
  organizationId: Uuid
  connectionId: Uuid
  accountId: string
  region: string
  hasQueue: boolean
  /** ISO 8601. Null: no event ever arrived. */
  lastEventReceivedAt: string | null
}

interface Look {
  /** Milliseconds without an event since mail was accepted. */
  quietMs: number
  /**
   * Mail that was accepted so soon after the last event may be the subject of that event.
   * Milliseconds.
   */
  graceMs: number
  limit: number
}

/**
 * Lists connections of all organizations that send but receive no events, and marks those that are
 * news.
 */
export const list = (sql: Sql, { quietMs, graceMs, limit }: Look) => sql<QuietConnection[]>`
  select c.organization_id, c.id as connection_id, c.account_id, c.region,
    c.event_queue_url is not null as has_queue, c.last_event_received_at
  from connections c
  where c.disconnected_at is null
    and coalesce(c.last_event_received_at, '-infinity')
      < statement_timestamp() - ${quietMs} * interval '1 millisecond'
    and (c.events_missing_since is null or c.events_missing_since <= c.last_event_received_at)
    and exists (
      select from answered_counts a
      where a.organization_id = c.organization_id and a.connection_id = c.id
        and a.slot > coalesce(c.last_event_received_at, '-infinity')
          + ${graceMs} * interval '1 millisecond'
        and a.slot < statement_timestamp() - ${quietMs} * interval '1 millisecond'
    )
  order by c.id
  limit ${limit}`

/**
 * Records the lack of events and its beginning. Undefined: an event arrived meanwhile, or another
 * worker was first.
 */
export async function mark(
  tx: Transaction,
  { organizationId, connectionId, lastEventReceivedAt }: QuietConnection,
): Promise<string | undefined> {
  const [row] = await tx<{ since: string }[]>`
    update connections
    set events_missing_since = clock_timestamp()
    where organization_id = ${organizationId} and id = ${connectionId}
      and last_event_received_at is not distinct from ${lastEventReceivedAt}
      and (events_missing_since is null or events_missing_since <= last_event_received_at)
    returning events_missing_since as since`
  return row?.since
}
