import { span, type Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

interface SettledRows {
  organizationId: string
  bucket: Uuid
  batchId: string | null
}

/**
 * Part of `recordResults`: rows of a batch that were taken for lost before their worker reports
 * that they must be sent again (`held.late`). The batch may be completed without them, and nobody
 * would send them: then they are `failed`, as where silence is proof (`claims.decide`).
 *
 * `part` settles them, `settled` are all rows whose state changes. The batch is locked before its
 * status is read, so that one that completes at the same moment never gets a queued row, and after
 * everything else that is counted, which is the lock order. Does nothing if no row is to be sent
 * again.
 */
export function lateResults(
  sql: Executor,
  { organizationId, bucket, batchId }: SettledRows,
  results: readonly { id: Uuid; outcome: string }[],
) {
  const queued = results.filter(({ outcome }) => outcome === 'queued').map(({ id }) => id)
  if (batchId === null || queued.length === 0) return { part: sql``, settled: sql`moved` }
  const [first, last] = span(queued)
  return {
    part: sql`, batch as materialized (
      select status
      from batches
      where organization_id = ${organizationId} and id = ${batchId}
        and exists (select from held where late)
        and (select count(*) from mailed) >= 0 and (select count(*) from answered) >= 0
        and (select count(*) from tested) >= 0
      for update
    ), late as (
      update messages m
      set state = verdict.state, status = verdict.state,
        reason = case when verdict.state = 'failed' then 'not_accepted' end,
        error = null, claim_id = null, claimed_at = null
      from held
      cross join (
        select case when (select status from batch) = 'completed' then 'failed' else 'queued' end
          as state
      ) verdict
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id between ${first} and ${last} and m.id = held.id and held.late
      returning m.state, held.before
    )`,
    settled: sql`(select state, before from moved union all select state, before from late) settled`,
  }
}
