import type { Uuid } from '../ids.ts'
import * as batchRuns from './batch-runs.ts'
import * as outbox from './outbox.ts'
import { type Executor, type Sql, transact } from './sql.ts'

/** A live batch, and the attempt whose run keeps it going. */
export interface Held {
  organizationId: Uuid
  id: Uuid
  attempt: number
}

/** So many runs in a row may end without progress: the next would as well. */
const MOST_LOST_RUNS = 3

/** Spelled as in the index `batches_live`, which serves it. */
const live = (sql: Executor) => sql`status in ('queued', 'scheduled', 'processing')`

/** Those of these batches that live. */
export const listLive = (sql: Executor, ids: readonly Uuid[]) => sql<Held[]>`
  select organization_id, id, attempt
  from batches
  where id = any(${[...ids]}::uuid[]) and ${live(sql)}`

/** A page of all that live, in the order of their ids. */
export const listNext = (sql: Executor, after: Uuid | undefined, limit: number) => sql<Held[]>`
  select organization_id, id, attempt
  from batches
  where ${live(sql)} ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

const runOf = ({ organizationId, id: batchId, attempt }: Held): batchRuns.Run => ({
  organizationId,
  batchId,
  attempt,
})

/** An operator stopped its run. False: it is over, or another attempt has begun. */
export const stop = async (sql: Sql, held: Held): Promise<boolean> =>
  (await batchRuns.fail(sql, runOf(held), 'stopped_by_operator')).count > 0

/**
 * Its run is over and left it behind: the next attempt goes on where it stands. After the third in
 * a row that ended without a recipient settled it fails. Runs that are gone with Temporal's data
 * are not counted: they say nothing of the batch. `kept`: it is over, or another attempt has begun.
 */
export const restart = (
  sql: Sql,
  held: Held,
  run: 'ended' | 'gone',
): Promise<'restarted' | 'failed' | 'kept'> =>
  transact(sql, async (tx) => {
    const { organizationId, id: batchId, attempt } = held
    const [batch] = await tx<{ lostRuns: number; settled: number }[]>`
      select case when sent + failed + skipped = lost_after then lost_runs else 0 end as lost_runs,
        sent + failed + skipped as settled
      from batches
      where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
        and ${live(tx)}
      for update`
    if (!batch) return 'kept'
    const lostRuns = batch.lostRuns + (run === 'ended' ? 1 : 0)
    if (lostRuns >= MOST_LOST_RUNS) {
      await batchRuns.fail(tx, runOf(held), 'run_lost')
      return 'failed'
    }
    await tx`
      update batches
      set attempt = attempt + 1, lost_runs = ${lostRuns}, lost_after = ${batch.settled},
        updated_at = clock_timestamp()
      where organization_id = ${organizationId} and id = ${batchId}`
    const payload = { batchId, attempt: attempt + 1 }
    await outbox.put(tx, organizationId, { kind: 'start_batch', payload }, undefined)
    return 'restarted'
  })
