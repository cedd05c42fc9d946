import type { Troubles } from '../../domain/batches/breaker.ts'
import type { Run } from './batch-runs.ts'
import type { Transaction } from '../db/sql.ts'

interface CountedTroubles extends Troubles {
  isUnbroken: boolean
  sent: number
  processed: number
}

/** Locks a batch that is being sent and reads the counted troubles of this attempt. */
export async function lock(
  tx: Transaction,
  { organizationId, batchId, attempt }: Run,
): Promise<CountedTroubles | undefined> {
  const [batch] = await tx<CountedTroubles[]>`
    select sender_refusals, render_timeouts, render_timeouts_in_row,
      sent = streak_sent as is_unbroken, sent, sent + failed + skipped as processed
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      and status = 'processing'
    for update`
  return batch
}

/** `sent`: accepted mails at the time of this count. */
export const update = (
  tx: Transaction,
  { organizationId, batchId }: Run,
  { senderRefusals, renderTimeouts, renderTimeoutsInRow }: Troubles,
  sent: number,
) => tx`
  update batches
  set sender_refusals = ${senderRefusals},
    render_timeouts = ${renderTimeouts},
    render_timeouts_in_row = ${renderTimeoutsInRow},
    streak_sent = ${sent}
  where organization_id = ${organizationId} and id = ${batchId}`
