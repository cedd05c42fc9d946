import { type ClaimTroubles, count, type Trip, tripOf, type Troubles } from '../domain/breaker.ts'
import * as batchRuns from './batch-runs.ts'
import { type Sql, transact } from './sql.ts'

/**
 * Counts what one claim came to against the batch, after its results are written, and fails the
 * batch when that was too much: no claim of it succeeds from that moment on. Claims are counted one
 * after the other under the lock of the batch, whichever worker they are of. Returns why it was
 * failed; undefined: it goes on, or is not this attempt's any more.
 */
export const record = (
  sql: Sql,
  run: batchRuns.Run,
  claim: ClaimTroubles,
): Promise<Trip | undefined> =>
  transact(sql, async (tx) => {
    const { organizationId, batchId, attempt } = run
    const [batch] = await tx<
      (Troubles & { isUnbroken: boolean; sent: number; processed: number })[]
    >`
      select sender_refusals, render_timeouts, render_timeouts_in_row,
        sent = streak_sent as is_unbroken, sent, sent + failed + skipped as processed
      from batches
      where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
        and status = 'processing'
      for update`
    if (!batch) return undefined
    const troubles = count(batch, claim, batch.isUnbroken)
    await tx`
      update batches
      set sender_refusals = ${troubles.senderRefusals},
        render_timeouts = ${troubles.renderTimeouts},
        render_timeouts_in_row = ${troubles.renderTimeoutsInRow},
        streak_sent = ${batch.sent}
      where organization_id = ${organizationId} and id = ${batchId}`
    const trip = tripOf(troubles, batch.processed)
    if (trip !== undefined) await batchRuns.fail(tx, run, trip)
    return trip
  })
