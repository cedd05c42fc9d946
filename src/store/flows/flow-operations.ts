import type { OperationKind, OperationStatus } from '../../domain/flows/flow-operation.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import { live } from './executions.ts'

export interface Target {
  kind: OperationKind
  /** Version of retries: the newest. Null: each execution continues with its own. */
  version: 'newest' | null
  /** Limits a retry to executions that failed at this step, or since this time (ISO 8601). */
  stepId: string | null
  failedSince: string | null
}

export interface FlowOperation extends Target {
  id: Uuid
  flowId: Uuid
  status: OperationStatus
  /** Executions when the operation was requested, counted to `MOST_COUNTED`. */
  total: number
  totalIsExact: boolean
  done: number
  /** Failed executions that could not be retried. */
  skipped: number
  createdAt: string
  completedAt: string | null
}

/** Executions that are counted before an operation begins. */
const MOST_COUNTED = 100_000

const columns = (sql: Executor) => sql`
  o.id, o.flow_id, o.kind, o.status, o.total, o.total_is_exact, o.done, o.skipped, o.version,
  o.step_id, o.failed_since, o.created_at, o.completed_at`

interface NewOperation extends Target {
  organizationId: Uuid
  id: Uuid
  flowId: Uuid
  requestId: string | undefined
}

export async function create(tx: Transaction, operation: NewOperation): Promise<FlowOperation> {
  const { organizationId, id, flowId, kind, version, stepId, failedSince, requestId } = operation
  const [created] = await tx<FlowOperation[]>`
    insert into flow_operations as o (organization_id, id, flow_id, kind, version, step_id,
      failed_since, total, total_is_exact, request_id)
    select ${organizationId}, ${id}, ${flowId}, ${kind}, ${version}, ${stepId},
      ${failedSince}::timestamptz, least(count(*), ${MOST_COUNTED}), count(*) <= ${MOST_COUNTED},
      ${requestId ?? null}
    from (
      select
      from executions e
      where e.organization_id = ${organizationId} and e.flow_id = ${flowId}
        and ${kind === 'cancel' ? tx`e.status in ${live(tx)}` : failed(tx, operation)}
      limit ${MOST_COUNTED + 1}
    ) counted
    returning ${columns(tx)}`
  if (!created) throw new Error('an operation was not written')
  return created
}

const failed = (sql: Executor, { stepId, failedSince }: Target) => sql`
  e.status = 'failed'
    ${stepId === null ? sql`` : sql`and e.step_id = ${stepId}`}
    ${failedSince === null ? sql`` : sql`and e.finished_at >= ${failedSince}`}`

export async function countRunning(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  most: number,
): Promise<number> {
  const rows = await tx`
    select
    from flow_operations
    where organization_id = ${organizationId} and flow_id = ${flowId} and status = 'running'
    limit ${most}`
  return rows.length
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { flowId, before, limit }: { flowId: Uuid; before: Uuid | undefined; limit: number },
) => sql<FlowOperation[]>`
  select ${columns(sql)}
  from flow_operations o
  where o.organization_id = ${organizationId} and o.flow_id = ${flowId}
    ${before === undefined ? sql`` : sql`and o.id < ${before}`}
  order by o.id desc
  limit ${limit}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<FlowOperation | undefined> {
  const [operation] = await sql<FlowOperation[]>`
    select ${columns(sql)}
    from flow_operations o
    where o.organization_id = ${organizationId} and o.id = ${id}`
  return operation
}

export interface DueOperation extends Target {
  organizationId: Uuid
  id: Uuid
  flowId: Uuid
  /** Last execution of the finished pages. Null: none is finished. */
  afterId: Uuid | null
  createdAt: string
  requestId: string | null
}

/**
 * Locks the operation that has been due the longest. Undefined: none is due. The first time, it
 * records which transactions may still start executions without having seen that the flow is
 * disabled.
 */
export async function lockDue(tx: Transaction): Promise<DueOperation | undefined> {
  const [operation] = await tx<DueOperation[]>`
    update flow_operations o
    set horizon = coalesce(horizon, pg_snapshot_xmax(pg_current_snapshot()))
    where (organization_id, id) in (
      select organization_id, id
      from flow_operations
      where status = 'running' and due_at <= statement_timestamp()
      order by due_at
      limit 1
      for update skip locked
    )
    returning o.organization_id, o.id, o.flow_id, o.kind, o.version, o.step_id, o.failed_since,
      o.after_id, o.created_at, o.request_id`
  return operation
}

/**
 * Lists a page of the operation's live executions: those that existed when it was requested, and
 * all of them while the flow is disabled.
 */
export async function listCancellable(
  tx: Transaction,
  { organizationId, flowId, createdAt }: DueOperation,
  limit: number,
): Promise<Uuid[]> {
  const rows = await tx<{ id: Uuid }[]>`
    select e.id
    from executions e
    join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
    where e.organization_id = ${organizationId} and e.flow_id = ${flowId}
      and e.status in ${live(tx)} and (e.created_at <= ${createdAt} or not f.enabled)
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/**
 * Locks a page of the executions that had failed when the retry was requested, in the order of
 * their ids, before any lock of their flow.
 */
export async function lockRetryable(
  tx: Transaction,
  operation: DueOperation,
  limit: number,
): Promise<Uuid[]> {
  const { organizationId, flowId, createdAt, afterId } = operation
  const rows = await tx<{ id: Uuid }[]>`
    select e.id
    from executions e
    where e.organization_id = ${organizationId} and e.flow_id = ${flowId}
      and ${failed(tx, operation)} and e.finished_at <= ${createdAt}
      ${afterId === null ? tx`` : tx`and e.id > ${afterId}`}
    order by e.id
    limit ${limit}
    for update`
  return rows.map(({ id }) => id)
}

interface Progress {
  done: number
  skipped?: number
  afterId?: Uuid | null
  waitMs: number
}

export const noteProgress = (
  tx: Transaction,
  { organizationId, id }: DueOperation,
  { done, skipped = 0, afterId = null, waitMs }: Progress,
) => tx`
  update flow_operations
  set done = done + ${done}, skipped = skipped + ${skipped},
    after_id = coalesce(${afterId}::uuid, after_id),
    due_at = clock_timestamp() + ${waitMs} * interval '1 millisecond'
  where organization_id = ${organizationId} and id = ${id}`

/**
 * `running → completed`, unless a transaction is open that began before the operation: its
 * executions become visible when it has ended. Returns whether the operation is completed.
 */
export async function complete(
  tx: Transaction,
  { organizationId, id }: DueOperation,
): Promise<boolean> {
  const { count } = await tx`
    update flow_operations
    set status = 'completed', completed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}
      and pg_snapshot_xmin(pg_current_snapshot()) >= horizon`
  return count > 0
}

const KEPT = '30 days'
const MOST_DELETED = 1_000

export async function deleteOld(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from flow_operations
    where (organization_id, id) in (
      select organization_id, id
      from flow_operations
      where status = 'completed' and completed_at < now() - ${KEPT}::interval
      limit ${MOST_DELETED}
    )`
  return count
}
