import { RENDER_TIMEOUT } from '../../domain/batches/breaker.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { columns, lastRow, type WholeBatch } from './batches.ts'
import type { Transaction } from '../db/sql.ts'

interface FailedBatch {
  bucket: Uuid | null
  failedReason: string | null
  isTopicGone: boolean
}

export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<FailedBatch | undefined> {
  const [failed] = await tx<FailedBatch[]>`
    select bucket, failed_reason, exists (
        select
        from unnest(
          array_remove(array[topic_id], null)
            || case when audience_frozen_at is null then excluded_topic_ids end) as named (id)
        where not exists (
          select
          from topics t
          where t.organization_id = b.organization_id and t.id = named.id
        )
      ) as is_topic_gone
    from batches b
    where organization_id = ${organizationId} and id = ${id} and status = 'failed'
    for update`
  return failed
}

/**
 * Queues the mails of a batch again that took too long to make, but for those that another batch
 * sends. Returns how many there were.
 */
export async function requeueTimeouts(
  tx: Transaction,
  organizationId: Uuid,
  bucket: Uuid,
): Promise<number> {
  const { count } = await tx`
    update messages
    set state = 'queued', status = 'queued', reason = null, error = null
    where organization_id = ${organizationId} and bucket = ${bucket}
      and id between ${bucket} and ${lastRow(bucket)}
      and state = 'failed' and reason = ${RENDER_TIMEOUT} and not retried`
  return count
}

/**
 * Takes the contacts that failed in a batch and were certainly not mailed, those that are still
 * there; up to `most`, in order. Who was taken is never taken again.
 */
export async function takeRetryable(
  tx: Transaction,
  organizationId: Uuid,
  bucket: Uuid,
  most: number,
): Promise<Uuid[]> {
  const rows = await tx<{ id: Uuid }[]>`
    with failed as (
      select m.id, c.id as contact_id
      from messages m
      join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id between ${bucket} and ${lastRow(bucket)}
        and m.state = 'failed' and m.reason is distinct from 'unknown_outcome' and not m.retried
      order by m.id
      limit ${most}
      for update of m
    ), marked as (
      update messages m
      set retried = true
      from failed
      where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = failed.id
    )
    select contact_id as id from failed order by failed.id`
  return rows.map(({ id }) => id)
}

/** Begins the next attempt of a locked batch. `requeued` recipients no longer count as failed. */
export async function resume(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requeued: number,
): Promise<WholeBatch & { attempt: number }> {
  const [resumed] = await tx<(WholeBatch & { attempt: number })[]>`
    update batches
    set status = case when started_at is null and scheduled_for > statement_timestamp()
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
  return resumed
}

/**
 * `failed → cancelled`, final: what is still queued is given up. Of many at once one wins.
 * Undefined: there is no such failed batch.
 */
export async function discard(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<WholeBatch | undefined> {
  const [discarded] = await tx<WholeBatch[]>`
    update batches
    set status = 'cancelled', completed_at = clock_timestamp(), updated_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id} and status = 'failed'
    returning ${columns(tx)}`
  return discarded
}
