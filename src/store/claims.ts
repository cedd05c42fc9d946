import type { Uuid } from '../ids.ts'
import { span } from './messages.ts'
import * as outbox from './outbox.ts'
import type { Sql } from './sql.ts'

export interface Claim {
  organizationId: string
  id: Uuid
  connectionId: string
  bucket: Uuid
  batchId: Uuid | null
  messageIds: Uuid[]
}

/** Live claims whose lease ran out: their worker is gone, stuck or cut off. */
export const expired = (sql: Sql, leaseMs: number, limit: number) => sql<Claim[]>`
  select organization_id, id, connection_id, bucket, batch_id, message_ids
  from claims
  where state = 'live' and claimed_at < clock_timestamp() - ${leaseMs} * interval '1 millisecond'
  order by claimed_at
  limit ${limit}`

/**
 * A lost claim: rows whose call may have begun become `unknown`, those that were settled meanwhile
 * stay. The claim is kept while a row of it is in doubt, and is gone otherwise.
 */
export const doubt = (sql: Sql, claim: Claim) => {
  const { organizationId, id, bucket, batchId, messageIds } = claim
  return sql`
  with held as materialized (${held(sql, claim, 'claimed')}), moved as (
    update messages m
    set state = 'unknown', error = 'the worker was lost'
    from held
    where m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id between ${span(messageIds)[0]} and ${span(messageIds)[1]} and m.id = held.id
    returning m.id
  ), doubted as (
    update claims
    set state = 'doubt'
    where organization_id = ${organizationId} and id = ${id} and exists (select from moved)
  ), released as (
    delete from claims
    where organization_id = ${organizationId} and id = ${id} and state = 'live'
      and not exists (select from moved)
  )
  update batches
  set unknown = unknown + lost.rows, updated_at = clock_timestamp()
  from (select count(*) as rows from moved) lost
  where organization_id = ${organizationId} and id = ${batchId} and lost.rows > 0`
}

export interface Doubtful extends Claim {
  unknownOutcome: 'fail' | 'retry'
  /** Silence is evidence: the event stream has passed the claim and nothing stored is unapplied. */
  silent: boolean
  /** Events do arrive for this connection. */
  streaming: boolean
  ageMs: number
}

interface Evidence {
  doubtMs: number
  distanceMs: number
  streamMs: number
  patienceMs: number
  limit: number
}

/** A stored event may wait this long to be applied before silence is no evidence any more. */
const LAG_MS = 5_000

/**
 * Claims in doubt that can be decided now, with what the event stream says of them. A stored event
 * that waits to be applied may speak of any of them, so with one of some seconds nothing is
 * evidence. Those that must wait are left out: one connection's lag never hides another's claims.
 */
export const decidable = (sql: Sql, evidence: Evidence) => sql<Doubtful[]>`
  select *
  from (${judged(sql, evidence)}) judged
  where silent or not streaming or age_ms >= ${evidence.patienceMs}
  order by age_ms desc
  limit ${evidence.limit}`

/** Connections whose claims in doubt wait for a stream that has not passed them yet. */
export const waitingForEvents = (sql: Sql, evidence: Evidence) => sql<
  Pick<Claim, 'organizationId' | 'connectionId'>[]
>`
  select distinct organization_id, connection_id
  from (${judged(sql, evidence)}) judged
  where not silent and streaming and age_ms < ${evidence.patienceMs}`

const judged = (sql: Sql, { doubtMs, distanceMs, streamMs }: Evidence) => sql`
  with lagging as materialized (
    select distinct connection_id
    from inbound_events
    where applied_at is null
      and received_at < clock_timestamp()
        - ${Math.min(distanceMs, LAG_MS)} * interval '1 millisecond'
  )
  select k.organization_id, k.id, k.connection_id, k.bucket, k.batch_id, k.message_ids,
    coalesce(b.unknown_outcome, 'fail') as unknown_outcome,
    coalesce(c.event_watermark > k.claimed_at + ${distanceMs} * interval '1 millisecond', false)
      and k.connection_id not in (select connection_id from lagging) as silent,
    coalesce(
      c.last_event_received_at > k.claimed_at - ${streamMs} * interval '1 millisecond', false
    ) as streaming,
    (extract(epoch from clock_timestamp() - k.claimed_at) * 1000)::float8 as age_ms
  from claims k
  join connections c on c.organization_id = k.organization_id and c.id = k.connection_id
  left join batches b on b.organization_id = k.organization_id and b.id = k.batch_id
  where k.state = 'doubt'
    and k.claimed_at < clock_timestamp() - ${doubtMs} * interval '1 millisecond'`

/**
 * Decides every row of a claim that is still in doubt: back to `queued` (never accepted) or
 * `failed` (nobody will ever know; a late event may still correct it). The claim is gone
 * afterwards. An execution that waits for one that failed is woken.
 */
export const decide = (sql: Sql, claim: Claim, outcome: 'queued' | 'failed') => {
  const { organizationId, id, bucket, batchId, messageIds } = claim
  return sql`
  with held as materialized (${held(sql, claim, 'unknown')}), moved as (
    update messages m
    set state = ${outcome},
      status = ${outcome},
      reason = case when ${outcome} = 'failed' then 'unknown_outcome' end,
      claim_id = null,
      claimed_at = null
    from held
    where m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id between ${span(messageIds)[0]} and ${span(messageIds)[1]} and m.id = held.id
    returning m.id, m.connection_id, m.source, m.send_at, m.execution_id
  ), back as (
    insert into outlet_queue (organization_id, bucket, id, connection_id, lane, send_at)
    select ${organizationId}, ${bucket}, id, connection_id,
      case source when 'transactional' then 1 when 'confirmation' then 2 else 3 end, send_at
    from moved
    where ${outcome} = 'queued' and source <> 'batch'
    on conflict do nothing
  )${
    outcome === 'failed' && batchId === null
      ? sql`, woken as (${outbox.wake(sql, organizationId, sql`select execution_id from moved`)})`
      : sql``
  }, released as (
    delete from claims where organization_id = ${organizationId} and id = ${id}
  )
  update batches b
  set unknown = b.unknown - decided.rows,
    failed = b.failed + case when ${outcome} = 'failed' then decided.rows else 0 end,
    updated_at = clock_timestamp()
  from (select count(*) as rows from moved) decided
  where b.organization_id = ${organizationId} and b.id = ${batchId} and decided.rows > 0`
}

/**
 * A claim's rows in one state, locked one by one in the order of their ids (see messages.settle).
 */
const held = (sql: Sql, claim: Claim, state: 'claimed' | 'unknown') => sql`
  select m.id
  from (select unnest(${claim.messageIds}::uuid[]) as id order by 1) wanted
  cross join lateral (
    select id
    from messages
    where organization_id = ${claim.organizationId} and bucket = ${claim.bucket}
      and id = wanted.id and claim_id = ${claim.id} and state = ${state}
    for update
  ) m`

/**
 * Asks for one probe mail: rows are in doubt and nothing was accepted since, so the stream cannot
 * pass them by itself. At most one every `everyMs`.
 */
export const requestProbe = (
  sql: Sql,
  organizationId: string,
  connectionId: string,
  everyMs: number,
) => sql`
  update connections
  set probe_requested_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${connectionId}
    and (probe_requested_at is null
      or probe_requested_at < clock_timestamp() - ${everyMs} * interval '1 millisecond')`
