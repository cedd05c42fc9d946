import { executionWorkflowId } from '../../workflows/contract.ts'
import type { Timings } from '../domain/delivery/timings.ts'
import * as reconcile from '../core/flows/reconcile.ts'
import * as heldExecutions from '../store/flows/held-executions.ts'
import * as outbox from '../store/platform/outbox.ts'
import type { Sql } from '../store/db/sql.ts'
import { type ReconcilerDeps, type RunOwner, startRunReconciler } from './run-reconciler.ts'

const STILL = 200
const DELETED = 200

/** Reconciles live executions whose runs are over, and ends executions of deleted flows. */
export const startExecutionReconciler = (deps: ReconcilerDeps) =>
  startRunReconciler(
    deps,
    executionRuns(deps),
    async () => (await reconcile.endOfDeletedFlows(deps.sql, DELETED)) === DELETED,
  )

/**
 * The run that holds an execution is its fence, on which all writes depend. Executions without
 * progress are checked one by one.
 */
export const executionRuns = ({
  sql,
  timings: { noProgressMs },
}: {
  sql: Sql
  timings: Pick<Timings, 'noProgressMs'>
}): RunOwner<heldExecutions.HeldExecution, heldExecutions.Cursor> => ({
  name: 'execution',
  idsOf: ({ id, attempt }) => ({ executionId: id, attempt }),
  workflowIdOf: ({ id, attempt, fenceWorkflowId }) =>
    fenceWorkflowId ?? executionWorkflowId(id, attempt),
  closed: {
    workflowType: 'runFlow',
    attribute: 'ExecutionId',
    idOf: ({ id }) => id,
    listLive: (ids) => heldExecutions.listLive(sql, ids),
  },
  nextPage: async (after) => {
    const page = await heldExecutions.listWithoutProgress(sql, {
      noProgressMs,
      after,
      limit: STILL,
    })
    // Temporal may have been away for long: a start that the outbox still holds is not lost.
    const unbegun = page.filter(({ fenceRunId }) => fenceRunId === null).map(({ id }) => id)
    const starting = await outbox.listPending(sql, 'start_execution', unbegun)
    return {
      page: page.filter(({ id }) => !starting.has(id)),
      next: page.length < STILL ? undefined : page.at(-1),
    }
  },
  stop: async (held) => ((await reconcile.stop(sql, held)) ? 'stopped' : 'kept'),
  restart: (held) => reconcile.restart(sql, held),
  replace: async (held) => {
    if (held.fenceRunId !== null) return reconcile.restart(sql, held)
    return (await reconcile.startAgain(sql, held)) ? 'started' : 'kept'
  },
})
