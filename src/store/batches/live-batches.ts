import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** A live batch with its current attempt. */
export interface LiveBatch {
  organizationId: Uuid
  id: Uuid
  attempt: number
}

/** The text is that of the index `batches_live`, which serves it. */
const live = (sql: Executor) => sql`status in ('queued', 'scheduled', 'processing')`

export const listLive = (sql: Executor, ids: readonly Uuid[]) => sql<LiveBatch[]>`
  select organization_id, id, attempt
  from batches
  where id = any(${[...ids]}::uuid[]) and ${live(sql)}`

/** Lists a page of all live batches in the order of their ids. */
export const listNext = (sql: Executor, after: Uuid | undefined, limit: number) => sql<LiveBatch[]>`
  select organization_id, id, attempt
  from batches
  where ${live(sql)} ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

/** Largest difference by which a local time comes before the scheduled time. */
const EARLIEST_ZONE = '26 hours'

/**
 * Lists a page of live batches, in the order of their ids, that are due and made no progress for
 * `lateMs`. Paused batches and those that wait for a quota or for outcomes are left out.
 */
export const listOverdue = (
  sql: Executor,
  { lateMs, after, limit }: { lateMs: number; after: Uuid | undefined; limit: number },
) => sql<LiveBatch[]>`
  with late as materialized (
    select clock_timestamp() - ${lateMs} * interval '1 millisecond' as at
  )
  select organization_id, id, attempt
  from batches b
  cross join late
  where ${live(sql)} ${after === undefined ? sql`` : sql`and id > ${after}`}
    and paused_reason is null
    and progressed_at < late.at
    and (status <> 'scheduled' or scheduled_for < late.at
      + case when timezone is null then interval '0' else ${EARLIEST_ZONE}::interval end)
    and (quota_awaited_until is null or quota_awaited_until < late.at)
    and not (audience_frozen_at is not null and unknown > 0
      and sent + failed + skipped + unknown = total_recipients)
    and (
      not exists (
        select
        from batch_parts p
        where p.organization_id = b.organization_id and p.batch_id = b.id
          and p.send_at > late.at
      ) or exists (
        select
        from batch_parts p
        where p.organization_id = b.organization_id and p.batch_id = b.id
          and p.send_at between b.progressed_at and late.at
      )
    )
  order by id
  limit ${limit}`

/** Locks a live batch and reads its lost runs. Undefined: it is over, or has another attempt. */
export async function lock(
  tx: Transaction,
  { organizationId, id, attempt }: LiveBatch,
): Promise<{ lostRuns: number; settled: number } | undefined> {
  const [batch] = await tx<{ lostRuns: number; settled: number }[]>`
    select case when sent + failed + skipped = lost_after then lost_runs else 0 end as lost_runs,
      sent + failed + skipped as settled
    from batches
    where organization_id = ${organizationId} and id = ${id} and attempt = ${attempt}
      and ${live(tx)}
    for update`
  return batch
}

/** Begins the next attempt of a locked batch. `settled`: number of recipients with an outcome. */
export const beginAttempt = (
  tx: Transaction,
  { organizationId, id }: LiveBatch,
  { lostRuns, settled }: { lostRuns: number; settled: number },
) => tx`
  update batches
  set attempt = attempt + 1, lost_runs = ${lostRuns}, lost_after = ${settled},
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${id}`
