import type { SmsStatus } from '../../domain/contacts/sms-status.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as statusTimes from '../consent/status-times.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** What callers write of a contact, as it is stored. */
export interface StoredContact {
  id: Uuid
  externalId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  emailStatus: EmailStatus | null
  smsStatus: SmsStatus | null
  preferredChannel: 'email' | 'sms' | null
  properties: Record<string, unknown>
}

/** A contact as it is to be. */
export interface ContactDraft extends StoredContact {
  /** The properties as JSON text, where it was made already. */
  json: string | undefined
  addressChanged: boolean
  /** The person was resubscribed at the address that the contact has now. */
  resubscribed: boolean
}

/** Which contacts: those that have one of the values. */
export interface Keys {
  ids: readonly Uuid[]
  externalIds: readonly string[]
  emails: readonly string[]
  phones: readonly string[]
}

const stored = (sql: Executor) => sql`
    id, external_id, email, phone, first_name, last_name, company, job_title, email_status,
    sms_status, preferred_channel, properties`

/**
 * Whether a contact has one of the keys; undefined when there is nothing to look for. One scan of
 * one table, not a join: see decision 0097.
 */
function having(sql: Executor, { ids, externalIds, emails, phones }: Keys) {
  const parts = [
    ...(ids.length === 0 ? [] : [sql`id = any(${[...ids]}::uuid[])`]),
    ...(externalIds.length === 0 ? [] : [sql`external_id = any(${[...externalIds]}::text[])`]),
    ...(emails.length === 0 ? [] : [sql`email = any(${[...emails]}::text[])`]),
    ...(phones.length === 0 ? [] : [sql`phone = any(${[...phones]}::text[])`]),
  ]
  return parts.length === 0 ? undefined : parts.reduce((list, part) => sql`${list} or ${part}`)
}

/**
 * Returns the contacts that have one of the keys, locked in the order of their ids, as every writer
 * of sets locks them.
 */
export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  keys: Keys,
): Promise<StoredContact[]> {
  const found = having(tx, keys)
  if (found === undefined) return []
  return tx<StoredContact[]>`
    select ${stored(tx)}
    from contacts
    where organization_id = ${organizationId} and (${found})
    order by id
    for update`
}

