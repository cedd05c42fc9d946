import type { HookEventType, HookSource } from '../../domain/hooks/hook-event.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { HookEndpoint } from '../../schemas/hooks/hook-endpoint.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Waiting deliveries are counted to here. */
const MOST_COUNTED = 10_000

const columns = (sql: Executor) => sql`
  e.id, e.url, e.description, e.event_types, e.sources, e.max_in_flight,
  e.disabled_at is null as enabled, e.disabled_reason, e.disabled_at, e.failing_since,
  e.last_success_at, case when e.disabled_at is null then e.gate_until end as next_try_at,
  (
    select count(*)
    from (
      select from hook_queue q
      where q.organization_id = e.organization_id and q.endpoint_id = e.id
      limit ${MOST_COUNTED}
    ) waiting
  ) as pending,
  (
    select jsonb_build_object('delivered', coalesce(sum(delivered), 0),
      'failedCalls', coalesce(sum(failed), 0))
    from hook_hours h
    where h.organization_id = e.organization_id and h.endpoint_id = e.id
      and h.hour > statement_timestamp() - interval '24 hours'
  ) as last24_hours,
  e.created_at, e.updated_at`

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<HookEndpoint[]>`
  select ${columns(sql)}
  from hook_endpoints e
  where e.organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and e.id < ${before}`}
  order by e.id desc
  limit ${limit}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<HookEndpoint | undefined> {
  const [endpoint] = await sql<HookEndpoint[]>`
    select ${columns(sql)}
    from hook_endpoints e
    where e.organization_id = ${organizationId} and e.id = ${id}`
  return endpoint
}

export async function lock(tx: Transaction, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const rows = await tx`
    select
    from hook_endpoints
    where organization_id = ${organizationId} and id = ${id}
    for no key update`
  return rows.length > 0
}

export async function count(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ endpoints: number }[]>`
    select count(*) as endpoints
    from hook_endpoints
    where organization_id = ${organizationId}`
  return row?.endpoints ?? 0
}

export interface HookSettings {
  url: string
  description: string | null
  eventTypes: readonly HookEventType[]
  sources: readonly HookSource[] | null
  maxInFlight: number
}

interface NewEndpoint extends HookSettings {
  organizationId: Uuid
  id: Uuid
  shard: number
  sealedSecret: Buffer
}

export const create = (tx: Transaction, endpoint: NewEndpoint) => tx`
  insert into hook_endpoints (organization_id, id, shard, url, description, event_types, sources,
    max_in_flight, sealed_secret)
  values (${endpoint.organizationId}, ${endpoint.id}, ${endpoint.shard}, ${endpoint.url},
    ${endpoint.description}, ${[...endpoint.eventTypes]},
    ${endpoint.sources === null ? null : [...endpoint.sources]}::text[], ${endpoint.maxInFlight},
    ${endpoint.sealedSecret})`

export const change = (
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  { url, description, eventTypes, sources, maxInFlight }: HookSettings,
) => tx`
  update hook_endpoints
  set url = ${url}, description = ${description}, event_types = ${[...eventTypes]},
    sources = ${sources === null ? null : [...sources]}::text[], max_in_flight = ${maxInFlight},
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and id = ${id}`

export const disable = (tx: Transaction, organizationId: Uuid, id: Uuid) => tx`
  update hook_endpoints
  set disabled_at = clock_timestamp(), disabled_reason = 'requested',
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and id = ${id} and disabled_at is null`

/**
 * Enables an endpoint, as if nothing had failed before. `dropsHeld`: what has waited for it is
 * cancelled by its dispatcher.
 */
export const enable = (
  tx: Transaction,
  { organizationId, id, dropsHeld }: { organizationId: Uuid; id: Uuid; dropsHeld: boolean },
) => tx`
  update hook_endpoints
  set disabled_at = null, disabled_reason = null, failures = 0, failing_since = null,
    gate_step = 0, gate_until = null,
    drop_before = case when ${dropsHeld}::boolean then clock_timestamp() else drop_before end,
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and id = ${id} and disabled_at is not null`

/** Returns when the previous secret stops signing. Undefined: there is no such endpoint. */
export async function rotate(
  tx: Transaction,
  { organizationId, id }: { organizationId: Uuid; id: Uuid },
  sealedSecret: Buffer,
  overlapMs: number,
): Promise<string | undefined> {
  const [rotated] = await tx<{ previousSecretUntil: string }[]>`
    update hook_endpoints
    set sealed_secret = ${sealedSecret}, previous_sealed_secret = sealed_secret,
      previous_secret_until = clock_timestamp() + ${overlapMs} * interval '1 millisecond',
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
    returning previous_secret_until`
  return rotated?.previousSecretUntil
}

/** Deletes an endpoint. What waits for it is found by `hookQueue.deleteOrphans`. */
export async function remove(tx: Transaction, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const { count } = await tx`
    delete from hook_endpoints
    where organization_id = ${organizationId} and id = ${id}`
  return count > 0
}
