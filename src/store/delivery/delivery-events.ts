import { bucketOfBatchRow, dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { EmailLog, EmailLogEvent } from '../../schemas/delivery/email-log.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { MailKey } from './mail-facts.ts'

export interface TimelineEntry {
  mail: MailKey
  kind: string
  fingerprint: Buffer
  occurredAt: string
  data: Record<string, string | number>
}

/** Adds entries to the timelines of mails. Existing entries stay as they are. */
export const append = (tx: Transaction, entries: readonly TimelineEntry[]) => tx`
  insert into delivery_events (organization_id, bucket, log_id, kind, fingerprint, occurred_at, data)
  select e.organization_id, e.bucket, e.log_id, e.kind, decode(e.fingerprint, 'hex'), e.occurred_at,
    e.data
  from jsonb_to_recordset(${tx.json(
    entries.map(({ mail, ...entry }) => ({
      organization_id: mail.organizationId,
      bucket: mail.bucket,
      log_id: mail.id,
      kind: entry.kind,
      fingerprint: entry.fingerprint.toString('hex'),
      occurred_at: entry.occurredAt,
      data: entry.data,
    })),
  )}) as e (organization_id uuid, bucket uuid, log_id uuid, kind text, fingerprint text, occurred_at timestamptz, data jsonb)
  on conflict do nothing`

/** Returns the clicks that the timelines of mails have. */
export const listClicks = (tx: Transaction, mails: readonly MailKey[]) => tx<
  (MailKey & { data: Record<string, string | number> })[]
>`
  select e.organization_id, e.bucket, e.log_id as id, e.data
  from unnest(
    ${mails.map(({ organizationId }) => organizationId)}::uuid[],
    ${mails.map(({ bucket }) => bucket)}::uuid[],
    ${mails.map(({ id }) => id)}::uuid[]
  ) as given (organization_id, bucket, id)
  cross join lateral (
    select organization_id, bucket, log_id, data
    from delivery_events
    where organization_id = given.organization_id and bucket = given.bucket and log_id = given.id
      and bucket = any(${[...new Set(mails.map(({ bucket }) => bucket))]}::uuid[])
      and kind = 'click'
  ) e`

/**
 * The first `limit` events of what a mail went through, in the order it happened. An event says
 * its message id where that is not the one that the mail is known by.
 */
export function list(
  sql: Executor,
  organizationId: Uuid,
  { id, messageId }: Pick<EmailLog, 'id' | 'messageId'>,
  limit: number,
) {
  const buckets = [dayBucket(id), bucketOfBatchRow(id)]
  return sql<EmailLogEvent[]>`
    select kind as type, occurred_at,
      case when data ->> 'messageId' = ${messageId} then data - 'messageId' else data end as data
    from delivery_events
    where organization_id = ${organizationId}
      and bucket = any(${buckets}::uuid[])
      and log_id = ${id}
    order by occurred_at, kind
    limit ${limit}`
}
