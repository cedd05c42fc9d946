import type { FinalStatus } from '../../domain/flows/execution.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { executionsOver } from './counters.ts'
import * as outbox from '../platform/outbox.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** The status and the reason with which executions end. */
export interface Ending {
  status: FinalStatus
  /** A stable word: `contact_deleted`, `topic_unsubscribed`, `exit_on`, `workflow_deleted` … */
  reason: string | null
  error?: string | null
}

/** Statuses of executions that are not over. A fragment for `where status in …`. */
export const live = (sql: Executor) => sql`('pending', 'active', 'paused', 'waiting')`

interface EndedExecution {
  id: Uuid
  flowId: Uuid
  contactId: Uuid
  fenceWorkflowId: string | null
}

interface EndOptions {
  /** Cancels the runs. False if the run itself ends its execution. Absent: true. */
  cancelsRuns?: boolean
  requestId?: string | undefined
}

/**
 * Ends those of the executions that are live, with their open steps, waits, entries and counters.
 * Their queued mail is skipped by its claim, which checks whether the execution is live. Returns
 * the ids of those that were ended now. Repeated and concurrent calls end each once.
 *
 * Locks executions in the order of their ids. A caller that locks contacts does it before.
 */
export async function end(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  ending: Ending,
  options: EndOptions = {},
): Promise<Uuid[]> {
  if (ids.length === 0) return []
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from executions
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
      and status in ${live(tx)}
    order by id
    for update`
  const locked = rows.map(({ id }) => id)
  return endLocked(tx, organizationId, locked, ending, options)
}

/** Ends executions whose rows the transaction has locked by an earlier statement. */
export async function endLocked(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  { status, reason, error = null }: Ending,
  { cancelsRuns = true, requestId }: EndOptions = {},
): Promise<Uuid[]> {
  if (ids.length === 0) return []
  const rows = await tx<EndedExecution[]>`
    with ended as (
      update executions
      set status = ${status}, reason = ${reason}, error = ${error?.slice(0, 1_000) ?? null},
        finished_at = clock_timestamp(), progressed_at = clock_timestamp()
      where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
        and status in ${live(tx)}
      returning id, flow_id, contact_id, fence_workflow_id
    ), skipped as (
      update execution_steps
      set status = 'skipped', reason = coalesce(${reason}, 'execution_ended'),
        finished_at = clock_timestamp()
      where organization_id = ${organizationId} and execution_id = any(${[...ids]}::uuid[])
        and status in ('pending', 'executing')
    ), cancelled as (
      update waits
      set status = 'cancelled'
      where organization_id = ${organizationId} and execution_id = any(${[...ids]}::uuid[])
        and status = 'waiting'
    )
    select *
    from ended`
  if (rows.length === 0) return []
  await executionsOver(tx, organizationId, rows, status)
  if (cancelsRuns) {
    const messages = rows.flatMap(({ fenceWorkflowId }) =>
      // A run that begins later finds its execution over.
      fenceWorkflowId === null
        ? []
        : [{ kind: 'cancel_execution' as const, payload: { workflowId: fenceWorkflowId } }],
    )
    await outbox.putAll(tx, organizationId, messages, requestId)
  }
  return rows.map(({ id }) => id)
}

/**
 * Lists the live ones of these executions, with the workflow that holds each. Null: none has begun.
 */
export const listRuns = (sql: Executor, ids: readonly Uuid[]) => sql<
  { id: Uuid; attempt: number; fenceWorkflowId: string | null }[]
>`
  select id, attempt, fence_workflow_id
  from executions
  where id = any(${[...ids]}::uuid[]) and status in ${live(sql)}`
