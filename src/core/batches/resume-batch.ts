import { RENDER_TIMEOUT } from '../../domain/batches/breaker.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import * as changes from '../../store/batches/batch-changes.ts'
import * as failedBatches from '../../store/batches/failed-batches.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { isLedgerKept } from '../../store/db/partitions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { batchView } from './batch-view.ts'
import { wakeBatch } from './change-batch.ts'

export type Resumed =
  | { outcome: 'resumed'; batch: Batch }
  | { outcome: 'topic_deleted' }
  /** The batch failed so long ago that its mails are no longer stored. */
  | { outcome: 'recipients_deleted' }

/** Resumes a paused or failed batch. Undefined: there is no such batch. */
export const resumeBatch = async (
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId?: string,
): Promise<Resumed | undefined> =>
  (await resumePaused(tx, organizationId, id, requestId)) ??
  resumeFailed(tx, organizationId, id, requestId)

async function resumePaused(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId: string | undefined,
): Promise<Resumed | undefined> {
  const resumed = await changes.unpause(tx, organizationId, id)
  if (!resumed) return undefined
  const { attempt, ...batch } = resumed
  await wakeBatch(tx, organizationId, { id, attempt }, requestId)
  return { outcome: 'resumed', batch: batchView(batch) }
}

/**
 * Begins another attempt of a failed batch, which goes on where the last one stopped. Mails that
 * are claimed or in doubt stay as they are. Of many calls at once one wins. Undefined: there is no
 * such failed batch.
 */
async function resumeFailed(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId: string | undefined,
): Promise<Resumed | undefined> {
  const failed = await failedBatches.lock(tx, organizationId, id)
  if (!failed) return undefined
  // Without its topic it would complete without a mail.
  if (failed.isTopicGone) return { outcome: 'topic_deleted' }
  const { bucket } = failed
  if (bucket !== null && !(await isLedgerKept(tx, bucket))) return { outcome: 'recipients_deleted' }
  // Mails that took too long to make are why the batch stopped: they are tried again.
  const isRetrying = failed.failedReason === RENDER_TIMEOUT && bucket !== null
  const requeued = isRetrying ? await failedBatches.requeueTimeouts(tx, organizationId, bucket) : 0
  const { attempt, ...batch } = await failedBatches.resume(tx, organizationId, id, requeued)
  const payload = { batchId: id, attempt }
  await outbox.put(tx, organizationId, { kind: 'start_batch', payload }, requestId)
  return { outcome: 'resumed', batch: batchView(batch) }
}
