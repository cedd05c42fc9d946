import { HOOK_PRIORITY } from '../../domain/hooks/hook-event.ts'
import type { DisablingReason, EndpointHealth } from '../../domain/hooks/endpoint-health.ts'
import { span, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Sql, Transaction } from '../db/sql.ts'
import { type ToldDelivery, toldColumns } from './hook-deliveries.ts'

/** Due rows of an endpoint `e` of one priority. Read from the index in its order. */
const dueOf = (sql: Executor, priority: number) => sql`
  select q.id, q.priority, q.due_at
  from hook_queue q
  where q.endpoint_id = e.id and q.priority = ${priority} and q.due_at <= statement_timestamp()`

/** Endpoints `e` that may be called now. Tests pass the gate, and are sent while it is disabled. */
const isOpen = (sql: Executor) => sql`
  e.disabled_at is null and (e.gate_until is null or e.gate_until <= statement_timestamp())`

const hasDue = (sql: Executor) => sql`
  (exists (${dueOf(sql, HOOK_PRIORITY.test)})
    or (${isOpen(sql)} and (exists (${dueOf(sql, HOOK_PRIORITY.event)})
      or exists (${dueOf(sql, HOOK_PRIORITY.import)}))))`

export async function listDueShards(sql: Sql): Promise<number[]> {
  const rows = await sql<{ shard: number }[]>`
    select distinct e.shard
    from hook_endpoints e
    where ${hasDue(sql)}
    order by e.shard`
  return rows.map(({ shard }) => shard)
}

/** Limit to which the waiting deliveries of a shard are counted. */
export const MOST_WAITING_COUNTED = 10_000

export interface ShardSummary {
  endpoints: number
  gated: number
  disabled: number
  waiting: number
}

/** Counts what operators see of a shard in Temporal's UI. */
export async function summarizeShard(sql: Sql, shard: number): Promise<ShardSummary> {
  const [summary] = await sql<ShardSummary[]>`
    select count(*) as endpoints,
      count(*) filter (where gate_until is not null and disabled_at is null) as gated,
      count(*) filter (where disabled_at is not null) as disabled,
      (
        select count(*)
        from (
          select
          from hook_endpoints e
          join hook_queue q on q.endpoint_id = e.id
          where e.shard = ${shard}
          limit ${MOST_WAITING_COUNTED}
        ) counted
      ) as waiting
    from hook_endpoints
    where shard = ${shard}`
  if (!summary) throw new Error('a count returned no row')
  return summary
}

/** An endpoint of a shard for which something is due, and what its calls need. */
export interface DueEndpoint {
  organizationId: Uuid
  id: Uuid
  url: string
  maxInFlight: number
  failures: number
  isOpen: boolean
  isGated: boolean
  secret: Buffer
  previousSecret: Buffer | null
}

/**
 * Endpoints of a shard with something due, in the order of their ids, up to `limit` after one. What
 * waits for a closed gate or a disabled endpoint is not read.
 */
export const listDueEndpoints = (
  sql: Sql,
  shard: number,
  { after, limit }: { after: Uuid; limit: number },
) => sql<DueEndpoint[]>`
  select e.organization_id, e.id, e.url, e.max_in_flight, e.failures, ${isOpen(sql)} as is_open,
    e.gate_until is not null as is_gated, e.sealed_secret as secret,
    case when e.previous_secret_until > statement_timestamp() then e.previous_sealed_secret end
      as previous_secret
  from hook_endpoints e
  where e.shard = ${shard} and e.id > ${after} and ${hasDue(sql)}
  order by e.id
  limit ${limit}`

interface Room {
  endpointId: Uuid
  isOpen: boolean
  calls: number
}

export interface ClaimedDelivery extends ToldDelivery {
  /** It was queued before the endpoint was enabled again without what waited. */
  isDropped: boolean
}

/**
 * Claims due deliveries for as many calls as each endpoint has room for: they are due again when
 * the call must be lost.
 */
