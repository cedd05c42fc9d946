import type { Uuid } from '../../runtime/ids.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as failedBatches from '../../store/batches/failed-batches.ts'
import { batchView } from './batch-view.ts'

/**
 * Gives up what a failed batch has not sent: `failed → cancelled`, final. Of many at once one wins.
 * Undefined: there is no such failed batch.
 */
export async function discardBatch(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Batch | undefined> {
  const discarded = await failedBatches.discard(tx, organizationId, id)
  return discarded && batchView(discarded)
}
