import type { Uuid } from '../../runtime/ids.ts'
import type { Sql, Transaction } from '../db/sql.ts'

/** Limits the concurrent executions of a flow (`maxConcurrentExecutions`): each holds a slot. */

export interface Attempt {
  organizationId: Uuid
  executionId: Uuid
  attempt: number
}

/** An attempt without a beginning or an end. */
export interface Startable {
  organizationId: Uuid
  id: Uuid
  /** Flow whose slot it needs first. Null: it needs none, or has one already. */
  limitedBy: Uuid | null
}

/**
 * Lists attempts without a beginning or an end. A later attempt has its slot: it continues after a
 * lost run, or got one when it was retried.
 */
export const listStartable = (sql: Sql, attempts: readonly Attempt[]) => sql<Startable[]>`
  select e.organization_id, e.id,
    case when f.max_concurrent is not null and e.slot_granted_at is null and e.attempt = 1
      then f.id end as limited_by
  from unnest(
    ${attempts.map(({ organizationId }) => organizationId)}::uuid[],
    ${attempts.map(({ executionId }) => executionId)}::uuid[],
    ${attempts.map(({ attempt }) => attempt)}::integer[]
  ) as asked (organization_id, id, attempt)
  join executions e on e.organization_id = asked.organization_id and e.id = asked.id
    and e.attempt = asked.attempt and e.status = 'pending'
  join flows f on f.organization_id = e.organization_id and f.id = e.flow_id`

interface LockedFlow {
  limit: number | null
  isDeleted: boolean
  version: number
}

/**
 * Locks the flow's row, so that one transaction at a time allocates its slots. Returns their number
 * (null: unlimited), whether it is deleted, and its newest version. Undefined: it does not exist.
 */
export async function lockLimit(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
): Promise<LockedFlow | undefined> {
  const [flow] = await tx<LockedFlow[]>`
    select max_concurrent as "limit", deleted_at is not null as is_deleted, version
    from flows
    where organization_id = ${organizationId} and id = ${flowId}
    for no key update`
  return flow
}

/** Counts used slots up to `limit`: running executions, and granted ones that will run. */
export async function countUsed(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  limit: number,
): Promise<number> {
  const [row] = await tx<{ used: number }[]>`
    select count(*)::integer as used
    from (
      select
      from executions
      where organization_id = ${organizationId} and flow_id = ${flowId}
        and status in ('active', 'paused', 'waiting')
      union all
      select
      from executions
      where organization_id = ${organizationId} and flow_id = ${flowId}
        and status = 'pending' and slot_granted_at is not null
      limit ${limit}
    ) slots`
  return row?.used ?? 0
}

/** Locks the pending ones of these executions, oldest first. */
export const lockPending = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx<
  { id: Uuid; grantedAt: string | null }[]
>`
  select id, slot_granted_at as granted_at
  from executions
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    and status = 'pending'
  order by id
  for update`

export const grant = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  update executions
  set slot_granted_at = clock_timestamp()
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
