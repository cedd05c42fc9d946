import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import * as batches from '../../store/batches/batches.ts'
import * as outbox from '../../store/platform/outbox.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { batchView } from './batch-view.ts'

/**
 * Cancels a batch that has not ended. One conditional update decides: of twenty calls at once one
 * wins. The outbox tells the workflow; a chunk that is sending reads the status itself.
 * Undefined: there is no such batch, or it has ended.
 */
export async function cancelBatch(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId?: string,
): Promise<Batch | undefined> {
  const cancelled = await batches.cancel(tx, organizationId, id)
  if (!cancelled) return undefined
  const { attempt, ...batch } = cancelled
  const payload = { batchId: id, attempt }
  await outbox.put(tx, organizationId, { kind: 'cancel_batch', payload }, requestId)
  return batchView(batch)
}
