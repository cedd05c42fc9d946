import type { LiveStatus } from '../domain/execution.ts'
import type { Uuid } from '../ids.ts'
import * as executions from './executions.ts'
import * as outbox from './outbox.ts'
import { type Executor, type Sql, type Transaction, transact } from './sql.ts'

/** A live execution, and the run that holds it; none has begun when the fence is null. */
export interface Held {
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

/** Where a reading of the executions without progress goes on. */
export type Cursor = Pick<Held, 'progressedAt' | 'id'>

/** So many runs in a row may be lost without progress: the next would be as well. */
const MOST_LOST_RUNS = 3

const columns = (sql: Executor) => sql`
  e.organization_id, e.id, e.flow_id, e.contact_id, e.status, e.attempt, e.fence_workflow_id,
  e.fence_run_id, e.progressed_at`

/** Those of these executions that live. */
export const listLive = (sql: Executor, ids: readonly Uuid[]) => sql<Held[]>`
  select ${columns(sql)}
  from executions e
  where e.id = any(${[...ids]}::uuid[]) and e.status in ${executions.live(sql)}`

/** A page of those without progress for `stillMs`, the longest first. */
export const listStill = (
  sql: Executor,
  { stillMs, after, limit }: { stillMs: number; after: Cursor | undefined; limit: number },
) => sql<Held[]>`
  select ${columns(sql)}
  from executions e
  where e.status in ${executions.live(sql)}
    and e.progressed_at < clock_timestamp() - ${stillMs} * interval '1 millisecond'
    ${
      after === undefined
        ? sql``
        : sql`and (e.progressed_at, e.id) > (${after.progressedAt}::timestamptz, ${after.id}::uuid)`
    }
  order by e.progressed_at, e.id
  limit ${limit}`

/**
 * The run that holds the execution cannot be reached: it is looked at in the next round, though it
 * may be asleep for days.
 */
export const suspect = (sql: Sql, executionId: Uuid) => sql`
  update executions
  set progressed_at = to_timestamp(0)
  where id = ${executionId} and fence_run_id is not null and status in ${executions.live(sql)}`

/** Locks the execution if it is as it was read: the same run holds it. */
async function lockIfSame(tx: Transaction, held: Held): Promise<boolean> {
  const { organizationId, id, attempt, fenceWorkflowId, fenceRunId } = held
  const rows = await tx`
    select
    from executions
    where organization_id = ${organizationId} and id = ${id} and attempt = ${attempt}
      and fence_workflow_id is not distinct from ${fenceWorkflowId}
      and fence_run_id is not distinct from ${fenceRunId}
      and status in ${executions.live(tx)}
    for update`
  return rows.length > 0
}

/** An operator stopped its run. False: another run has taken the execution meanwhile. */
export const stop = (sql: Sql, held: Held): Promise<boolean> =>
  transact(sql, async (tx) => {
    if (!(await lockIfSame(tx, held))) return false
    const ending = { status: 'cancelled', reason: 'stopped_by_operator' } as const
    const { organizationId, id } = held
    return (await executions.end(tx, organizationId, [id], ending, { tellsRuns: false })).length > 0
  })

/**
 * Its run ended and left it behind: the next attempt goes on where it stands. After the third in a
 * row without progress it fails there, and can be retried by hand. `kept`: another run has taken
 * the execution meanwhile.
 */
export const restart = (sql: Sql, held: Held): Promise<'restarted' | 'failed' | 'kept'> =>
  transact(sql, async (tx) => {
    if (!(await lockIfSame(tx, held))) return 'kept'
    const { organizationId, id: executionId, flowId, contactId } = held
    const [row] = await tx<{ attempt: number; lostRuns: number }[]>`
      update executions e
      set lost_runs = case when done.steps = e.lost_after then e.lost_runs + 1 else 1 end,
        lost_after = done.steps
      from (
        select count(*)::integer as steps
        from execution_steps
        where organization_id = ${organizationId} and execution_id = ${executionId}
          and status in ('completed', 'skipped')
      ) done
      where e.organization_id = ${organizationId} and e.id = ${executionId}
      returning e.attempt + 1 as attempt, e.lost_runs`
    if (!row) return 'kept'
    if (row.lostRuns >= MOST_LOST_RUNS) {
      await fail(tx, held)
      return 'failed'
    }
    await tx`
      update executions
      set status = 'pending', attempt = ${row.attempt}, fence_workflow_id = null,
        fence_run_id = null, progressed_at = clock_timestamp()
      where organization_id = ${organizationId} and id = ${executionId}`
    const key = { executionId, attempt: row.attempt, flowId, contactId }
    await outbox.put(tx, organizationId, { kind: 'start_execution', payload: key }, undefined)
    return 'restarted'
  })

async function fail(tx: Transaction, { organizationId, id }: Held): Promise<void> {
  const error = `${MOST_LOST_RUNS} runs in a row were lost here`
  // The step it stands at has failed, so that a retry takes it up again.
  await tx`
    update execution_steps s
    set status = 'failed', reason = 'run_lost', error = ${error}, finished_at = clock_timestamp()
    from executions e
    where e.organization_id = ${organizationId} and e.id = ${id}
      and s.organization_id = e.organization_id and s.execution_id = e.id
      and s.step_id = e.step_id and s.visit = e.visit and s.status in ('pending', 'executing')`
  await tx`
    update executions
    set lost_runs = 0, lost_after = null
    where organization_id = ${organizationId} and id = ${id}`
  const ending = { status: 'failed', reason: 'run_lost', error } as const
  await executions.end(tx, organizationId, [id], ending, { tellsRuns: false })
}

/** The promise that starts it is gone, and so is its run: it is promised again. */
export const promiseAgain = (sql: Sql, held: Held): Promise<boolean> =>
  transact(sql, async (tx) => {
    if (!(await lockIfSame(tx, held))) return false
    const { organizationId, id: executionId, flowId, contactId, attempt } = held
    const { count } = await tx`
      update executions
      set progressed_at = clock_timestamp()
      where organization_id = ${organizationId} and id = ${executionId} and status = 'pending'
        and progressed_at = ${held.progressedAt}`
    if (count === 0) return false
    const key = { executionId, attempt, flowId, contactId }
    await outbox.put(tx, organizationId, { kind: 'start_execution', payload: key }, undefined)
    return true
  })

/** Ends up to `limit` executions of flows that were deleted. Answers how many. */
export async function endOfDeletedFlows(sql: Sql, limit: number): Promise<number> {
  const rows = await sql<{ organizationId: Uuid; id: Uuid }[]>`
    select e.organization_id, e.id
    from flows f
    cross join lateral (
      select organization_id, id
      from executions
      where organization_id = f.organization_id and flow_id = f.id
        and status in ${executions.live(sql)}
      order by id
      limit ${limit}
    ) e
    where f.deleted_at is not null
    limit ${limit}`
  const byOrganization = new Map<Uuid, Uuid[]>()
  for (const { organizationId, id } of rows) {
    byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), id])
  }
  const ending = { status: 'cancelled', reason: 'workflow_deleted' } as const
  let ended = 0
  for (const [organizationId, ids] of byOrganization) {
    ended += (await transact(sql, (tx) => executions.end(tx, organizationId, ids, ending))).length
  }
  return ended
}
