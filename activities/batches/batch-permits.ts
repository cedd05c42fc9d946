import type { Context } from '../../src/store/batches/batch-runs.ts'
import { giveBackThrottled, takeThrottled } from '../../src/store/batches/batch-throttle.ts'
import * as sendLimits from '../../src/store/accounts/send-limits.ts'
import type { Sql } from '../../src/store/db/sql.ts'

interface PermitCall {
  input: { organizationId: string; batchId: string }
  batch: Pick<Context, 'throttlePerSecond'>
  sender: sendLimits.Account
}

/** Takes permits of the batch's own rate, if it has one, then of the account. */
export async function takePermits(
  sql: Sql,
  { input, batch, sender }: PermitCall,
  want: number,
): Promise<sendLimits.Grant> {
  if (batch.throttlePerSecond === null) return sendLimits.grantPermits(sql, sender, want, 'batch')
  const own = await takeThrottled(sql, input, want)
  if (own.granted === 0) {
    return { granted: 0, waitMs: own.waitMs, pausedReason: null, isWatched: false }
  }
  const grant = await sendLimits.grantPermits(sql, sender, own.granted, 'batch')
  if (grant.granted < own.granted) {
    await giveBackThrottled(sql, input, own.granted - grant.granted)
  }
  return grant
}

export async function giveBackPermits(
  sql: Sql,
  { input, batch, sender }: PermitCall,
  unused: number,
): Promise<void> {
  if (unused <= 0) return
  await sendLimits.giveBack(sql, sender, unused)
  if (batch.throttlePerSecond !== null) await giveBackThrottled(sql, input, unused)
}
