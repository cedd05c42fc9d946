import { MERGE_FIELDS, type MergeValues } from '../../domain/contacts/contact-fields.ts'
import type { SmsStatus } from '../../domain/consent/sms-status.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Executor } from '../db/sql.ts'

/** Finds contacts by their id, by the caller's external id, or by address. */

export async function listPresent(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Set<Uuid>> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** Returns the ids that are contacts of another organization. Called for misses only. */
export async function listForeign(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from unnest(${[...new Set(ids)]}::uuid[]) as id
    where owner_of('contact', id) <> ${organizationId}`
  return new Set(rows.map(({ id }) => id))
}

export interface Keys {
  ids: readonly Uuid[]
  externalIds: readonly string[]
  emails: readonly string[]
}

export interface KnownContact {
  id: Uuid
  externalId: string | null
  email: string | null
}

export async function listByKeys(
  sql: Executor,
  organizationId: Uuid,
  { ids, externalIds, emails }: Keys,
): Promise<KnownContact[]> {
  const parts = [
    sql`id = any(${[...ids]}::uuid[])`,
    ...(externalIds.length === 0 ? [] : [sql`external_id = any(${distinct(externalIds)}::text[])`]),
    ...(emails.length === 0 ? [] : [sql`email = any(${distinct(emails)}::text[])`]),
  ]
  return sql<KnownContact[]>`
    select id, external_id, email
    from contacts
    where organization_id = ${organizationId}
      and (${parts.reduce((list, part) => sql`${list} or ${part}`)})`
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)]

/** Name of a contact in a request: a UUID in any case, otherwise an address in lower case. */
export interface NamedContact {
  id?: string | undefined
  email?: string | undefined
}

/**
 * Finds the named contacts, in the given order. Undefined: the organization has no such contact.
 */
export async function findAll(
  sql: Executor,
  organizationId: Uuid,
  namedContacts: readonly NamedContact[],
): Promise<(Uuid | undefined)[]> {
  const ids = namedContacts.flatMap(({ id }) =>
    id !== undefined && isUuid(id) ? [id.toLowerCase()] : [],
  )
  const emails = namedContacts.flatMap(({ id, email }) => (id === undefined ? (email ?? []) : []))
  const rows = await sql<{ id: Uuid; email: string | null }[]>`
    select id, null as email
    from contacts
    where organization_id = ${organizationId} and id = any(${ids}::uuid[])
    union all
    select id, email
    from contacts
    where organization_id = ${organizationId} and email = any(${emails}::text[])`
  const idsByName = new Map(rows.map(({ id, email }) => [email ?? id, id]))
  return namedContacts.map(({ id, email }) => idsByName.get(id?.toLowerCase() ?? email ?? ''))
}

/** Facts about a contact that a mail to its address may contain. */
export interface MailedContact extends MergeValues {
  id: Uuid
  email: string
}

export const listByEmail = (sql: Executor, organizationId: Uuid, emails: readonly string[]) => sql<
  MailedContact[]
>`
  select id, ${columnsOf(sql, MERGE_FIELDS)}
  from contacts
  where organization_id = ${organizationId} and email = any(${[...new Set(emails)]}::text[])`

export async function findByPhone(
  sql: Executor,
  organizationId: Uuid,
  phone: string,
): Promise<{ id: Uuid; smsStatus: SmsStatus | null } | undefined> {
  const [contact] = await sql<{ id: Uuid; smsStatus: SmsStatus | null }[]>`
    select id, sms_status
    from contacts
    where organization_id = ${organizationId} and phone = ${phone}`
  return contact
}
