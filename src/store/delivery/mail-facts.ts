import type { MailFacts } from '../../domain/delivery/delivery.ts'
import { span, type Uuid } from '../../runtime/ids.ts'
import { isOfShare } from '../batches/batch-variants.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface MailKey {
  organizationId: Uuid
  bucket: Uuid
  id: Uuid
}

export interface MailRow extends MailFacts, MailKey {
  source: string
  batchId: Uuid | null
  executionId: Uuid | null
  contactId: Uuid | null
  connectionId: Uuid
  recipient: string | null
  firstEventAt: string | null
  subject: string | null
  variant: number | null
  /** The mail is not of the share that compares the variants of its test. */
  isOfRest: boolean
}

/** Buckets as plain values: the planner then leaves out all other partitions. */
const bucketsOf = (sql: Executor, mails: readonly { bucket: Uuid }[]) =>
  sql`${[...new Set(mails.map(({ bucket }) => bucket))]}::uuid[]`

const keyColumns = (sql: Executor, mails: readonly MailKey[]) => sql`
  ${mails.map(({ organizationId }) => organizationId)}::uuid[],
  ${mails.map(({ bucket }) => bucket)}::uuid[],
  ${mails.map(({ id }) => id)}::uuid[]`

/**
 * Locks mails of any organizations, in the order of their keys. Each is looked up by its whole key.
 */
export const lock = (tx: Transaction, mails: readonly MailKey[]) => tx<MailRow[]>`
  select m.*
  from (
    select *
    from unnest(${keyColumns(tx, mails)}) as given (organization_id, bucket, id)
    order by organization_id, bucket, id
  ) wanted
  cross join lateral (
    select organization_id, bucket, id, source, batch_id, execution_id, contact_id, connection_id,
      recipient, subject, state, status, reason, error, message_id, sent_at, delivered_at,
      opened_at, human_opened_at, clicked_at, human_clicked_at, bounced_at, bounce_type,
      bounce_sub_type, complained_at, claimed_at, first_event_at, variant,
      case when variant is null then false else not ${isOfShare(tx, {
        organizationId: tx`messages.organization_id`,
        batchId: tx`messages.batch_id`,
        id: tx`messages.id`,
      })} end as is_of_rest
    from messages
    where organization_id = wanted.organization_id and bucket = wanted.bucket and id = wanted.id
      and bucket = any(${bucketsOf(tx, mails)})
    for update
  ) m`

/**
 * Returns the mails that the organization has, with their connections. They are looked up one by
 * one, since a join may read all of a partition without statistics.
 */
export const listKnown = (
  sql: Executor,
  organizationId: Uuid,
  mails: readonly { bucket: Uuid; id: Uuid }[],
) => sql<{ id: Uuid; connectionId: Uuid }[]>`
  select m.id, m.connection_id
  from unnest(${mails.map(({ id }) => id)}::uuid[]) as wanted (id)
  cross join lateral (
    select id, connection_id
    from messages
    where organization_id = ${organizationId} and id = wanted.id
      and bucket = any(${[...new Set(mails.map(({ bucket }) => bucket))]}::uuid[])
    limit 1
  ) m`

/**
 * Writes the facts of mails. A row that is no longer `claimed` or `unknown` loses its claim. A row
 * whose call was answered keeps the time of its claim.
 */
export const update = (tx: Transaction, mails: readonly MailRow[]) => tx`
  update messages m
  set state = f.state, status = f.status, reason = f.reason, error = f.error, subject = f.subject,
    message_id = f.message_id, sent_at = f.sent_at, delivered_at = f.delivered_at,
    opened_at = f.opened_at, human_opened_at = f.human_opened_at, clicked_at = f.clicked_at,
    human_clicked_at = f.human_clicked_at,
    bounced_at = f.bounced_at, bounce_type = f.bounce_type, bounce_sub_type = f.bounce_sub_type,
    complained_at = f.complained_at, first_event_at = f.first_event_at, claim_id = null,
    claimed_at = case when m.state = 'sent' then m.claimed_at end
  from jsonb_to_recordset(${tx.json(
    mails.map((mail) => ({
      organization_id: mail.organizationId,
      bucket: mail.bucket,
      id: mail.id,
      state: mail.state,
      status: mail.status,
      reason: mail.reason,
      error: mail.error,
      subject: mail.subject,
      message_id: mail.messageId,
      sent_at: mail.sentAt,
      delivered_at: mail.deliveredAt,
      opened_at: mail.openedAt,
      human_opened_at: mail.humanOpenedAt,
      clicked_at: mail.clickedAt,
      human_clicked_at: mail.humanClickedAt,
      bounced_at: mail.bouncedAt,
      bounce_type: mail.bounceType,
      bounce_sub_type: mail.bounceSubType,
      complained_at: mail.complainedAt,
      first_event_at: mail.firstEventAt,
    })),
  )}) as f (organization_id uuid, bucket uuid, id uuid, state text, status text, reason text, error text,
    subject text, message_id text, sent_at timestamptz, delivered_at timestamptz, opened_at timestamptz,
    human_opened_at timestamptz, clicked_at timestamptz, human_clicked_at timestamptz, bounced_at timestamptz, bounce_type text,
    bounce_sub_type text, complained_at timestamptz, first_event_at timestamptz)
  where m.organization_id = f.organization_id and m.bucket = f.bucket and m.id = f.id
    and m.bucket = any(${bucketsOf(tx, mails)})
    and m.id between ${span(mails.map(({ id }) => id))[0]} and ${span(mails.map(({ id }) => id))[1]}`

/** Records the message ids of mails that only an event proved to be sent. */
export const recordMessageIds = (tx: Transaction, mails: readonly MailRow[]) => tx`
  insert into message_ids (organization_id, message_id, connection_id, bucket, id)
  select organization_id, message_id, connection_id, bucket, id
  from unnest(
    ${keyColumns(tx, mails)},
    ${mails.map((mail) => mail.messageId)}::text[],
    ${mails.map((mail) => mail.connectionId)}::uuid[]
  ) as r (organization_id, bucket, id, message_id, connection_id)
  order by organization_id, message_id
  on conflict do nothing`

/** Removes mails from the queue: they are not sent again. */
export const unqueue = (tx: Transaction, mails: readonly MailKey[]) => tx`
  delete from mail_queue q
  using unnest(${keyColumns(tx, mails)}) as r (organization_id, bucket, id)
  where q.organization_id = r.organization_id and q.bucket = r.bucket and q.id = r.id`

/**
 * Records further message ids of mails that the provider accepted more than once. Returns the mails
 * with a new one, once for each id.
 */
export const recordDuplicates = (
  tx: Transaction,
  acceptances: readonly (MailKey & { connectionId: Uuid; messageId: string })[],
) => tx<MailKey[]>`
  insert into message_ids (organization_id, message_id, connection_id, bucket, id)
  select distinct organization_id, message_id, connection_id, bucket, id
  from unnest(
    ${keyColumns(tx, acceptances)},
    ${acceptances.map(({ messageId }) => messageId)}::text[],
    ${acceptances.map(({ connectionId }) => connectionId)}::uuid[]
  ) as r (organization_id, bucket, id, message_id, connection_id)
  order by organization_id, message_id
  on conflict do nothing
  returning organization_id, bucket, id`
