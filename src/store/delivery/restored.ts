import type { Uuid } from '../../runtime/ids.ts'
import type { HeldExecution } from '../flows/held-executions.ts'
import { live } from '../flows/executions.ts'
import type { Executor, Sql } from '../db/sql.ts'

/**
 * What may have been mailed between a backup and its restore. Postgres has forgotten it, so all is
 * in doubt that was there before the restore and could have gone on until then. Times are rounded
 * to milliseconds: what was created in that of the restore was there.
 */

interface UncertainBatch {
  organizationId: Uuid
  batchId: Uuid
  attempt: number
}

export const listBatches = (sql: Sql, restoredAt: string, limit: number) => sql<UncertainBatch[]>`
  select organization_id, id as batch_id, attempt
  from batches
  where status in ('queued', 'scheduled', 'processing') and created_at <= ${restoredAt}
    and (scheduled_for is null or scheduled_for <= ${restoredAt})
  order by id
  limit ${limit}`

/** Executions that sleep for longer could not have gone on. */
export const listExecutions = (sql: Sql, restoredAt: string, limit: number) => sql<HeldExecution[]>`
  select organization_id, id, flow_id, contact_id, status, attempt, fence_workflow_id, fence_run_id,
    progressed_at
  from executions
  where status in ${live(sql)} and created_at <= ${restoredAt}
    and not (status = 'paused' and progressed_at > ${restoredAt})
  order by progressed_at
  limit ${limit}`

interface UncertainMail {
  organizationId: Uuid
  bucket: Uuid
  id: Uuid
}

export const listMails = (sql: Sql, restoredAt: string, limit: number) => sql<UncertainMail[]>`
  (
    select organization_id, bucket, id
    from mail_queue
    where send_at <= ${restoredAt}
    order by send_at
    limit ${limit}
  )
  union all
  (
    select organization_id, bucket, id
    from text_queue
    where send_at <= ${restoredAt}
    order by send_at
    limit ${limit}
  )
  limit ${limit}`

/** Single mails and texts that waited then have failed: what was sent, their events tell. */
export const failMails = (
  sql: Executor,
  {
    organizationId,
    bucket,
    ids,
  }: Pick<UncertainMail, 'organizationId' | 'bucket'> & { ids: Uuid[] },
  { reason, error }: { reason: string; error: string },
) => sql`
  with unqueued as (
    delete from mail_queue
    where organization_id = ${organizationId} and bucket = ${bucket} and id = any(${ids}::uuid[])
  ), texts_unqueued as (
    delete from text_queue
    where organization_id = ${organizationId} and bucket = ${bucket} and id = any(${ids}::uuid[])
  )
  update messages
  set state = 'failed', status = 'failed', reason = ${reason}, error = ${error}
  where organization_id = ${organizationId} and bucket = ${bucket} and id = any(${ids}::uuid[])
    and state = 'queued'`

/** What a restore has left uncertain, and what is known of it by now. */
export interface RestoreReport {
  batches: {
    organizationId: Uuid
    batchId: Uuid
    sent: number
    notKnown: number
    inDoubt: number
  }[]
  executions: number
  mails: number
  /** Delivery events that came since. */
  events: number
}

const MOST_LISTED = 1_000

export async function reportOf(
  sql: Sql,
  { restoredAt, reason }: { restoredAt: string; reason: string },
): Promise<RestoreReport> {
  const batches = await sql<RestoreReport['batches']>`
    select organization_id, id as batch_id, sent, unknown as in_doubt,
      greatest(0, total_recipients - sent - failed - skipped - unknown) as not_known
    from batches
    where status = 'failed' and failed_reason = ${reason} and completed_at >= ${restoredAt}
    order by id
    limit ${MOST_LISTED}`
  const [counts] = await sql<Pick<RestoreReport, 'executions' | 'mails' | 'events'>[]>`
    select
      (
        select count(*)::integer
        from executions
        where status = 'failed' and reason = ${reason} and finished_at >= ${restoredAt}
      ) as executions,
      (
        select count(*)::integer
        from messages
        where is_refused and source <> 'batch' and reason = ${reason}
          and created_at < ${restoredAt} and created_at > ${restoredAt}::timestamptz - interval '31 days'
      ) as mails,
      (
        select count(*)::integer
        from inbound_events
        where received_on >= (${restoredAt}::timestamptz at time zone 'UTC')::date
          and received_at >= ${restoredAt} and ignored is null and error is null
      ) as events`
  if (!counts) throw new Error('an aggregate answered nothing')
  return { batches, ...counts }
}

/** The batch of this id, of any organization, if the restore stopped it. */
export async function findStopped(
  sql: Sql,
  { batchId, reason }: { batchId: string; reason: string },
): Promise<{ organizationId: Uuid } | undefined> {
  const [batch] = await sql<{ organizationId: Uuid }[]>`
    select organization_id
    from batches
    where id::text = ${batchId} and status = 'failed' and failed_reason = ${reason}`
  return batch
}
