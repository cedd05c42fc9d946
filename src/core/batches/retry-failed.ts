import { conflict } from '../../domain/errors.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { Batch } from '../../schemas/batches/batch.ts'
import type { BatchPatch } from '../../schemas/batches/batch-patch.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as changes from '../../store/batches/batch-changes.ts'
import * as variants from '../../store/batches/batch-variants.ts'
import * as batches from '../../store/batches/batches.ts'
import * as failedBatches from '../../store/batches/failed-batches.ts'
import { changeOf } from './batch-patch.ts'
import { startBatch } from './create-batch.ts'
import { type BatchContext, prepareBatch } from './prepare-batch.ts'

/** Recipients of one call. The next call takes the rest. */
const MOST_RETRIED = 100_000

/** Returns the fields by which all recipients get the winner's content. */
function winnerOf({ abTest, askedTest }: changes.BatchSource): BatchPatch {
  if (!abTest || !askedTest) return {}
  const winner = askedTest.variants.find(({ name }) => name === abTest.winner)
  const { name: _, ...own } = winner ?? askedTest.variants[0] ?? { name: '' }
  return { abTest: null, ...askedTest.said, ...own }
}

/** Returns the winner's content as it was sent. Undefined: the batch was not a test. */
async function winnersContent(tx: Transaction, organizationId: Uuid, source: changes.BatchSource) {
  if (!source.askedTest) return undefined
  const place = source.askedTest.variants.findIndex(({ name }) => name === source.abTest?.winner)
  const [variant] = (await variants.list(tx, organizationId, source.id)).slice(Math.max(0, place))
  return variant && { ...variant, id: variant.contentId }
}

const ENDED = ['completed', 'failed', 'cancelled']

/**
 * Creates a batch that starts at once, to recipients who failed in an ended batch and were
 * certainly not mailed. It leaves out recipients whose outcome is unknown, who bounced or are
 * suppressed, and those who are in such a batch already. Undefined: there is no such batch. Throws
 * a 409 if it has not ended, or nobody is left to mail.
 */
export async function retryFailed(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  context: BatchContext,
): Promise<{ batch: Batch; warnings: Warning[] } | undefined> {
  const source = await changes.findSource(tx, organizationId, id, { lock: false })
  if (!source) return undefined
  if (!ENDED.includes(source.status)) {
    throw conflict(`The failed recipients of a ${source.status} batch cannot be mailed yet`, {
      reason: 'batch_not_retryable',
    })
  }
  const bucket = (await batches.findLedger(tx, organizationId, id))?.bucket ?? null
  const contactIds =
    bucket === null
      ? []
      : await failedBatches.takeRetryable(tx, organizationId, bucket, MOST_RETRIED)
  if (contactIds.length === 0) {
    throw conflict('No failed recipient of this batch can be mailed again', {
      reason: 'nothing_to_retry',
    })
  }
  const { topicId } = source
  const audience = { audienceType: 'contacts', contactIds, topicId } as const
  const at = { scheduledFor: null, timezoneAware: null, timezone: null }
  const { input, kept } = changeOf(source, { ...audience, ...at, ...winnerOf(source) })
  const { values, warnings } = await prepareBatch(
    tx,
    organizationId,
    input,
    { ...context, estimate: contactIds.length },
    kept ?? (await winnersContent(tx, organizationId, source)),
  )
  const row = { ...values, organizationId, id: uuidv7(), status: 'queued' } as const
  return { batch: await startBatch(tx, row, context.requestId), warnings }
}
