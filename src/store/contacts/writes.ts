import {
  CONTACT_FIELD_NAMES,
  type ContactValues,
  PLAIN_FIELDS,
  STATUS_FIELDS,
} from '../../domain/contacts/contact-fields.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import * as statusTimes from '../consent/status-times.ts'
import { columnName, type Executor, type Transaction } from '../db/sql.ts'

/** The fields of a contact that callers write, in stored form. */
export interface StoredContact extends ContactValues {
  id: Uuid
}

export interface ContactDraft extends StoredContact {
  /** The properties as JSON text, if already serialized. */
  json: string | undefined
  addressChanged: boolean
  resubscribed: boolean
}

export interface Keys {
  ids: readonly Uuid[]
  externalIds: readonly string[]
  emails: readonly string[]
  phones: readonly string[]
}

/**
 * Selects contacts with one of the keys. Undefined: there is no key. One scan of one table, not a
 * join: see decision 0097.
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
 * Returns the contacts with one of the keys, locked in the order of their ids like in every writer
 * of sets.
 */
export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  keys: Keys,
): Promise<StoredContact[]> {
  const condition = having(tx, keys)
  if (condition === undefined) return []
  return tx<StoredContact[]>`
    select id, ${columnsOf(tx, CONTACT_FIELD_NAMES)}
    from contacts
    where organization_id = ${organizationId} and (${condition})
    order by id
    for update`
}

export async function read(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<StoredContact | undefined> {
  const [contact] = await tx<StoredContact[]>`
    select id, ${columnsOf(tx, CONTACT_FIELD_NAMES)}
    from contacts
    where organization_id = ${organizationId} and id = ${id}`
  return contact
}

/** Returns the addresses and numbers that these contacts have, without locking them. */
export async function listAddresses(
  sql: Executor,
  organizationId: Uuid,
  keys: Keys,
): Promise<Pick<StoredContact, 'email' | 'phone'>[]> {
  const condition = having(sql, keys)
  if (condition === undefined) return []
  return sql<Pick<StoredContact, 'email' | 'phone'>[]>`
    select email, phone
    from contacts
    where organization_id = ${organizationId} and (${condition})`
}

/**
 * Sorts contacts in the same order everywhere, so that two requests wait for each other instead of
 * deadlocking.
 */
const sortKey = ({ email, phone, externalId }: ContactDraft): string =>
  email ?? phone ?? externalId ?? ''

/** Fields with text columns: all but `properties`. */
const TEXT_COLUMNS = [...PLAIN_FIELDS, ...STATUS_FIELDS]
const COLUMN_NAMES = CONTACT_FIELD_NAMES.map((field) => [field, columnName(field)] as const)

/**
 * Returns the text columns of the drafts for `unnest`, which fills missing values with null. Most
 * columns are empty.
 */
const textColumns = (sql: Executor, drafts: readonly ContactDraft[]) =>
  TEXT_COLUMNS.map((field) => {
    const values = drafts.map((draft) => draft[field])
    return sql`${values.some((value) => value !== null) ? values : []}::text[],`
  })

/**
 * Inserts new contacts and returns their ids. A contact that another request inserted first, or
 * with a value of another contact, is left out without an error, so that the transaction can go on.
 */
export async function insert(
  tx: Transaction,
  organizationId: Uuid,
  drafts: readonly ContactDraft[],
): Promise<Set<Uuid>> {
  if (drafts.length === 0) return new Set()
  const newDrafts = drafts.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  // The join finds no row: the times are those of contacts that had no status before.
  const inserted = await tx<{ id: Uuid }[]>`
    insert into contacts (organization_id, id, ${columnsOf(tx, TEXT_COLUMNS)}, properties,
      resubscribed_at, ${statusTimes.emailTimeColumns(tx)}, ${statusTimes.smsTimeColumns(tx)})
    select ${organizationId}, draft.id, ${columnsOf(tx, TEXT_COLUMNS, 'draft')},
      draft.properties::jsonb,
      case when draft.resubscribed::boolean then clock_timestamp() end,
      ${statusTimes.emailTimes(tx)}, ${statusTimes.smsTimes(tx)}
    from unnest(
      ${newDrafts.map(({ id }) => id)}::uuid[],
      ${textColumns(tx, newDrafts)}
      ${newDrafts.map(({ properties, json }) => json ?? JSON.stringify(properties))}::text[],
      ${newDrafts.map(({ resubscribed }) => String(resubscribed))}::text[]
    ) as draft (id, ${columnsOf(tx, TEXT_COLUMNS)}, properties, resubscribed)
    left join contacts on false
    on conflict do nothing
    returning id`
  return new Set(inserted.map(({ id }) => id))
}

/**
 * Writes whole rows, which are locked and were read under the lock. Raises a unique violation if
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
    address_changed: draft.addressChanged,
    resubscribed: draft.resubscribed,
    ...Object.fromEntries(COLUMN_NAMES.map(([field, column]) => [column, draft[field]])),
  }))
  await tx`
    update contacts
    set ${CONTACT_FIELD_NAMES.map((field) => tx`${tx(field)} = ${tx(`draft.${field}`)},`)}
      email_status_changed_at = case
        when draft.address_changed or draft.email_status is distinct from contacts.email_status
        then now() else contacts.email_status_changed_at end,
      email_verified_at = case when not draft.address_changed then contacts.email_verified_at end,
      resubscribed_at = case
        when draft.resubscribed then clock_timestamp()
        when not draft.address_changed then contacts.resubscribed_at end,
      (${statusTimes.emailTimeColumns(tx)}) = row(${statusTimes.emailTimes(tx)}),
      (${statusTimes.smsTimeColumns(tx)}) = row(${statusTimes.smsTimes(tx)}),
      updated_at = greatest(contacts.updated_at, clock_timestamp())
    from jsonb_to_recordset(${tx.json(rows)}) as draft
      (id uuid, ${TEXT_COLUMNS.map((field) => tx`${tx(field)} text,`)} properties jsonb,
        address_changed boolean, resubscribed boolean)
    where contacts.organization_id = ${organizationId} and contacts.id = draft.id`
}
