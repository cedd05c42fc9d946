import type { EmailStatus } from '../domain/status.ts'
import type { SmsStatus } from '../domain/sms-status.ts'
import type { Uuid } from '../ids.ts'
import type { ContactValues } from './contacts.ts'
import { contactsDeleted } from './execution-exits.ts'
import type { Executor, Json, Transaction } from './sql.ts'
import * as outbox from './outbox.ts'

/** A contact's own columns that callers write. */
export interface ContactColumns {
  externalId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  preferredChannel: 'email' | 'sms' | null
  properties: Record<string, unknown>
  emailStatus: EmailStatus | null
  smsStatus: SmsStatus | null
}

type NewContact = Omit<ContactValues, 'emailStatus' | 'smsStatus'> &
  Pick<ContactColumns, 'emailStatus' | 'smsStatus'> & { isResubscribed: boolean }

const nowIf = (sql: Executor, isSo: boolean) => (isSo ? sql`now()` : sql`null`)

/** False when another contact has its external id, address or number. */
export async function insert(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { emailStatus, smsStatus, isResubscribed, ...values }: NewContact,
): Promise<boolean> {
  const { count } = await sql`
    insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
      company, job_title, email_status, sms_status, preferred_channel, properties,
      email_unsubscribed_at, email_bounced_at, email_complained_at, email_suppressed_at,
      resubscribed_at, sms_consented_at, sms_opted_out_at)
    values (${organizationId}, ${id}, ${values.externalId ?? null}, ${values.email ?? null},
      ${values.phone ?? null}, ${values.firstName ?? null}, ${values.lastName ?? null},
      ${values.company ?? null}, ${values.jobTitle ?? null}, ${emailStatus}, ${smsStatus},
      ${values.preferredChannel ?? null}, ${sql.json((values.properties ?? {}) as Json)},
      ${nowIf(sql, emailStatus === 'unsubscribed')}, ${nowIf(sql, emailStatus === 'bounced')},
      ${nowIf(sql, emailStatus === 'complained')}, ${nowIf(sql, emailStatus === 'suppressed')},
      ${nowIf(sql, isResubscribed)}, ${nowIf(sql, smsStatus === 'opted_in')},
      ${nowIf(sql, smsStatus === 'opted_out')})
    on conflict do nothing`
  return count > 0
}

/** The address a contact has at this moment; undefined: no such contact. */
export async function peekEmail(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<{ email: string | null } | undefined> {
  const [row] = await sql<{ email: string | null }[]>`
    select email
    from contacts
    where organization_id = ${organizationId} and id = ${id}`
  return row
}

/** The contact, which nobody else changes until the transaction ends. */
export async function lockOne(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<ContactColumns | undefined> {
  const [row] = await tx<ContactColumns[]>`
    select external_id, email, phone, first_name, last_name, company, job_title,
      preferred_channel, properties, email_status, sms_status
    from contacts
    where organization_id = ${organizationId} and id = ${id}
    for update`
  return row
}

/**
 * Writes a locked contact whole. Raises a unique violation when another contact has its external
 * id, address or number.
 */
export async function update(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  before: ContactColumns,
  after: ContactColumns & { isResubscribed: boolean },
): Promise<void> {
  const { emailStatus, smsStatus } = after
  const addressChanged = before.email !== after.email
  const numberChanged = before.phone !== after.phone
  const reached = (status: EmailStatus, column: string) =>
    emailStatus === status && before.emailStatus !== status ? sql`now()` : sql`${sql(column)}`
  const smsReached = (status: SmsStatus, column: string) => {
    if (smsStatus === status && (numberChanged || before.smsStatus !== status)) return sql`now()`
    // Whoever had the old number said it.
    return numberChanged ? sql`null` : sql`${sql(column)}`
  }
  await sql`
    update contacts
    set external_id = ${after.externalId},
      email = ${after.email},
      phone = ${after.phone},
      first_name = ${after.firstName},
      last_name = ${after.lastName},
      company = ${after.company},
      job_title = ${after.jobTitle},
      preferred_channel = ${after.preferredChannel},
      properties = ${sql.json(after.properties as Json)},
      email_status = ${emailStatus},
      email_status_changed_at = ${addressChanged || emailStatus !== before.emailStatus ? sql`now()` : sql`email_status_changed_at`},
      email_verified_at = ${addressChanged ? sql`null` : sql`email_verified_at`},
      email_unsubscribed_at = ${reached('unsubscribed', 'email_unsubscribed_at')},
      email_bounced_at = ${reached('bounced', 'email_bounced_at')},
      email_complained_at = ${reached('complained', 'email_complained_at')},
      email_suppressed_at = ${reached('suppressed', 'email_suppressed_at')},
      resubscribed_at = ${after.isResubscribed ? sql`now()` : addressChanged ? sql`null` : sql`resubscribed_at`},
      sms_status = ${smsStatus},
      sms_consented_at = ${smsReached('opted_in', 'sms_consented_at')},
      sms_opted_out_at = ${smsReached('opted_out', 'sms_opted_out_at')},
      updated_at = greatest(updated_at, now())
    where organization_id = ${organizationId} and id = ${id}`
}

/**
 * Deletes contacts with all that hangs on them; answers how many there were. The suppression list
 * keeps their addresses, confirmations that were awaited are awaited no more, and what runs for
 * them is cancelled.
 */
export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
  requestId: string | undefined,
): Promise<number> {
  await tx`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    order by id
    for update`
  await contactsDeleted(tx, organizationId, ids, requestId)
  const pending = await tx<{ contactId: Uuid; topicId: Uuid; generation: number }[]>`
    select contact_id, topic_id, generation
    from subscriptions
    where organization_id = ${organizationId}
      and contact_id = any(${[...ids]}::uuid[])
      and status = 'pending'
      and cohort is null
    order by contact_id, topic_id`
  await outbox.putAll(
    tx,
    organizationId,
    pending.map((payload) => ({ kind: 'end_confirmation' as const, payload })),
    requestId,
  )
  const { count } = await tx`
    delete from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return count
}
