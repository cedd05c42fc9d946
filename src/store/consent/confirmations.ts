import { MERGE_FIELDS, type MergeValues } from '../../domain/contacts/contact-fields.ts'
import type { Brand } from '../../domain/content/brand.ts'
import { brandOf } from '../access/organizations.ts'
import type { SubscriptionStatus } from '../../domain/consent/subscription.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { ConfirmationKey } from '../platform/outbox.ts'
import type { Pair } from './subscriptions.ts'

/** Confirmations of one workflow: a single one, or those of a page of an import. */
export type ConfirmationSet = ConfirmationKey | { cohort: Uuid }

export interface Confirmation {
  topicName: string
  organizationName: string
  email: string | null
  emailStatus: EmailStatus | null
  status: SubscriptionStatus
  generation: number
  cohort: Uuid | null
  confirmedAt: string | null
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  { contactId, topicId }: Pair,
): Promise<Confirmation | undefined> {
  const [row] = await sql<Confirmation[]>`
    select t.name as topic_name, o.name as organization_name, c.email, c.email_status, s.status,
      s.generation, s.cohort, s.confirmed_at
    from subscriptions s
    join contacts c on c.organization_id = s.organization_id and c.id = s.contact_id
    join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
    join organizations o on o.id = s.organization_id
    where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
      and s.topic_id = ${topicId}`
  return row
}

export const confirm = (
  tx: Transaction,
  organizationId: Uuid,
  { contactId, topicId, generation }: ConfirmationKey,
) => tx`
  update subscriptions
  set status = 'subscribed',
    generation = generation + 1,
    cohort = null,
    confirmed_at = clock_timestamp(),
    subscribed_at = clock_timestamp(),
    opted_out_at = null,
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and contact_id = ${contactId}
    and topic_id = ${topicId} and generation = ${generation} and status = 'pending'`

interface ListOptions {
  mailsBelow?: number | undefined
  limit: number
}

export async function listContacts(
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  { mailsBelow, limit }: ListOptions,
): Promise<Uuid[]> {
  const foundContacts = await tx<{ contactId: Uuid }[]>`
    select distinct s.contact_id
    from subscriptions s
    where ${isAwaited(tx, organizationId, set)} ${hasMailsBelow(tx, mailsBelow)}
    order by s.contact_id
    limit ${limit}`
  return foundContacts.map(({ contactId }) => contactId)
}

export interface Awaited extends ConfirmationKey, MergeValues {
  emailStatus: string | null
}

export const list = (
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  { contactIds, mailsBelow }: { contactIds: readonly Uuid[]; mailsBelow: number },
) => tx<Awaited[]>`
  select s.contact_id, s.topic_id, s.generation, c.email_status, ${columnsOf(tx, MERGE_FIELDS, 'c')}
  from subscriptions s
  join contacts c on c.organization_id = s.organization_id and c.id = s.contact_id
  where ${isAwaited(tx, organizationId, set)} ${hasMailsBelow(tx, mailsBelow)}
    and s.contact_id = any(${[...contactIds]}::uuid[])
  order by s.contact_id, s.topic_id`

export interface Decided extends ConfirmationKey {
  /** Id of the email in the ledger. Null: no email may be sent. */
  mailId: Uuid | null
}

/**
 * Records that the `mail`-th email of each was decided, in the transaction that enqueues it. A
 * repeated step finds nothing left to decide.
 */
export const recordMails = (
  tx: Transaction,
  organizationId: Uuid,
  mail: number,
  decided: readonly Decided[],
) => tx`
  update subscriptions s
  set mails = ${mail},
    mail_id = coalesce(given.mail_id, s.mail_id),
    mailed_at = case
      when given.mail_id is null or ${mail} = 1 then s.mailed_at
      else clock_timestamp()
    end
  from unnest(
    ${decided.map(({ contactId }) => contactId)}::uuid[],
    ${decided.map(({ topicId }) => topicId)}::uuid[],
    ${decided.map(({ generation }) => generation)}::int[],
    ${decided.map(({ mailId }) => mailId)}::uuid[]
  ) as given (contact_id, topic_id, generation, mail_id)
  where s.organization_id = ${organizationId} and s.contact_id = given.contact_id
    and s.topic_id = given.topic_id and s.generation = given.generation and s.status = 'pending'`