/** One contact, which the caller has locked; undefined: it is gone. */
export async function read(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<StoredContact | undefined> {
  const [contact] = await tx<StoredContact[]>`
    select ${stored(tx)}
    from contacts
    where organization_id = ${organizationId} and id = ${id}`
  return contact
}

/** Returns the addresses that these contacts have at the moment, without locking them. */
export async function listEmails(
  sql: Executor,
  organizationId: Uuid,
  keys: Keys,
): Promise<string[]> {
  const found = having(sql, keys)
  if (found === undefined) return []
  const rows = await sql<{ email: string }[]>`
    select email
    from contacts
    where organization_id = ${organizationId} and email is not null and (${found})`
  return rows.map(({ email }) => email)
}

/** In one order everywhere, so that two requests wait for each other instead of deadlocking. */
const sortKey = ({ email, phone, externalId }: ContactDraft): string =>
  email ?? phone ?? externalId ?? ''

/** A column for `unnest`, which fills up what is missing with null: most columns are empty. */
function column(
  drafts: readonly ContactDraft[],
  field: Exclude<keyof StoredContact, 'id' | 'properties'>,
): (string | null)[] {
  const values = drafts.map((draft) => draft[field])
  return values.some((value) => value !== null) ? values : []
}

/**
 * Inserts new contacts and returns their ids. One that another request was faster with, or that has
 * a value which another contact has, is left out: no error, so that the transaction lives on.
 */
export async function insert(
  tx: Transaction,
  organizationId: Uuid,
  drafts: readonly ContactDraft[],
): Promise<Set<Uuid>> {
  if (drafts.length === 0) return new Set()
  const fresh = drafts.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  // The join finds no row: the times are those of contacts that had no status before.
  const inserted = await tx<{ id: Uuid }[]>`
    insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
      company, job_title, email_status, sms_status, preferred_channel, properties, resubscribed_at,
      ${statusTimes.emailTimeColumns(tx)}, ${statusTimes.smsTimeColumns(tx)})
    select ${organizationId}, draft.id, draft.external_id, draft.email, draft.phone,
      draft.first_name, draft.last_name, draft.company, draft.job_title, draft.email_status,
      draft.sms_status, draft.preferred_channel, draft.properties::jsonb,
      case when draft.resubscribed::boolean then clock_timestamp() end,
      ${statusTimes.emailTimes(tx)}, ${statusTimes.smsTimes(tx)}
    from unnest(
      ${fresh.map(({ id }) => id)}::uuid[],
      ${column(fresh, 'externalId')}::text[],
      ${column(fresh, 'email')}::text[],
      ${column(fresh, 'phone')}::text[],
      ${column(fresh, 'firstName')}::text[],
      ${column(fresh, 'lastName')}::text[],
      ${column(fresh, 'company')}::text[],
      ${column(fresh, 'jobTitle')}::text[],
      ${column(fresh, 'emailStatus')}::text[],
      ${column(fresh, 'smsStatus')}::text[],
      ${column(fresh, 'preferredChannel')}::text[],
      ${fresh.map(({ properties, json }) => json ?? JSON.stringify(properties))}::text[],
      ${fresh.map(({ resubscribed }) => String(resubscribed))}::text[]
    ) as draft (id, external_id, email, phone, first_name, last_name, company, job_title,
      email_status, sms_status, preferred_channel, properties, resubscribed)
    left join contacts on false
    on conflict do nothing
    returning id`
  return new Set(inserted.map(({ id }) => id))
}

/**
 * Writes whole rows: they are locked and were read under the lock. Raises a unique violation when
 * another contact got one of their external ids, addresses or numbers meanwhile.
 */
export async function update(
  tx: Transaction,
  organizationId: Uuid,
  drafts: readonly ContactDraft[],
): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({
    id: draft.id,
    external_id: draft.externalId,
    email: draft.email,
    phone: draft.phone,
    first_name: draft.firstName,
    last_name: draft.lastName,
    company: draft.company,
    job_title: draft.jobTitle,
    email_status: draft.emailStatus,
    sms_status: draft.smsStatus,
    preferred_channel: draft.preferredChannel,
    properties: draft.properties,
    address_changed: draft.addressChanged,
    resubscribed: draft.resubscribed,
  }))
  await tx`
    update contacts
    set external_id = draft.external_id,
      email = draft.email,
      phone = draft.phone,
      first_name = draft.first_name,
      last_name = draft.last_name,
      company = draft.company,
      job_title = draft.job_title,
      email_status = draft.email_status,
      email_status_changed_at = case
        when draft.address_changed or draft.email_status is distinct from contacts.email_status
        then now() else contacts.email_status_changed_at end,
      sms_status = draft.sms_status,
      preferred_channel = draft.preferred_channel,
      properties = draft.properties,
      email_verified_at = case when not draft.address_changed then contacts.email_verified_at end,
      resubscribed_at = case
        when draft.resubscribed then clock_timestamp()
        when not draft.address_changed then contacts.resubscribed_at end,
      (${statusTimes.emailTimeColumns(tx)}) = row(${statusTimes.emailTimes(tx)}),
      (${statusTimes.smsTimeColumns(tx)}) = row(${statusTimes.smsTimes(tx)}),
      updated_at = greatest(contacts.updated_at, clock_timestamp())
    from jsonb_to_recordset(${tx.json(rows)}) as draft
      (id uuid, external_id text, email text, phone text, first_name text, last_name text,
        company text, job_title text, email_status text, sms_status text, preferred_channel text,
        properties jsonb, address_changed boolean, resubscribed boolean)
    where contacts.organization_id = ${organizationId} and contacts.id = draft.id`
}
