import { scheduleDecision } from './ab-test.ts'
import * as batchRuns from '../../store/batches/batch-runs.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/**
 * Records since when a batch waits for mails in doubt only, and completes it without them after
 * `awaitedMs`. A batch that may send them again waits for `giveUpMs`. Returns whether the batch is
 * still being sent.
 */
export async function awaitOutcomes(
  sql: Sql,
  run: batchRuns.Run,
  times: { awaitedMs: number; giveUpMs: number },
): Promise<'processing' | 'completed' | 'stopped'> {
  if ((await batchRuns.noteAwaited(sql, run, times)) === false) return 'processing'
  const { status } = await completeBatch(sql, run)
  return status === 'processing' || status === 'completed' ? status : 'stopped'
}

/**
 * Completes a batch if every recipient has an outcome, or has been in doubt for long enough, and
 * the batch's counters equal its rows. Both are read in one snapshot with the batch locked, so that
 * no late event comes between them. Returns the counts. `completed` is false while outcomes are
 * open.
 */
export const completeBatch = (sql: Sql, run: batchRuns.Run) =>
  transact(sql, async (tx) => {
    const batch = await batchRuns.lockCounters(tx, run)
    if (!batch || batch.status !== 'processing') return { status: batch?.status, completed: false }
    const rows = await batchRuns.ledger(tx, run.organizationId, batch.bucket)
    const inDoubt = batch.completesWithoutUnknown ? rows.unknown : 0
    const isSettled =
      rows.frozen === batch.total &&
      rows.unknown === batch.unknown &&
      rows.sent + rows.failed + rows.skipped + inDoubt === batch.total &&
      batch.sent + batch.failed + batch.skipped + inDoubt === batch.total
    if (!isSettled) return { status: batch.status, completed: false, rows, counters: batch }
    await batchRuns.markCompleted(tx, run)
    await scheduleDecision(tx, run)
    return { status: 'completed' as const, completed: true }
  })
