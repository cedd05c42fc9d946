import { type Audience, batchAudience } from '../../domain/audience/audience.ts'
import { batchBucket, type Uuid } from '../../ids.ts'
import * as batchRuns from '../../store/sending/batch-runs.ts'
import {
  hasState,
  isRefusedValue,
  QUERY_CANCELED,
  type Sql,
  transact,
  type Transaction,
} from '../../store/db/sql.ts'
import { segmentAudience } from '../audience/segment-audience.ts'

interface Freeze extends batchRuns.Run {
  /** Contacts per transaction; an audience up to this size is one snapshot. */
  pageSize: number
  chunkSize: number
}

interface Frozen {
  /** False while a further page may exist. */
  complete: boolean
  total: number
  bucket: Uuid
}

/**
 * Copies one page of the audience into the ledger. One transaction: it locks the batch, so a page
 * is written once and a cancelled batch gets none; the cursor advances with the rows. Undefined
 * when the batch is no longer to be frozen. A batch whose segment cannot be evaluated fails.
 */
export async function freezePage(sql: Sql, freeze: Freeze): Promise<Frozen | undefined> {
  let hasSegment = false
  try {
    return await transact(sql, async (tx) => {
      const batch = await batchRuns.lockToFreeze(tx, freeze)
      hasSegment = batch?.audienceType === 'segment'
      return batch && freezeLocked(tx, freeze, batch)
    })
  } catch (error) {
    if (!hasSegment) throw error
    const isTooSlow = hasState(error, QUERY_CANCELED)
    if (!isTooSlow && !isRefusedValue(error)) throw error
    await batchRuns.fail(sql, freeze, isTooSlow ? 'segment_too_slow' : 'segment_not_usable')
    return undefined
  }
}

async function freezeLocked(
  tx: Transaction,
  freeze: Freeze,
  batch: batchRuns.FreezingBatch,
): Promise<Frozen | undefined> {
  const { organizationId, pageSize, chunkSize } = freeze
  const bucket = batch.bucket ?? batchBucket()
  if (batch.frozenAt !== null) return { complete: true, total: batch.total, bucket }
  const { startedAt, audienceType, segmentId } = batch
  const segment = await segmentAudience(tx, organizationId, segmentId ?? '', startedAt)
  if (audienceType === 'segment' && !segment) {
    await batchRuns.fail(tx, freeze, 'segment_not_usable')
    return undefined
  }
  const audience: Audience = [
    ...batchAudience({ ...batch, segment }),
    { type: 'filters', createdUntil: startedAt },
  ]
  const page = { ...batch, bucket, audience }
  const inserted = await batchRuns.insertPage(tx, freeze, page, pageSize)
  const total = batch.total + inserted
  const complete = inserted < pageSize
  await batchRuns.recordPage(tx, freeze, { bucket, startedAt, total, complete, chunkSize })
  return { complete, total, bucket }
}
