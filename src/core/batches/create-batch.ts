import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { Batch, BatchInput } from '../../schemas/batches/batch.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import * as batchVariants from '../../store/batches/batch-variants.ts'
import type { NewVariant } from '../../store/batches/batch-variants.ts'
import * as batches from '../../store/batches/batches.ts'
import { batchView } from './batch-view.ts'
import { type BatchContext, prepareBatch } from './prepare-batch.ts'

/** Creates a batch that starts at once or at its time. Throws and warns as `prepareBatch` does. */
export async function createBatch(
  tx: Transaction,
  organizationId: Uuid,
  input: BatchInput,
  context: BatchContext,
): Promise<{ batch: Batch; warnings: Warning[] }> {
  const { values, variants, warnings } = await prepareBatch(tx, organizationId, input, context)
  const status = values.scheduledFor === null ? 'queued' : 'scheduled'
  const row = { ...values, organizationId, id: uuidv7(), status } as const
  return { batch: await startBatch(tx, row, context.requestId, variants), warnings }
}

/** Writes the batch and the outbox message that starts its workflow. */
export async function startBatch(
  tx: Transaction,
  batch: batches.NewBatch,
  requestId?: string,
  variants: readonly NewVariant[] = [],
): Promise<Batch> {
  const { organizationId, id } = batch
  const inserted = await batches.insert(tx, batch)
  await batchVariants.replace(tx, organizationId, id, variants)
  const created = variants.length === 0 ? inserted : await batches.find(tx, organizationId, id)
  if (!created) throw new Error('a batch is gone that was just made')
  const payload = { batchId: batch.id, attempt: 1 }
  await outbox.put(tx, batch.organizationId, { kind: 'start_batch', payload }, requestId)
  return batchView(created)
}
