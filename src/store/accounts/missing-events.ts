import type { Uuid } from '../../runtime/ids.ts'
import type { Sql, Transaction } from '../db/sql.ts'

export interface QuietConnection {
  organizationId: Uuid
  connectionId: Uuid
  accountId: string
  region: string
  hasQueue: boolean
  /** ISO time; null: none ever came. */
  lastEventReceivedAt: string | null
}

interface Look {
  /** Nothing was heard for so long, since mail was accepted. */
  quietMs: number
  /** Mail that was accepted so soon after the last event may be what that event was about. */
  graceMs: number
  limit: number
}

/** Connections of all organizations that send and hear nothing, and of which that is news. */
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

/** Notes it, and since when. Undefined: an event came meanwhile, or another worker has noted it. */
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
