import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as failedBatches from '../../store/batches/failed-batches.ts'
import { batchView } from './batch-view.ts'

/**
 * Cancels the rest of a failed batch, which is final. Of many calls at once one wins. Undefined:
 * there is no such failed batch.
 */
export async function discardBatch(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Batch | undefined> {
  const discarded = await failedBatches.discard(tx, organizationId, id)
  return discarded && batchView(discarded)
}
