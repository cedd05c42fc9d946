import type { Audience } from '../../domain/audience/audience.ts'
import { batchBucket, type Uuid } from '../../runtime/ids.ts'
import * as batchParts from '../../store/batches/batch-parts.ts'
import * as batchRuns from '../../store/batches/batch-runs.ts'
import {
  hasState,
  isRefusedValue,
  QUERY_CANCELED,
  type Sql,
  transact,
  type Transaction,
} from '../../store/db/sql.ts'
import { asksConditions, resolveAudience } from './batch-audience.ts'
import { localTimes } from './local-times.ts'

interface Freeze extends batchRuns.Run {
  /** Contacts of one transaction. An audience up to this size is one snapshot. */
  pageSize: number
  chunkSize: number
}

interface Frozen {
  /** False: there may be a further page. */
  complete: boolean
  total: number
  bucket: Uuid
}

/**
 * Copies one page of the audience into the ledger, in one transaction. It locks the batch, so that
 * a page is written once and a cancelled batch gets none. The cursor advances with the rows. A
 * batch whose audience or exclusions cannot be determined fails. Undefined: it is no longer to be
 * frozen.
 */
export async function freezePage(sql: Sql, freeze: Freeze): Promise<Frozen | undefined> {
  let isAsked = false
  try {
    return await transact(sql, async (tx) => {
      const batch = await batchRuns.lockToFreeze(tx, freeze)
      isAsked = batch !== undefined && asksConditions(batch)
      return batch && freezeLocked(tx, freeze, batch)
    })
  } catch (error) {
    if (!isAsked) throw error
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
  const { startedAt } = batch
  const resolved = await resolveAudience(tx, organizationId, batch, startedAt)
  if ('unusable' in resolved) {
    await batchRuns.fail(tx, freeze, resolved.unusable)
    return undefined
  }
  const audience: Audience = [...resolved.audience, { type: 'filters', createdUntil: startedAt }]
  const page = { ...batch, bucket, audience }
  const { inserted, cursor } = await insertPage(tx, freeze, page, pageSize)
  const total = batch.total + inserted
  const complete = inserted < pageSize
  const recorded = { bucket, startedAt, total, complete, chunkSize, cursor }
  await batchRuns.recordPage(tx, freeze, recorded)
  return { complete, total, bucket }
}

async function insertPage(
  tx: Transaction,
  freeze: Freeze,
  page: batchRuns.FreezingBatch & { bucket: Uuid; audience: Audience },
  size: number,
): Promise<{ inserted: number; cursor?: Uuid | undefined }> {
  const { variants, sharePercent } = page
  if (variants !== null && sharePercent !== null) {
    return batchParts.insertTestPage(tx, freeze, page, { size, variants, sharePercent })
  }
  const times = await localTimes(tx, freeze.organizationId, page)
  if (times) return batchParts.insertPage(tx, freeze, page, { size, ...times })
  return { inserted: await batchRuns.insertPage(tx, freeze, page, size) }
}
