import { conflict } from '../../domain/errors.ts'
import { requireUnmodified } from '../../domain/unmodified.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { Batch, BatchInput } from '../../schemas/batches/batch.ts'
import type { BatchPatch } from '../../schemas/batches/batch-patch.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import * as batchVariants from '../../store/batches/batch-variants.ts'
import * as changes from '../../store/batches/batch-changes.ts'
import type { WholeBatch } from '../../store/batches/batches.ts'
import { changeOf } from './batch-patch.ts'
import { batchView } from './batch-view.ts'
import { startBatch } from './create-batch.ts'
import { type BatchContext, prepareBatch } from './prepare-batch.ts'

interface ChangedBatch {
  batch: Batch
  warnings: Warning[]
}

const LONGEST_NAME = 200

/**
 * Changes a scheduled batch, as if it had been created with the changes. Undefined: there is no
 * such batch. Throws a 409 if its time has come, or somebody has changed it since the caller read
 * it.
 */
export async function changeBatch(
  tx: Transaction,
  organizationId: Uuid,
  { id, patch }: { id: Uuid; patch: BatchPatch },
  context: BatchContext,
): Promise<ChangedBatch | undefined> {
  const source = await changes.findSource(tx, organizationId, id, { lock: true })
  if (!source) return undefined
  if (source.status !== 'scheduled') {
    throw conflict(`A ${source.status} batch cannot be changed, only a scheduled one`, {
      reason: 'batch_not_changeable',
    })
  }
  requireUnmodified('batch', source, patch.ifUnmodifiedSince)
  const { input, kept } = changeOf(source, patch)
  const now = timeOfCheck(source, input, context.now)
  const prepared = await prepareBatch(tx, organizationId, input, { ...context, now }, kept)
  const { values, variants = values.abTest === null ? [] : undefined, warnings } = prepared
  if (variants) await batchVariants.replace(tx, organizationId, id, variants)
  const { attempt, ...changed } = await changes.update(tx, organizationId, id, values)
  await wakeBatch(tx, organizationId, { id, attempt }, context.requestId)
  return { batch: batchView(changed), warnings }
}

/** An unchanged time may have passed, since a paused batch is not sent. */
const timeOfCheck = (before: WholeBatch, { scheduledFor }: BatchInput, now: number) =>
  scheduledFor === undefined || scheduledFor !== before.scheduledFor
    ? now
    : Math.min(now, Date.parse(scheduledFor) - 1)

/**
 * Creates a copy of a batch, with changes. The copy is paused, so that nothing is sent until
 * somebody has looked at it. When it is resumed, it is sent at its time, or at once without one.
 * Undefined: there is no such batch.
 */
export async function duplicateBatch(
  tx: Transaction,
  organizationId: Uuid,
  { id, patch }: { id: Uuid; patch: BatchPatch },
  context: BatchContext,
): Promise<ChangedBatch | undefined> {
  const source = await changes.findSource(tx, organizationId, id, { lock: false })
  if (!source) return undefined
  const name = source.name === null ? null : `Copy of ${source.name}`.slice(0, LONGEST_NAME)
  const { input, kept } = changeOf(source, {
    name,
    scheduledFor: null,
    timezoneAware: null,
    timezone: null,
    ...patch,
  })
  const prepared = await prepareBatch(tx, organizationId, input, context, kept)
  const { values, variants = await batchVariants.list(tx, organizationId, id), warnings } = prepared
  const newValues = { ...values, organizationId, id: uuidv7() }
  const row = { ...newValues, status: 'scheduled', pausedReason: 'duplicated' } as const
  const copiedVariants = values.abTest === null ? [] : variants
  return { batch: await startBatch(tx, row, context.requestId, copiedVariants), warnings }
}

/**
 * Pauses a live batch: none of its mails is sent until it is resumed. Of many calls at once one
 * wins. Undefined: it is over, or paused already.
 */
export async function pauseBatch(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Batch | undefined> {
  const paused = await changes.pause(tx, organizationId, id)
  if (!paused) return undefined
  const { attempt: _, ...batch } = paused
  return batchView(batch)
}

/** Wakes the run, which reads its batch again. */
export const wakeBatch = (
  tx: Transaction,
  organizationId: Uuid,
  { id: batchId, attempt }: { id: Uuid; attempt: number },
  requestId: string | undefined,
) =>
  outbox.put(tx, organizationId, { kind: 'wake_batch', payload: { batchId, attempt } }, requestId)
