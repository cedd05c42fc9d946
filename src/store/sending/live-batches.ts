import type { Uuid } from '../../ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** A live batch, and the attempt whose run keeps it going. */
export interface LiveBatch {
  organizationId: Uuid
  id: Uuid
  attempt: number
}

/** Spelled as in the index `batches_live`, which serves it. */
const live = (sql: Executor) => sql`status in ('queued', 'scheduled', 'processing')`

/** Those of these batches that live. */
export const listLive = (sql: Executor, ids: readonly Uuid[]) => sql<LiveBatch[]>`
  select organization_id, id, attempt
  from batches
  where id = any(${[...ids]}::uuid[]) and ${live(sql)}`

/** A page of all that live, in the order of their ids. */
export const listNext = (sql: Executor, after: Uuid | undefined, limit: number) => sql<LiveBatch[]>`
  select organization_id, id, attempt
  from batches
  where ${live(sql)} ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

/** Locks a live batch and reads how often its run was lost; undefined: it is over, or elsewhere. */
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

/** Begins the next attempt of a locked batch; `settled`: its recipients with an outcome. */
export const beginAttempt = (
  tx: Transaction,
  { organizationId, id }: LiveBatch,
  { lostRuns, settled }: { lostRuns: number; settled: number },
) => tx`
  update batches
  set attempt = attempt + 1, lost_runs = ${lostRuns}, lost_after = ${settled},
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${id}`
