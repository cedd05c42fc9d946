import type { SmsStatus } from '../../domain/consent/sms-status.ts'
import { EMAIL_STATUSES, type EmailStatus } from '../../domain/status.ts'
import { span, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import { emailTimeColumns, emailTimes, smsTimeColumns, smsTimes } from './status-times.ts'

export interface ContactStatus {
  email: string | null
  emailStatus: EmailStatus | null
  phone: string | null
  smsStatus: SmsStatus | null
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<ContactStatus | undefined> {
  const [contact] = await sql<ContactStatus[]>`
    select email, email_status, phone, sms_status
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  return contact
}

export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<ContactStatus | undefined> {
  const [contact] = await tx<ContactStatus[]>`
    select email, email_status, phone, sms_status
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for no key update`
  return contact
}

/** Locks contacts in the order of their ids. Returns those that exist. */
export async function lockAll(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Uuid[]> {
  const locked = await tx<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...contactIds]}::uuid[])
    order by id
    for no key update`
  return locked.map(({ id }) => id)
}

export interface Holder {
  id: Uuid
  email: string
  emailStatus: EmailStatus | null
  resubscribedAt: string | null
}

/**
 * Locks the contacts that have these addresses, each of its organization, in the order of their
 * keys. The returned function finds one by its address.
 */
export async function lockHolders(
  tx: Transaction,
  addresses: readonly { organizationId: Uuid; email: string }[],
): Promise<(organizationId: Uuid, email: string) => Holder | undefined> {
  if (addresses.length === 0) return () => undefined
  // One look-up and one lock each: a young table has no statistics, and a join could read it all.
  const rows = await tx<(Holder & { organizationId: Uuid })[]>`
    select held.*
    from (
      select wanted.organization_id, (
        select c.id
        from contacts c
        where c.organization_id = wanted.organization_id and c.email = wanted.email
      ) as id
      from unnest(
        ${addresses.map(({ organizationId }) => organizationId)}::uuid[],
        ${addresses.map(({ email }) => email)}::text[]
      ) as wanted (organization_id, email)
      order by 1, 2
    ) found
    cross join lateral (
      select organization_id, id, email, email_status, resubscribed_at
      from contacts
      where organization_id = found.organization_id and id = found.id
      for no key update
    ) held`
  const holders = new Map(
    rows.map((holder) => [`${holder.organizationId} ${holder.email}`, holder]),
  )
  return (organizationId, email) => holders.get(`${organizationId} ${email}`)
}

export interface PhoneHolder {
  id: Uuid
  phone: string
  smsStatus: SmsStatus
}

/** Locks the contacts that have these numbers, in the same way. */
export async function lockPhoneHolders(
  tx: Transaction,
  phones: readonly { organizationId: Uuid; phone: string }[],
): Promise<(organizationId: Uuid, phone: string) => PhoneHolder | undefined> {
  if (phones.length === 0) return () => undefined
  const rows = await tx<(PhoneHolder & { organizationId: Uuid })[]>`
    select held.*
    from (
      select wanted.organization_id, (
        select c.id
        from contacts c
        where c.organization_id = wanted.organization_id and c.phone = wanted.phone
      ) as id
      from unnest(
        ${phones.map(({ organizationId }) => organizationId)}::uuid[],
        ${phones.map(({ phone }) => phone)}::text[]
      ) as wanted (organization_id, phone)
      order by 1, 2
    ) found
    cross join lateral (
      select organization_id, id, phone, coalesce(sms_status, 'pending_consent') as sms_status
      from contacts
      where organization_id = found.organization_id and id = found.id
      for no key update
    ) held`
  const holders = new Map(rows.map((held) => [`${held.organizationId} ${held.phone}`, held]))
  return (organizationId, phone) => holders.get(`${organizationId} ${phone}`)
}

/** Writes statuses of text messages into locked contacts. */
export async function writeSmsStatuses(
  tx: Transaction,
  changed: readonly { organizationId: Uuid; contactId: Uuid; phone: string; status: SmsStatus }[],
): Promise<void> {
  if (changed.length === 0) return
  await tx`
    update contacts
    set sms_status = draft.sms_status,
      (${smsTimeColumns(tx)}) = row(${smsTimes(tx)}),
      updated_at = greatest(contacts.updated_at, clock_timestamp())
    from unnest(
      ${changed.map(({ organizationId }) => organizationId)}::uuid[],
      ${changed.map(({ contactId }) => contactId)}::uuid[],
      ${changed.map(({ phone }) => phone)}::text[],
      ${changed.map(({ status }) => status)}::text[]
    ) as draft (organization_id, id, phone, sms_status)
    where contacts.organization_id = draft.organization_id and contacts.id = draft.id`
}

const STATUSES = [...EMAIL_STATUSES]

/** Writes statuses into locked contacts, never a better one than the present. */
export async function worsen(
  tx: Transaction,
  changed: readonly { organizationId: Uuid; contactId: Uuid; status: EmailStatus }[],
): Promise<void> {
  if (changed.length === 0) return
  const [first, last] = span(changed.map(({ contactId }) => contactId))
  await tx`
    update contacts
    set email_status = draft.email_status,
      email_status_changed_at = now(),
      (${emailTimeColumns(tx)}) = row(${emailTimes(tx)}),
      updated_at = greatest(contacts.updated_at, now())
    from unnest(
      ${changed.map(({ organizationId }) => organizationId)}::uuid[],
      ${changed.map(({ contactId }) => contactId)}::uuid[],
      ${changed.map(({ status }) => status)}::text[]
    ) as draft (organization_id, id, email_status)
    where contacts.organization_id = draft.organization_id
      and contacts.id between ${first} and ${last}
      and contacts.id = draft.id
      and array_position(${STATUSES}::text[], draft.email_status)
        > array_position(${STATUSES}::text[], coalesce(contacts.email_status, 'active'))`
}

export async function recordOptOuts(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<void> {
  if (contactIds.length === 0) return
  const [first, last] = span(contactIds)
  await tx`
    update contacts
    set email_opted_out_at = clock_timestamp(),
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id between ${first} and ${last}
      and id = any(${[...contactIds]}::uuid[])`
}

/** Records that the person proved the address to be theirs. The first proof counts. */
export const markVerified = (tx: Transaction, organizationId: Uuid, contactId: Uuid) => tx`
  update contacts
  set email_verified_at = coalesce(email_verified_at, clock_timestamp()),
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and id = ${contactId}`

/** Makes an unsubscribed contact active. False, without any change, for other statuses. */
export async function resubscribe(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<boolean> {
  const { count } = await tx`
    update contacts
    set email_status = 'active',
      email_status_changed_at = clock_timestamp(),
      resubscribed_at = clock_timestamp(),
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${contactId}
      and email_status = 'unsubscribed'`
  return count > 0
}

/**
 * Searches the next `limit` contacts after an id for an address with this hash: first 16 bytes of
 * SHA-256(organization id, address). `last` is null if there were no more contacts.
 */
export async function findEmailByHash(
  sql: Executor,
  organizationId: Uuid,
  { hash, after, limit }: { hash: Buffer; after: Uuid; limit: number },
): Promise<{ email: string | null; last: Uuid | null }> {
  const [page] = await sql<{ email: string | null; last: Uuid | null }[]>`
    with page as materialized (
      select id, email
      from contacts
      where organization_id = ${organizationId} and id > ${after}
      order by id
      limit ${limit}
    )
    select (
        select email
        from page
        where email is not null
          and substring(sha256(convert_to(${organizationId} || email, 'UTF8')) for 16) = ${hash}
      ) as email,
      (select id from page order by id desc limit 1) as last`
  return page ?? { email: null, last: null }
}