export const claim = (sql: Sql, rooms: readonly Room[], leaseMs: number) => sql<ClaimedDelivery[]>`
  with room as (
    select *
    from unnest(
      ${rooms.map(({ endpointId }) => endpointId)}::uuid[],
      ${rooms.map(({ isOpen }) => String(isOpen))}::text[]::boolean[],
      ${rooms.map(({ calls }) => calls)}::integer[]
    ) as room (endpoint_id, is_open, calls)
  ), taken as materialized (
    select due.id
    from room
    cross join lateral (
      select found.id
      from (${eachPriority(sql)}) found
      order by found.priority, found.due_at
      limit room.calls
    ) due
  ), held as materialized (
    select q.id
    from hook_queue q
    where q.id in (select id from taken) and q.due_at <= statement_timestamp()
    order by q.id
    for update skip locked
  ), leased as (
    update hook_queue q
    set due_at = clock_timestamp() + ${leaseMs} * interval '1 millisecond'
    from held
    where q.id = held.id
    returning q.organization_id, q.id, q.endpoint_id, q.queued_at
  )
  select ${toldColumns(sql)},
    coalesce(leased.queued_at < e.drop_before, false) as is_dropped
  from leased
  join hook_endpoints e on e.organization_id = leased.organization_id
    and e.id = leased.endpoint_id
  cross join lateral (
    select *
    from hook_deliveries
    where organization_id = leased.organization_id and endpoint_id = leased.endpoint_id
      and id = leased.id
    limit 1
  ) d
  order by d.priority, d.id`

const eachPriority = (sql: Sql): Part => {
  const due = (priority: number, condition: Part) => sql`
    (
      select q.id, q.priority, q.due_at
      from hook_queue q
      where q.endpoint_id = room.endpoint_id and q.priority = ${priority}
        and q.due_at <= statement_timestamp() ${condition}
      order by q.due_at
      limit room.calls
    )`
  return sql`
    ${due(HOOK_PRIORITY.test, sql``)}
    union all
    ${due(HOOK_PRIORITY.event, sql`and room.is_open`)}
    union all
    ${due(HOOK_PRIORITY.import, sql`and room.is_open`)}`
}

interface Outage {
  organizationId: Uuid
  endpointId: Uuid
  /** Milliseconds since 1970. */
  sinceMs: number
  /** Deliveries that are due later than this wait for another call. Others may be in one. */
  leaseMs: number
}

/**
 * Makes the deliveries due whose calls have all failed in an outage of their endpoint. They would
 * wait for up to twenty hours. A delivery that failed before the outage, while others succeeded,
 * keeps its time.
 *
 * Rows that another transaction has locked are skipped: it waits for the endpoint, which the caller
 * has locked.
 */
export const hastenAfterOutage = (
  tx: Transaction,
  { organizationId, endpointId, sinceMs, leaseMs }: Outage,
) => tx`
  update hook_queue q
  set due_at = clock_timestamp()
  from (
    select q.id
    from hook_queue q
    cross join lateral (
      select (tries -> -attempts::integer ->> 'at')::timestamptz as first_called_at
      from hook_deliveries
      where organization_id = ${organizationId} and endpoint_id = ${endpointId} and id = q.id
      limit 1
    ) d
    where q.organization_id = ${organizationId} and q.endpoint_id = ${endpointId}
      and q.priority in (${HOOK_PRIORITY.event}, ${HOOK_PRIORITY.import})
      and q.due_at > statement_timestamp() + ${leaseMs} * interval '1 millisecond'
      and d.first_called_at >= to_timestamp(${sinceMs}::float8 / 1000)
    for update of q skip locked
  ) late
  where q.id = late.id`

/** Gives claimed deliveries back whose calls did not begin. */
export const release = (sql: Sql, ids: readonly Uuid[]) => sql`
  update hook_queue
  set due_at = clock_timestamp()
  where id = any(${[...ids]}::uuid[])`

/** Result of one call, or of a delivery that is not called. */
export interface CallResult {
  organizationId: Uuid
  id: Uuid
  endpointId: Uuid
  /** `pending`: it is tried again after `waitMs`. */
  state: 'pending' | 'delivered' | 'failed' | 'cancelled'
  waitMs: number
  isCall: boolean
  /** The endpoint's failures do not count it: a test that failed. */
  isTest: boolean
  /** The receiver says that the endpoint is gone for good. */
  isGone: boolean
  /** Milliseconds for which the receiver asks not to be called. */
  retryAfterMs: number
  attempt: { at: string; status: number | null; ms: number; error: string | null } | null
  answer: string | null
}

/** Calls whose details are kept of each delivery. */
const MOST_TRIES = 12

/**
 * Stores the results of calls. A delivery that is over by now, since its lease ended and another
 * worker called, stays as it is.
 */
