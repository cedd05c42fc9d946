import { PRIORITIES } from '../../domain/mails/mail-priority.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Single mail that unsubscribing stops: not transactional mail. */
const SOURCES = ['confirmation', 'workflow'] as const
/** Calls of a failed batch may still begin for this time after it failed. */
const ENDING_MS = 10_000

export const listBuckets = (sql: Executor, organizationId: Uuid) => sql<{ bucket: Uuid }[]>`
  select bucket
  from batches
  where organization_id = ${organizationId} and bucket is not null
    and (status = 'processing' or (status = 'failed'
      and completed_at > statement_timestamp() - ${ENDING_MS} * interval '1 millisecond'))`

/** Returns whether a mail of these buckets to one of the contacts is still to be sent. */
export async function isInBuckets(
  sql: Executor,
  organizationId: Uuid,
  buckets: readonly Uuid[],
  contactIds: readonly Uuid[],
): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select
      from messages
      where organization_id = ${organizationId}
        and bucket = any(${[...buckets]}::uuid[])
        and dedupe_key = any(${[...contactIds]}::uuid[])
        and state in ('queued', 'claimed')
    ) as found`
  return row?.found ?? false
}

export interface MailKey {
  bucket: Uuid
  id: Uuid
}

/**
 * Single mail of the whole organization that unsubscribing stops and that is due or claimed; up to
 * `most` of each.
 */
export const listSingleMail = (sql: Executor, organizationId: Uuid, most: number) => sql<MailKey[]>`
  (
    select q.bucket, q.id
    from connections c
    cross join unnest(${SOURCES.map((source) => PRIORITIES[source])}::int[]) as p (priority)
    cross join lateral (
      select bucket, id
      from mail_queue
      where connection_id = c.id and priority = p.priority and organization_id = ${organizationId}
        and send_at <= statement_timestamp()
      order by send_at, id
      limit ${most}
    ) q
    where c.organization_id = ${organizationId}
    limit ${most}
  )
  union all
  (
    select k.bucket, mail.id
    from claims k
    cross join lateral unnest(k.message_ids) as mail (id)
    where k.organization_id = ${organizationId} and k.batch_id is null and k.state = 'live'
    limit ${most}
  )`

/** Returns whether one of these mails goes to one of the contacts and is still to be sent. */
export async function isAmong(
  sql: Executor,
  organizationId: Uuid,
  mails: readonly MailKey[],
  contactIds: readonly Uuid[],
): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select
      from messages
      where organization_id = ${organizationId}
        and bucket = any(${[...new Set(mails.map(({ bucket }) => bucket))]}::uuid[])
        and id = any(${mails.map(({ id }) => id)}::uuid[])
        and contact_id = any(${[...contactIds]}::uuid[])
        and source = any(${[...SOURCES]}::text[])
        and state in ('queued', 'claimed')
    ) as found`
  return row?.found ?? false
}
