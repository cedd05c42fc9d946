import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

/** Rounds a time down to ten seconds. */
export const slotOf = (sql: Executor, time: Part) =>
  sql`date_bin('10 seconds', ${time}, 'epoch'::timestamptz)`

/**
 * Counts mails whose calls were answered, as a part of the statement that writes their outcomes.
 * `mails` selects connection_id, claimed_at and first_event_at of each.
 */
export const add = (sql: Executor, organizationId: Uuid, mails: Part) => sql`
  insert into answered_counts as a (organization_id, connection_id, slot, answered, arrived,
    last_arrival_at)
  select ${organizationId}::uuid, connection_id, ${slotOf(sql, sql`claimed_at`)}, count(*),
    count(first_event_at), max(first_event_at)
  from (${mails}) mails
  where claimed_at is not null
  group by 2, 3
  order by 2, 3
  on conflict (organization_id, connection_id, slot) do update
  set answered = a.answered + excluded.answered,
    arrived = a.arrived + excluded.arrived,
    last_arrival_at = greatest(a.last_arrival_at, excluded.last_arrival_at)
  returning 1`

export interface Arrival {
  organizationId: Uuid
  connectionId: Uuid
  /** Time of the mail's claim. */
  claimedAt: string
  receivedAt: string
}

/** Counts the first events of mails whose calls were answered before. */
export const recordArrivals = (tx: Transaction, arrivals: readonly Arrival[]) => tx`
  with arrival as (
    select organization_id, connection_id, ${slotOf(tx, tx`claimed_at`)} as slot, count(*) as mails,
      max(received_at) as last_arrival_at
    from unnest(
      ${arrivals.map((arrival) => arrival.organizationId)}::uuid[],
      ${arrivals.map((arrival) => arrival.connectionId)}::uuid[],
      ${arrivals.map((arrival) => arrival.claimedAt)}::timestamptz[],
      ${arrivals.map((arrival) => arrival.receivedAt)}::timestamptz[]
    ) as a (organization_id, connection_id, claimed_at, received_at)
    group by 1, 2, 3
  ), held as (
    select a.organization_id, a.connection_id, a.slot, arrival.mails, arrival.last_arrival_at
    from answered_counts a
    join arrival using (organization_id, connection_id, slot)
    order by 1, 2, 3
    for update of a
  )
  update answered_counts a
  set arrived = a.arrived + held.mails,
    last_arrival_at = greatest(a.last_arrival_at, held.last_arrival_at)
  from held
  where a.organization_id = held.organization_id and a.connection_id = held.connection_id
    and a.slot = held.slot`
