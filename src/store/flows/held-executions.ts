import type { LiveStatus } from '../../domain/flows/execution.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import { live } from './executions.ts'

/** A live execution, and the run that holds it. Null fence: none has begun. */
export interface HeldExecution {
  organizationId: Uuid
  id: Uuid
  flowId: Uuid
  contactId: Uuid
  status: LiveStatus
  attempt: number
  fenceWorkflowId: string | null
  fenceRunId: string | null
  progressedAt: string
}

export type Cursor = Pick<HeldExecution, 'progressedAt' | 'id'>

const columns = (sql: Executor) => sql`
  e.organization_id, e.id, e.flow_id, e.contact_id, e.status, e.attempt, e.fence_workflow_id,
  e.fence_run_id, e.progressed_at`

export const listLive = (sql: Executor, ids: readonly Uuid[]) => sql<HeldExecution[]>`
  select ${columns(sql)}
  from executions e
  where e.id = any(${[...ids]}::uuid[]) and e.status in ${live(sql)}`

/** Time without progress after which an execution outside of a delay or wait is checked. */
const ACTIVE_MS = 60_000

/** Lists a page of executions without progress for `noProgressMs`, the longest first. */
export const listWithoutProgress = (
  sql: Executor,
  {
    noProgressMs,
    after,
    limit,
  }: { noProgressMs: number; after: Cursor | undefined; limit: number },
) => sql<HeldExecution[]>`
  select ${columns(sql)}
  from executions e
  where e.status in ${live(sql)}
    and e.progressed_at
      < statement_timestamp() - ${Math.min(noProgressMs, ACTIVE_MS)} * interval '1 millisecond'
    and (e.status in ('pending', 'active')
      or e.progressed_at < statement_timestamp() - ${noProgressMs} * interval '1 millisecond')
    ${
      after === undefined
        ? sql``
        : sql`and (e.progressed_at, e.id) > (${after.progressedAt}::timestamptz, ${after.id}::uuid)`
    }
  order by e.progressed_at, e.id
  limit ${limit}`

/**
 * Marks an execution whose run cannot be reached for the next round, although it may sleep for
 * days.
 */
export const markForReconciling = (sql: Sql, executionId: Uuid) => sql`
  update executions
  set progressed_at = to_timestamp(0)
  where id = ${executionId} and fence_run_id is not null and status in ${live(sql)}`

/** Locks the execution if the same run still holds it. */
export async function lockIfSame(tx: Transaction, held: HeldExecution): Promise<boolean> {
  const { organizationId, id, attempt, fenceWorkflowId, fenceRunId } = held
  const rows = await tx`
    select
    from executions
    where organization_id = ${organizationId} and id = ${id} and attempt = ${attempt}
      and fence_workflow_id is not distinct from ${fenceWorkflowId}
      and fence_run_id is not distinct from ${fenceRunId}
      and status in ${live(tx)}
    for update`
  return rows.length > 0
}

/**
 * Counts one more lost run in a row, without a completed step between them. Returns their number
 * and that of the next attempt. The row is locked.
 */
export async function countLostRun(
  tx: Transaction,
  { organizationId, id }: HeldExecution,
): Promise<{ nextAttempt: number; lostRuns: number } | undefined> {
  const [row] = await tx<{ nextAttempt: number; lostRuns: number }[]>`
    update executions e
    set lost_runs = case when done.steps = e.lost_after then e.lost_runs + 1 else 1 end,
      lost_after = done.steps
    from (
      select count(*)::integer as steps
      from execution_steps
      where organization_id = ${organizationId} and execution_id = ${id}
        and status in ('completed', 'skipped')
    ) done
    where e.organization_id = ${organizationId} and e.id = ${id}
    returning e.attempt + 1 as next_attempt, e.lost_runs`
  return row
}

/** Resets the count of lost runs. A retry by hand starts it anew. */
export const forgetLostRuns = (tx: Transaction, { organizationId, id }: HeldExecution) => tx`
  update executions
  set lost_runs = 0, lost_after = null
  where organization_id = ${organizationId} and id = ${id}`

/** Returns the execution to `pending`, held by no run, with another attempt. The row is locked. */
export const toAttempt = (
  tx: Transaction,
  { organizationId, id }: HeldExecution,
  attempt: number,
) => tx`
  update executions
  set status = 'pending', attempt = ${attempt}, fence_workflow_id = null, fence_run_id = null,
    progressed_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${id}`

/** Fails the step at which the execution stands, so that a retry repeats it. */
export const failStep = (
  tx: Transaction,
  { organizationId, id }: HeldExecution,
  { reason, error }: { reason: string; error: string },
) => tx`
  update execution_steps s
  set status = 'failed', reason = ${reason}, error = ${error}, finished_at = clock_timestamp()
  from executions e
  where e.organization_id = ${organizationId} and e.id = ${id}
    and s.organization_id = e.organization_id and s.execution_id = e.id
    and s.step_id = e.step_id and s.visit = e.visit and s.status in ('pending', 'executing')`

/** Records progress of a pending execution. Returns false if it has made some since it was read. */
export async function touchPending(
  tx: Transaction,
  { organizationId, id, progressedAt }: HeldExecution,
): Promise<boolean> {
  const { count } = await tx`
    update executions
    set progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id} and status = 'pending'
      and progressed_at = ${progressedAt}`
  return count > 0
}

/** Lists up to `limit` live executions of deleted flows. */
export const listOfDeletedFlows = (sql: Sql, limit: number) => sql<
  { organizationId: Uuid; id: Uuid }[]
>`
  select e.organization_id, e.id
  from flows f
  cross join lateral (
    select organization_id, id
    from executions
    where organization_id = f.organization_id and flow_id = f.id
      and status in ${live(sql)}
    order by id
    limit ${limit}
  ) e
  where f.deleted_at is not null
  limit ${limit}`
