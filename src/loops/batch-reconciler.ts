import { batchWorkflowId } from '../../workflows/contract.ts'
import { restartBatch, stopBatch } from '../core/batches/restart-batch.ts'
import * as liveBatches from '../store/batches/live-batches.ts'
import * as outbox from '../store/platform/outbox.ts'
import type { Sql } from '../store/db/sql.ts'
import { type ReconcilerDeps, type RunOwner, startRunReconciler } from './run-reconciler.ts'

/** Live batches of one round. If fewer are live, each round reads them all. */
const LIVE = 200

export const startBatchReconciler = (deps: ReconcilerDeps) =>
  startRunReconciler(deps, batchRuns(deps))

/**
 * The attempt is the fence. Each has its own run, and a reset of that run opens another with the
 * same workflow id. A terminated or cancelled run fails its batch, just as a cancel that the
 * workflow notices.
 */
export const batchRuns = ({ sql }: { sql: Sql }): RunOwner<liveBatches.LiveBatch, string> => ({
  name: 'batch',
  idsOf: ({ id, attempt }) => ({ batchId: id, attempt }),
  workflowIdOf: ({ id, attempt }) => batchWorkflowId(id, attempt),
  closed: {
    workflowType: 'sendBatch',
    attribute: 'BatchId',
    idOf: ({ id }) => id,
    listLive: (ids) => liveBatches.listLive(sql, ids),
  },
  nextPage: async (after) => {
    const page = await liveBatches.listNext(sql, after, LIVE)
    // Read before Temporal is asked: a start that is no longer in the outbox has been made.
    const ids = page.map(({ id }) => id)
    const pending = await outbox.listPending(sql, 'start_batch', ids)
    return {
      page: page.filter(({ id }) => !pending.has(id)),
      next: page.length < LIVE ? undefined : page.at(-1)?.id,
    }
  },
  stop: async (batch) => ((await stopBatch(sql, batch)) ? 'stopped' : 'kept'),
  restart: (batch) => restartBatch(sql, batch, 'ended'),
  replace: (batch) => restartBatch(sql, batch, 'gone'),
})
