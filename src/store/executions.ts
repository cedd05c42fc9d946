import type { FinalStatus } from '../domain/execution.ts'
import type { Uuid } from '../ids.ts'
import { executionsOver } from './flow-counters.ts'
import * as outbox from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'

/** How executions end. */
export interface Ending {
  status: FinalStatus
  /** A stable word: `contact_deleted`, `topic_unsubscribed`, `exit_on`, `workflow_deleted` … */
  reason: string | null
  error?: string | null
}

/** Statuses of executions that are not over. A fragment for `where status in …`. */
export const live = (sql: Executor) => sql`('pending', 'active', 'paused', 'waiting')`

interface Ended {
  id: Uuid
  flowId: Uuid
  contactId: Uuid
  fenceWorkflowId: string | null
}

interface EndOptions {
  /**
   * Whether their runs are told: not when it is the run itself that ends its execution. Absent:
   * they are.
   */
  tellsRuns?: boolean
  requestId?: string | undefined
}

/**
 * Ends those of the executions that are not over, with all that hangs on them: open steps, waits,
 * what admission knows, counters. Their queued mail is skipped by its claim, which looks whether
 * the execution lives. Answers the ids of those that were ended now; calling it again, or from two
 * places at once, ends each once.
 *
 * Locks executions in the order of their ids; contacts are locked before, by whoever needs that.
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

/** The same of executions whose rows the transaction has locked by an earlier statement. */
export async function endLocked(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  { status, reason, error = null }: Ending,
  { tellsRuns = true, requestId }: EndOptions = {},
): Promise<Uuid[]> {
  if (ids.length === 0) return []
  const rows = await tx<Ended[]>`
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
  if (tellsRuns) {
    const promises = rows.flatMap(({ fenceWorkflowId }) =>
      // One that never began finds its execution over when it does.
      fenceWorkflowId === null
        ? []
        : [{ kind: 'cancel_execution' as const, payload: { workflowId: fenceWorkflowId } }],
    )
    await outbox.putAll(tx, organizationId, promises, requestId)
  }
  return rows.map(({ id }) => id)
}

/** Live executions of contacts, whose rows the caller has locked: their ids. */
export async function listLiveOfContacts(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Uuid[]> {
  if (contactIds.length === 0) return []
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from executions
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
      and status in ${live(tx)}`
  return rows.map(({ id }) => id)
}

/** The workflow that holds each execution; none for those that never began or are over. */
export const listRuns = (sql: Executor, ids: readonly Uuid[]) => sql<
  { id: Uuid; workflowId: string }[]
>`
  select id, fence_workflow_id as workflow_id
  from executions
  where id = any(${[...ids]}::uuid[]) and fence_workflow_id is not null
    and status in ${live(sql)}`