export const expire = (
  tx: Transaction,
  organizationId: Uuid,
  set: ConfirmationSet,
  contactIds: readonly Uuid[],
) => tx<Pair[]>`
  update subscriptions s
  set status = 'unsubscribed',
    generation = s.generation + 1,
    cohort = null,
    updated_at = greatest(s.updated_at, clock_timestamp())
  where ${isAwaited(tx, organizationId, set)} and s.contact_id = any(${[...contactIds]}::uuid[])
  returning s.contact_id, s.topic_id`

export interface Overdue extends ConfirmationKey {
  organizationId: Uuid
  cohort: Uuid | null
  dueAt: string
}

export type OverdueCursor = Pick<Overdue, 'dueAt' | 'contactId' | 'topicId'>

/**
 * Time of the next step of an awaited confirmation, as in workflows/confirmation.ts. In UTC, as in
 * the index `subscriptions_due`.
 */
const dueAt = (sql: Executor) => sql`
  ((requested_at at time zone 'UTC') + case mails
    when 0 then interval '0'
    when 1 then interval '72 hours'
    else interval '720 hours'
  end)`

/**
 * A page of confirmations whose next step was due `lateMs` ago, the earliest first. Their run is
 * late, or lost.
 */
export const listOverdue = (
  sql: Executor,
  { lateMs, after, limit }: { lateMs: number; after: OverdueCursor | undefined; limit: number },
) => sql<Overdue[]>`
  select organization_id, contact_id, topic_id, generation, cohort,
    ${dueAt(sql)} at time zone 'UTC' as due_at
  from subscriptions
  where status = 'pending'
    and ${dueAt(sql)} < (now() at time zone 'UTC') - ${lateMs} * interval '1 millisecond'
    ${
      after === undefined
        ? sql``
        : sql`and (${dueAt(sql)}, contact_id, topic_id) > (
            ${after.dueAt}::timestamptz at time zone 'UTC', ${after.contactId}::uuid,
            ${after.topicId}::uuid)`
    }
  order by ${dueAt(sql)}, contact_id, topic_id
  limit ${limit}`

/**
 * Milliseconds since the oldest awaited confirmation was requested, at least 1. Null: none is
 * awaited.
 */
export async function awaitedForMs(
  sql: Executor,
  organizationId: Uuid,
  set: ConfirmationSet,
): Promise<number | null> {
  const [row] = await sql<{ ms: number | null }[]>`
    select greatest(1, extract(epoch from clock_timestamp() - min(s.requested_at)) * 1000)::float8
      as ms
    from subscriptions s
    where ${isAwaited(sql, organizationId, set)}
    having count(*) > 0`
  return row === undefined ? null : Math.round(row.ms ?? 1)
}

const isAwaited = (sql: Executor, organizationId: Uuid, set: ConfirmationSet) => sql`
  s.organization_id = ${organizationId} and s.status = 'pending' and ${
    'cohort' in set
      ? sql`s.cohort = ${set.cohort}`
      : sql`s.contact_id = ${set.contactId} and s.topic_id = ${set.topicId}
          and s.generation = ${set.generation}`
  }`

const hasMailsBelow = (sql: Executor, most: number | undefined) =>
  most === undefined ? sql`` : sql`and s.mails < ${most}`

export interface ConfirmationTopic {
  topicId: Uuid
  topicName: string
  brand: Brand
  from: string | null
  fromName: string | null
  connectionId: Uuid | null
  templateId: Uuid | null
  /** Subject of the template's newest version. Null without a published one. */
  subject: string | null
  html: string | null
  text: string | null
}

/** A topic without its own account uses the organization's first. */
export const listTopics = (sql: Executor, organizationId: Uuid, topicIds: readonly Uuid[]) =>
  sql<ConfirmationTopic[]>`
    select t.id as topic_id, t.name as topic_name, ${brandOf(sql)} as brand,
      t.from_address as "from", t.from_name, t.template_id, c.subject, c.html, c.text,
      coalesce(t.connection_id, (
        select id
        from connections
        where organization_id = ${organizationId} and disconnected_at is null
        order by id
        limit 1
      )) as connection_id
    from topics t
    join organizations o on o.id = t.organization_id
    left join templates p on p.organization_id = t.organization_id and p.id = t.template_id
      and p.status = 'PUBLISHED'
    left join template_versions v on v.organization_id = p.organization_id and v.template_id = p.id
      and v.version = p.version
    left join contents c on c.organization_id = v.organization_id and c.id = v.content_id
    where t.organization_id = ${organizationId} and t.id = any(${[...topicIds]}::uuid[])`
