import { type ClaimTroubles, count, type Trip, tripOf } from '../../domain/batches/breaker.ts'
import * as batchRuns from '../../store/batches/batch-runs.ts'
import * as troubles from '../../store/batches/batch-troubles.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

/**
 * Counts what one claim came to against the batch, after its results are written, and fails the
 * batch when that was too much: no claim of it succeeds from that moment on. Claims are counted one
 * after the other under the lock of the batch, whichever worker made them. Returns why the batch
 * failed; undefined: it goes on, or another attempt has it.
 */
export const recordTroubles = (
  sql: Sql,
  run: batchRuns.Run,
  claim: ClaimTroubles,
): Promise<Trip | undefined> =>
  transact(sql, async (tx) => {
    const batch = await troubles.lock(tx, run)
    if (!batch) return undefined
    const counted = count(batch, claim, batch.isUnbroken)
    await troubles.update(tx, run, counted, batch.sent)
    const trip = tripOf(counted, batch.processed)
    if (trip !== undefined) await batchRuns.fail(tx, run, trip)
    return trip
  })
