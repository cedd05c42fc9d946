import { executionWorkflowId } from '../../workflows/contract.ts'
import type { Timings } from '../domain/timings.ts'
import * as reconciling from '../store/execution-reconciling.ts'
import * as outbox from '../store/outbox.ts'
import type { Sql } from '../store/sql.ts'
import { type ReconcilerDeps, type RunOwner, startRunReconciler } from './run-reconciler.ts'

/** Executions without progress that one round looks at. */
const STILL = 200
/** Executions of deleted flows that are ended at once. */
const DELETED = 200

/**
 * Settles executions whose runs are over while they are not, and ends the executions of flows that
 * were deleted.
 */
export const startExecutionReconciler = (deps: ReconcilerDeps) =>
  startRunReconciler(
    deps,
    executionRuns(deps),
    async () => (await reconciling.endOfDeletedFlows(deps.sql, DELETED)) === DELETED,
  )

/**
 * The run that holds an execution is its fence: what is written depends on it. Those without
 * progress are looked at one by one.
 */
export const executionRuns = ({
  sql,
  timings: { stillMs },
}: {
  sql: Sql
  timings: Pick<Timings, 'stillMs'>
}): RunOwner<reconciling.Held, reconciling.Cursor> => ({
  name: 'execution',
  workflowType: 'runFlow',
  attribute: 'ExecutionId',
  workflowIdOf: ({ id, attempt, fenceWorkflowId }) =>
    fenceWorkflowId ?? executionWorkflowId(id, attempt),
  listLive: (ids) => reconciling.listLive(sql, ids),
  nextPage: async (after) => {
    const page = await reconciling.listStill(sql, { stillMs, after, limit: STILL })
    // Temporal may have been away for long: what is promised to it is not lost.
    const unbegun = page.filter(({ fenceRunId }) => fenceRunId === null).map(({ id }) => id)
    const promised = await outbox.listPromised(sql, 'start_execution', unbegun)
    return {
      page: page.filter(({ id }) => !promised.has(id)),
      next: page.length < STILL ? undefined : page.at(-1),
    }
  },
  stop: (held) => reconciling.stop(sql, held),
  restart: (held) => reconciling.restart(sql, held),
  replace: async (held) => {
    if (held.fenceRunId !== null) return reconciling.restart(sql, held)
    return (await reconciling.promiseAgain(sql, held)) ? 'promised' : 'kept'
  },
})
