import { type Audience, batchAudience } from '../../domain/audience/audience.ts'
import { batchBucket, type Uuid } from '../../ids.ts'
import * as batchRuns from '../../store/sending/batch-runs.ts'
import { type Sql, transact } from '../../store/db/sql.ts'

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
 * when the batch is no longer to be frozen.
 */
export const freezePage = (sql: Sql, freeze: Freeze): Promise<Frozen | undefined> =>
  transact(sql, async (tx) => {
    const { pageSize, chunkSize } = freeze
    const batch = await batchRuns.lockToFreeze(tx, freeze)
    if (!batch) return undefined
    const bucket = batch.bucket ?? batchBucket()
    if (batch.frozenAt !== null) return { complete: true, total: batch.total, bucket }
    const { startedAt } = batch
    const audience: Audience = [
      ...batchAudience(batch),
      { type: 'filters', createdUntil: startedAt },
    ]
    const page = { ...batch, bucket, audience }
    const inserted = await batchRuns.insertPage(tx, freeze, page, pageSize)
    const total = batch.total + inserted
    const complete = inserted < pageSize
    await batchRuns.recordPage(tx, freeze, { bucket, startedAt, total, complete, chunkSize })
    return { complete, total, bucket }
  })
