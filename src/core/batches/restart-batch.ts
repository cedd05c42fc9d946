import * as batchRuns from '../../store/batches/batch-runs.ts'
import * as liveBatches from '../../store/batches/live-batches.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/** Runs in a row without progress after which a batch fails. */
const MOST_LOST_RUNS = 3

const runOf = ({ organizationId, id: batchId, attempt }: liveBatches.LiveBatch): batchRuns.Run => ({
  organizationId,
  batchId,
  attempt,
})

/** Fails a batch whose run an operator stopped. False: it is over, or another attempt has begun. */
export const stopBatch = async (sql: Sql, batch: liveBatches.LiveBatch): Promise<boolean> =>
  (await batchRuns.fail(sql, runOf(batch), 'stopped_by_operator')).count > 0

/**
 * Begins the next attempt of a batch whose run ended without it. After the third run in a row
 * without an outcome for any recipient the batch fails. Runs that are gone with Temporal's data are
 * not counted: they say nothing about the batch. `kept`: it is over, or another attempt has begun.
 */
export const restartBatch = (
  sql: Sql,
  batch: liveBatches.LiveBatch,
  run: 'ended' | 'gone',
): Promise<'restarted' | 'failed' | 'kept'> =>
  transact(sql, async (tx) => {
    const { organizationId, id: batchId, attempt } = batch
    const lockedBatch = await liveBatches.lock(tx, batch)
    if (!lockedBatch) return 'kept'
    const lostRuns = lockedBatch.lostRuns + (run === 'ended' ? 1 : 0)
    if (lostRuns >= MOST_LOST_RUNS) {
      await batchRuns.fail(tx, runOf(batch), 'run_lost')
      return 'failed'
    }
    await liveBatches.beginAttempt(tx, batch, { lostRuns, settled: lockedBatch.settled })
    const payload = { batchId, attempt: attempt + 1 }
    await outbox.put(tx, organizationId, { kind: 'start_batch', payload }, undefined)
    return 'restarted'
  })
