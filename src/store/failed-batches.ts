import { RENDER_TIMEOUT } from '../domain/breaker.ts'
import type { Uuid } from '../ids.ts'
import type { Batch } from '../schemas/batch.ts'
import { columns, lastRow } from './batches.ts'
import { put } from './outbox.ts'
import type { Transaction } from './sql.ts'

export type Resumed = { outcome: 'resumed'; batch: Batch } | { outcome: 'topic_deleted' }

/**
 * `failed → processing`, or `scheduled` when its time has not come: another attempt, which goes on
 * where the one before stopped. What that one has claimed or is in doubt about stays as it is. Of
 * many at once one wins. Undefined: there is no such failed batch.
 */
export async function resume(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId?: string,
): Promise<Resumed | undefined> {
  const [failed] = await tx<
    { bucket: Uuid | null; failedReason: string | null; isTopicGone: boolean }[]
  >`
    select bucket, failed_reason, topic_id is not null and not exists (
        select
        from topics t
        where t.organization_id = b.organization_id and t.id = b.topic_id
      ) as is_topic_gone
    from batches b
    where organization_id = ${organizationId} and id = ${id} and status = 'failed'
    for update`
  if (!failed) return undefined
  // It would mail nobody, and complete.
  if (failed.isTopicGone) return { outcome: 'topic_deleted' }
  const { bucket } = failed
  const isRetrying = failed.failedReason === RENDER_TIMEOUT && bucket !== null
  const requeued = isRetrying ? await requeueTimeouts(tx, organizationId, bucket) : 0
  const [resumed] = await tx<(Batch & { attempt: number })[]>`
    update batches
    set status = case when started_at is null and scheduled_for > clock_timestamp()
        then 'scheduled' else 'processing' end,
      attempt = attempt + 1,
      failed = failed - ${requeued},
      failed_reason = null,
      completed_at = null,
      sender_refusals = 0,
      render_timeouts = 0,
      render_timeouts_in_row = 0,
      streak_sent = sent,
      lost_runs = 0,
      lost_after = null,
      updated_at = clock_timestamp(),
      progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id}
    returning ${columns(tx)}, attempt`
  if (!resumed) throw new Error('a locked batch is gone')
  const { attempt, ...batch } = resumed
  const payload = { batchId: id, attempt }
  await put(tx, organizationId, { kind: 'start_batch', payload }, requestId)
  return { outcome: 'resumed', batch }
}

/** Those whose mail took too long to make are why the batch stopped: they are tried again. */
async function requeueTimeouts(
  tx: Transaction,
  organizationId: Uuid,
  bucket: Uuid,
): Promise<number> {
  const { count } = await tx`
    update messages
    set state = 'queued', status = 'queued', reason = null, error = null
    where organization_id = ${organizationId} and bucket = ${bucket}
      and id between ${bucket} and ${lastRow(bucket)}
      and state = 'failed' and reason = ${RENDER_TIMEOUT}`
  return count
}

/**
 * `failed → cancelled`, final: what is still queued is given up. Of many at once one wins.
 * Undefined: there is no such failed batch.
 */
export async function discard(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Batch | undefined> {
  const [discarded] = await tx<Batch[]>`
    update batches
    set status = 'cancelled', completed_at = clock_timestamp(), updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id} and status = 'failed'
    returning ${columns(tx)}`
  return discarded
}
