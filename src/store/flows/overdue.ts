import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'
import { live } from './executions.ts'
import type { Cursor } from './held-executions.ts'

export interface StillExecution extends Cursor {
  organizationId: Uuid
  isUnbegun: boolean
  isDue: boolean
  hasTime: boolean
  /** Mail whose outcome it waits for. Null: none. */
  mailId: Uuid | null
}

/**
 * Lists a page of live executions without progress for `lateMs`, the longest first. The end of a
 * delay or wait counts as progress.
 */
export const listStill = (
  sql: Sql,
  { lateMs, after, limit }: { lateMs: number; after: Cursor | undefined; limit: number },
) => sql<StillExecution[]>`
  select e.organization_id, e.id, e.progressed_at, e.fence_run_id is null as is_unbegun,
    coalesce(s.due_at < statement_timestamp() - ${lateMs} * interval '1 millisecond', false) as is_due,
    coalesce(s.due_at >= statement_timestamp() - ${lateMs} * interval '1 millisecond', false)
      as has_time,
    s.mail_id
  from (
    select organization_id, id, progressed_at, fence_run_id, step_id, visit
    from executions
    where status in ${live(sql)}
      and progressed_at < statement_timestamp() - ${lateMs} * interval '1 millisecond'
      ${
        after === undefined
          ? sql``
          : sql`and (progressed_at, id) > (${after.progressedAt}::timestamptz, ${after.id}::uuid)`
      }
    order by progressed_at, id
    limit ${limit}
  ) e
  left join execution_steps s on s.organization_id = e.organization_id and s.execution_id = e.id
    and s.step_id = e.step_id and s.visit = e.visit and s.status = 'executing'
  order by e.progressed_at, e.id`

export async function listOpenMails(
  sql: Sql,
  mails: readonly { organizationId: Uuid; id: Uuid }[],
): Promise<Set<Uuid>> {
  if (mails.length === 0) return new Set()
  const rows = await sql<{ id: Uuid }[]>`
    select m.id
    from unnest(
      ${mails.map(({ organizationId }) => organizationId)}::uuid[],
      ${mails.map(({ id }) => dayBucket(id))}::uuid[],
      ${mails.map(({ id }) => id)}::uuid[]
    ) as wanted (organization_id, bucket, id)
    join messages m on m.organization_id = wanted.organization_id and m.bucket = wanted.bucket
      and m.id = wanted.id
    where m.state in ('queued', 'claimed', 'unknown')
      and m.bucket = any(${[...new Set(mails.map(({ id }) => dayBucket(id)))]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}
