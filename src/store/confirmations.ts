import type { Uuid } from '../ids.ts'
import * as consentEvents from './consent-events.ts'
import { topicsLeft } from './execution-exits.ts'
import type { ConfirmationKey } from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'

/** The confirmations of one workflow: a single one, or those that a page of an import asks for. */
export type Which = ConfirmationKey | { cohort: Uuid }

/** A confirmation that is awaited, with its contact as a mail may speak of them. */
export interface Awaited extends ConfirmationKey {
  email: string | null
  emailStatus: string | null
  externalId: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  properties: Record<string, unknown>
}

/**
 * Up to `limit` contacts' confirmations that are awaited and have had fewer than `mail` mails, with
 * the contacts locked: until the transaction ends nobody confirms, leaves or changes an address.
 * `more`: there may be others, also where none of these is awaited any more.
 */
export async function takeUnmailed(
  tx: Transaction,
  organizationId: Uuid,
  which: Which,
  { mail, limit }: { mail: number; limit: number },
): Promise<{ awaited: Awaited[]; more: boolean }> {
  const open = tx`${isAwaited(tx, organizationId, which)} and s.mails < ${mail}`
  const { contactIds, more } = await lockContacts(tx, organizationId, open, limit)
  if (contactIds.length === 0) return { awaited: [], more }
  const awaited = await tx<Awaited[]>`
    select s.contact_id, s.topic_id, s.generation, c.email, c.email_status, c.external_id, c.phone,
      c.first_name, c.last_name, c.company, c.job_title, c.properties
    from subscriptions s
    join contacts c on c.organization_id = s.organization_id and c.id = s.contact_id
    where ${open} and s.contact_id = any(${contactIds}::uuid[])
    order by s.contact_id, s.topic_id`
  return { awaited, more }
}

/** What a decided mail is: its row in the ledger, or null when it must not be sent. */
export interface Decided extends ConfirmationKey {
  mailId: Uuid | null
}

/**
 * Notes that the `mail`-th mail of each was decided, in the transaction that puts it into the
 * outlet: whoever repeats the step finds nothing left to decide.
 */
export const noteMails = (
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

/** Whether any of them is still awaited. */
export async function anyAwaited(
  sql: Executor,
  organizationId: Uuid,
  which: Which,
): Promise<boolean> {
  const rows = await sql`
    select
    from subscriptions s
    where ${isAwaited(sql, organizationId, which)}
    limit 1`
  return rows.length > 0
}

/**
 * Gives up on those of up to `limit` contacts that are still awaited: `unsubscribed`, on record.
 * `more`: there may be others.
 */
export async function expire(
  tx: Transaction,
  organizationId: Uuid,
  which: Which,
  limit: number,
): Promise<{ more: boolean }> {
  const open = isAwaited(tx, organizationId, which)
  const { contactIds, more } = await lockContacts(tx, organizationId, open, limit)
  if (contactIds.length === 0) return { more }
  const expired = await tx<{ contactId: Uuid; topicId: Uuid }[]>`
    update subscriptions s
    set status = 'unsubscribed',
      generation = s.generation + 1,
      cohort = null,
      updated_at = greatest(s.updated_at, clock_timestamp())
    where ${open} and s.contact_id = any(${contactIds}::uuid[])
    returning s.contact_id, s.topic_id`
  // Who was subscribed, got another address and did not confirm it: what that had started is over.
  await topicsLeft(tx, organizationId, expired, undefined)
  const happened = consentEvents.ofTopics(expired, 'expired', 'expiry')
  await consentEvents.record(tx, organizationId, happened, undefined)
  return { more }
}

const isAwaited = (sql: Executor, organizationId: Uuid, which: Which) => sql`
  s.organization_id = ${organizationId} and s.status = 'pending' and ${
    'cohort' in which
      ? sql`s.cohort = ${which.cohort}`
      : sql`s.contact_id = ${which.contactId} and s.topic_id = ${which.topicId}
          and s.generation = ${which.generation}`
  }`

/**
 * Locks the contacts of some subscriptions in the order of their ids. Whoever asks reads the
 * subscriptions again in a statement of its own: what it sees is as new as the lock. `more` goes by
 * who was found, not by who is left: somebody may leave while we wait for their lock.
 */
async function lockContacts(
  tx: Transaction,
  organizationId: Uuid,
  condition: ReturnType<typeof isAwaited>,
  limit: number,
): Promise<{ contactIds: Uuid[]; more: boolean }> {
  const found = await tx<{ contactId: Uuid }[]>`
    select distinct s.contact_id
    from subscriptions s
    where ${condition}
    order by s.contact_id
    limit ${limit}`
  if (found.length === 0) return { contactIds: [], more: false }
  const locked = await tx<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId}
      and id = any(${found.map(({ contactId }) => contactId)}::uuid[])
    order by id
    for no key update`
  return { contactIds: locked.map(({ id }) => id), more: found.length >= limit }
}

/** A topic as its confirmation mail needs it. */
export interface Asking {
  topicId: Uuid
  topicName: string
  organizationName: string
  from: string | null
  fromName: string | null
  connectionId: Uuid | null
  templateId: Uuid | null
  /** Of the template's newest version; null without a published one. */
  subject: string | null
  html: string | null
  text: string | null
}

/** Without an account of its own a topic uses the organization's first. */
export const listAsking = (sql: Executor, organizationId: Uuid, topicIds: readonly Uuid[]) =>
  sql<Asking[]>`
    select t.id as topic_id, t.name as topic_name, o.name as organization_name,
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