export const recordResults = (tx: Transaction, results: readonly CallResult[]) => tx`
  with result as materialized (
    select *
    from jsonb_to_recordset(${tx.json(
      results.map((result) => ({
        organization_id: result.organizationId,
        endpoint_id: result.endpointId,
        id: result.id,
        state: result.state,
        wait_ms: result.waitMs,
        is_call: result.isCall,
        attempt: result.attempt,
        answer: result.answer,
      })),
    )}) as r (organization_id uuid, endpoint_id uuid, id uuid, state text, wait_ms float8,
      is_call boolean, attempt jsonb, answer text)
  ), over as (
    delete from hook_queue
    where id in (select id from result where state <> 'pending')
  ), again as (
    update hook_queue q
    set due_at = clock_timestamp() + result.wait_ms * interval '1 millisecond'
    from result
    where q.id = result.id and result.state = 'pending'
  )
  update hook_deliveries d
  set state = result.state, attempts = d.attempts + result.is_call::integer,
    tries = case when result.attempt is null then d.tries
      when jsonb_array_length(d.tries) < ${MOST_TRIES} then d.tries || result.attempt
      else (d.tries - 0) || result.attempt end,
    answer = result.answer
  from result
  where d.organization_id = result.organization_id and d.endpoint_id = result.endpoint_id
    and d.id = result.id
    and d.id between ${span(results.map(({ id }) => id))[0]}
      and ${span(results.map(({ id }) => id))[1]}
    and d.state = 'pending'`

export interface StoredHealth extends EndpointHealth {
  organizationId: Uuid
  id: Uuid
  url: string
  isEnabled: boolean
  /** Time by the clock of Postgres. */
  nowMs: number
}

/** Locks endpoints in the order of their ids and returns their health. */
export const lockHealth = (
  tx: Transaction,
  endpoints: readonly { organizationId: Uuid; id: Uuid }[],
) => tx<StoredHealth[]>`
  select organization_id, id, url, failures, gate_step, disabled_at is null as is_enabled,
    ${inMs(tx, tx`failing_since`)} as failing_since_ms, ${inMs(tx, tx`gate_until`)} as gate_until_ms,
    ${inMs(tx, tx`clock_timestamp()`)} as now_ms
  from hook_endpoints
  where (organization_id, id) in (
    select *
    from unnest(
      ${endpoints.map(({ organizationId }) => organizationId)}::uuid[],
      ${endpoints.map(({ id }) => id)}::uuid[]
    )
  )
  order by id
  for no key update`

const inMs = (sql: Executor, time: Part) => sql`(extract(epoch from ${time}) * 1000)::float8`

export interface ChangedHealth extends EndpointHealth {
  organizationId: Uuid
  id: Uuid
  succeeded: number
  failed: number
  disabledFor: DisablingReason | null
}

/** Stores the health of locked endpoints, and counts their calls. */
export const writeHealth = (tx: Transaction, endpoints: readonly ChangedHealth[]) => tx`
  with called as materialized (
    select *
    from jsonb_to_recordset(${tx.json(
      endpoints.map((each) => ({
        organization_id: each.organizationId,
        id: each.id,
        failures: each.failures,
        failing_since: each.failingSinceMs,
        gate_step: each.gateStep,
        gate_until: each.gateUntilMs,
        succeeded: each.succeeded,
        failed: each.failed,
        disabled_for: each.disabledFor,
      })),
    )}) as c (organization_id uuid, id uuid, failures integer, failing_since float8,
      gate_step integer, gate_until float8, succeeded integer, failed integer, disabled_for text)
  ), counted as (
    insert into hook_hours as h (organization_id, endpoint_id, hour, delivered, failed)
    select organization_id, id, date_trunc('hour', clock_timestamp()), succeeded, failed
    from called
    order by id
    on conflict (organization_id, endpoint_id, hour) do update
    set delivered = h.delivered + excluded.delivered, failed = h.failed + excluded.failed
  )
  update hook_endpoints e
  set failures = c.failures, failing_since = to_timestamp(c.failing_since / 1000),
    gate_step = c.gate_step, gate_until = to_timestamp(c.gate_until / 1000),
    last_success_at = case when c.succeeded > 0 then clock_timestamp() else e.last_success_at end,
    disabled_at = case when c.disabled_for is null then e.disabled_at else clock_timestamp() end,
    disabled_reason = coalesce(c.disabled_for, e.disabled_reason)
  from called c
  where e.organization_id = c.organization_id and e.id = c.id`
