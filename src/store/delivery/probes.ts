import { LEAST_WITNESSES } from '../../domain/delivery/doubt.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

/**
 * Requests probes of a connection, since too few mails tell whether its events arrive. There is at
 * most one request every `everyMs`.
 */
export const request = (
  sql: Sql,
  { organizationId, connectionId }: { organizationId: Uuid; connectionId: Uuid },
  { count, everyMs }: { count: number; everyMs: number },
) => sql`
  update connections
  set probe_requested_at = clock_timestamp(), probes_wanted = ${count}
  where organization_id = ${organizationId} and id = ${connectionId}
    and (probe_requested_at is null
      or probe_requested_at < statement_timestamp() - ${everyMs} * interval '1 millisecond')`

/** Oldest claims in doubt whose senders are probed. */
const CLAIMS_PROBED = 100

/** Selects the sender addresses of a row of `claims`. */
export const sendersOf = (sql: Sql, claim: ReturnType<Sql>) => sql`
  select b.from_address
  from batches b
  where b.organization_id = ${claim}.organization_id and b.id = ${claim}.batch_id
  union
  select m.from_address
  from message_bodies m
  where m.organization_id = ${claim}.organization_id and m.bucket = ${claim}.bucket
    and ${claim}.batch_id is null and m.id = any(${claim}.message_ids)`

/**
 * Takes one of the wanted probes. Returns the sender address of a mail in doubt, from which the
 * account can send: the one that was probed least. Undefined: no probe is wanted, or no mail is in
 * doubt.
 */
export async function take(
  sql: Sql,
  organizationId: Uuid,
  connectionId: Uuid,
): Promise<string | undefined> {
  const [probe] = await sql<{ from: string | null }[]>`
    update connections c
    set probes_wanted = c.probes_wanted - 1
    where c.organization_id = ${organizationId} and c.id = ${connectionId} and c.probes_wanted > 0
    returning (
      select sender.from_address
      from (
        select *
        from claims
        where organization_id = c.organization_id and connection_id = c.id and state = 'doubt'
          and channel = 'email'
        order by claimed_at
        limit ${CLAIMS_PROBED}
      ) k
      cross join lateral (${sendersOf(sql, sql`k`)}) sender
      order by (
        select count(*)
        from probes p
        where p.organization_id = c.organization_id and p.connection_id = c.id
          and p.from_address = sender.from_address and p.claimed_at > k.claimed_at
      ), k.claimed_at
      limit 1
    ) as "from"`
  return probe?.from ?? undefined
}

/** Returns a probe that cannot be sent now. */
export const giveBack = (sql: Sql, organizationId: Uuid, connectionId: Uuid) => sql`
  update connections
  set probes_wanted = least(probes_wanted + 1, ${LEAST_WITNESSES})
  where organization_id = ${organizationId} and id = ${connectionId}`

/** Writes a probe down before its call begins. Returns its claim's time, which signs the call. */
export async function claim(
  sql: Sql,
  probed: { organizationId: Uuid; connectionId: Uuid; id: Uuid; from: string },
): Promise<string> {
  const [probe] = await sql<{ claimedAt: string }[]>`
    insert into probes (organization_id, connection_id, id, from_address, claimed_at)
    values (${probed.organizationId}, ${probed.connectionId}, ${probed.id}, ${probed.from},
      clock_timestamp())
    returning claimed_at`
  if (!probe) throw new Error('an insert returned no row')
  return probe.claimedAt
}

/** Records that the provider accepted a probe. Its event is expected from now on. */
export const recordAnswer = (sql: Sql, organizationId: Uuid, id: Uuid) => sql`
  update probes
  set answered_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${id}`

export interface ProbeArrival {
  organizationId: Uuid
  connectionId: Uuid
  id: Uuid
  receivedAt: string
}

/** Records the first event of each probe. Probes of other connections are left alone. */
export const recordArrivals = (tx: Transaction, arrivals: readonly ProbeArrival[]) => tx`
  update probes p
  set first_event_at = coalesce(p.first_event_at, a.received_at)
  from (
    select organization_id, connection_id, id, min(received_at) as received_at
    from unnest(
      ${arrivals.map((arrival) => arrival.organizationId)}::uuid[],
      ${arrivals.map((arrival) => arrival.connectionId)}::uuid[],
      ${arrivals.map((arrival) => arrival.id)}::uuid[],
      ${arrivals.map((arrival) => arrival.receivedAt)}::timestamptz[]
    ) as a (organization_id, connection_id, id, received_at)
    group by 1, 2, 3
  ) a
  where p.organization_id = a.organization_id and p.connection_id = a.connection_id and p.id = a.id`

/** Deletes evidence that is older than any doubt. Returns the number of rows. */
export async function deleteOldEvidence(sql: Executor): Promise<number> {
  const KEPT = '3 days'
  const deleted = await Promise.all([
    sql`delete from answered_counts where slot < statement_timestamp() - ${KEPT}::interval`,
    sql`delete from probes where claimed_at < statement_timestamp() - ${KEPT}::interval`,
    sql`delete from receivers where beat_at < statement_timestamp() - ${KEPT}::interval`,
  ])
  return deleted.reduce((sum, { count }) => sum + count, 0)
}
