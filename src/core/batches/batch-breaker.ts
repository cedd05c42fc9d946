import { type ClaimTroubles, count, type Trip, tripOf } from '../../domain/batches/breaker.ts'
import * as batchRuns from '../../store/batches/batch-runs.ts'
import * as troubles from '../../store/batches/batch-troubles.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/**
 * Counts the troubles of one claim, after its results are written, and fails the batch if there
 * were too many: from that moment on no claim of it succeeds. Claims are counted one after the
 * other under the lock of the batch, whichever worker made them. Returns the reason of the failure.
 * Undefined: the batch goes on, or another attempt has it.
 */
export const recordTroubles = (
  sql: Sql,
  run: batchRuns.Run,
  claim: ClaimTroubles,
): Promise<Trip | undefined> =>
  transact(sql, async (tx) => {
    const batch = await troubles.lock(tx, run)
    if (!batch) return undefined
    const newCounts = count(batch, claim, batch.isUnbroken)
    await troubles.update(tx, run, newCounts, batch.sent)
    const trip = tripOf(newCounts, batch.processed)
    if (trip !== undefined) await batchRuns.fail(tx, run, trip)
    return trip
  })
