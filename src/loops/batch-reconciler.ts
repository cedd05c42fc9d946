import { batchWorkflowId } from '../../workflows/contract.ts'
import * as reconciling from '../store/batch-reconciling.ts'
import * as outbox from '../store/outbox.ts'
import type { Sql } from '../store/sql.ts'
import { type ReconcilerDeps, type RunOwner, startRunReconciler } from './run-reconciler.ts'

/** Live batches that one round looks at: with fewer, each is looked at in every round. */
const LIVE = 200

/** Settles batches whose runs are over while they are not. */
export const startBatchReconciler = (deps: ReconcilerDeps) =>
  startRunReconciler(deps, batchRuns(deps))

/**
 * The attempt is the fence: each has a run of its own, and a reset of that run opens another with
 * the same workflow id. A run that was terminated or cancelled fails its batch, as a cancel that
 * the workflow hears of does.
 */
export const batchRuns = ({ sql }: { sql: Sql }): RunOwner<reconciling.Held, string> => ({
  name: 'batch',
  workflowType: 'sendBatch',
  attribute: 'BatchId',
  workflowIdOf: ({ id, attempt }) => batchWorkflowId(id, attempt),
  listLive: (ids) => reconciling.listLive(sql, ids),
  nextPage: async (after) => {
    const page = await reconciling.listNext(sql, after, LIVE)
    // Read before Temporal is asked: a start that is no longer promised has been made.
    const ids = page.map(({ id }) => id)
    const promised = await outbox.listPromised(sql, 'start_batch', ids)
    return {
      page: page.filter(({ id }) => !promised.has(id)),
      next: page.length < LIVE ? undefined : page.at(-1)?.id,
    }
  },
  stop: (held) => reconciling.stop(sql, held),
  restart: (held) => reconciling.restart(sql, held, 'ended'),
  replace: (held) => reconciling.restart(sql, held, 'gone'),
})
