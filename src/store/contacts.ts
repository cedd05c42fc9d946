import type { EmailStatus } from '../domain/status.ts'
import type { Uuid } from '../ids.ts'
import type { Contact } from '../schemas/contact.ts'
import { containing } from './like.ts'
import type { Executor, Json } from './sql.ts'

/**
 * What a caller may say of a contact, normalised: unique values are compared as they stand here.
 */
export interface ContactValues {
  externalId?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  company?: string | undefined
  jobTitle?: string | undefined
  emailStatus?: EmailStatus | undefined
  smsStatus?: Contact['smsStatus'] | undefined
  preferredChannel?: 'email' | 'sms' | undefined
  properties?: Record<string, unknown> | undefined
}

/** The fields that no two contacts of an organization share. */
export type UniqueField = 'externalId' | 'email' | 'phone'

const own = (sql: Executor) => sql`
  contacts.id, external_id, email, phone, first_name, last_name, company, job_title, email_status,
  sms_status, preferred_channel, properties, contacts.created_at, contacts.updated_at`

const stats = (sql: Executor) => sql`
  coalesce(emails_sent, 0) as emails_sent, coalesce(emails_opened, 0) as emails_opened,
  coalesce(emails_clicked, 0) as emails_clicked, coalesce(sms_sent, 0) as sms_sent,
  coalesce(sms_clicked, 0) as sms_clicked`

const withStats = (sql: Executor) => sql`
  contacts
  left join contact_stats on contact_stats.organization_id = contacts.organization_id
    and contact_stats.contact_id = contacts.id`

/** When each status was reached, for a new contact that begins with it. */
const reachedAt = (sql: Executor, status: EmailStatus | null, reached: EmailStatus) =>
  status === reached ? sql`now()` : sql`null`

/**
 * Makes a contact; undefined when another one has its external id, address or number. A conflict is
 * no error here, so that the transaction it happens in lives on.
 */
export async function create(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  values: ContactValues,
): Promise<Contact | undefined> {
  const { email, phone } = values
  const emailStatus = values.emailStatus ?? (email === undefined ? null : 'active')
  const smsStatus = values.smsStatus ?? (phone === undefined ? null : 'pending_consent')
  const [created] = await sql<Contact[]>`
    insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
      company, job_title, email_status, sms_status, preferred_channel, properties,
      email_unsubscribed_at, email_bounced_at, email_complained_at, email_suppressed_at)
    values (${organizationId}, ${id}, ${values.externalId ?? null}, ${email ?? null},
      ${phone ?? null}, ${values.firstName ?? null}, ${values.lastName ?? null},
      ${values.company ?? null}, ${values.jobTitle ?? null}, ${emailStatus}, ${smsStatus},
      ${values.preferredChannel ?? null}, ${sql.json((values.properties ?? {}) as Json)},
      ${reachedAt(sql, emailStatus, 'unsubscribed')}, ${reachedAt(sql, emailStatus, 'bounced')},
      ${reachedAt(sql, emailStatus, 'complained')}, ${reachedAt(sql, emailStatus, 'suppressed')})
    on conflict do nothing
    returning ${own(sql)}, 0 as emails_sent, 0 as emails_opened, 0 as emails_clicked,
      0 as sms_sent, 0 as sms_clicked`
  return created
}

/** Which contact has one of these values already, and which value. */
export async function findTaken(
  sql: Executor,
  organizationId: Uuid,
  { externalId, email, phone }: ContactValues,
): Promise<{ id: Uuid; field: UniqueField } | undefined> {
  const [taken] = await sql<{ id: Uuid; field: UniqueField }[]>`
    select id, 'externalId' as field, 1 as rank
    from contacts
    where organization_id = ${organizationId} and external_id = ${externalId ?? null}
    union all
    select id, 'email', 2
    from contacts
    where organization_id = ${organizationId} and email = ${email ?? null}
    union all
    select id, 'phone', 3
    from contacts
    where organization_id = ${organizationId} and phone = ${phone ?? null}
    order by rank
    limit 1`
  return taken
}

export type ContactKey = { id: Uuid } | { externalId: string } | { email: string }

export async function find(
  sql: Executor,
  organizationId: Uuid,
  key: ContactKey,
): Promise<Contact | undefined> {
  const [contact] = await sql<Contact[]>`
    select ${own(sql)}, ${stats(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId} and ${matches(sql, key)}`
  return contact
}

function matches(sql: Executor, key: ContactKey) {
  if ('id' in key) return sql`contacts.id = ${key.id}`
  if ('email' in key) return sql`email = ${key.email}`
  return sql`external_id = ${key.externalId}`
}

export interface ContactFilters {
  emailStatus?: string | undefined
  smsStatus?: string | undefined
  preferredChannel?: string | undefined
  search?: string | undefined
  createdAfter?: string | undefined
  updatedAfter?: string | undefined
}

const filtered = (sql: Executor, organizationId: Uuid, filters: ContactFilters) => {
  const { emailStatus, smsStatus, preferredChannel, search, createdAfter, updatedAfter } = filters
  const part = search === undefined || search === '' ? undefined : containing(search)
  return sql`
    contacts.organization_id = ${organizationId}
    ${emailStatus === undefined ? sql`` : sql`and email_status = ${emailStatus}`}
    ${smsStatus === undefined ? sql`` : sql`and sms_status = ${smsStatus}`}
    ${preferredChannel === undefined ? sql`` : sql`and preferred_channel = ${preferredChannel}`}
    ${part === undefined ? sql`` : sql`and (email ilike ${part} or phone ilike ${part})`}
    ${createdAfter === undefined ? sql`` : sql`and created_at > ${createdAfter}`}
    ${updatedAfter === undefined ? sql`` : sql`and contacts.updated_at > ${updatedAfter}`}`
}

export interface ContactPage extends ContactFilters {
  limit: number
  offset?: number | undefined
  /** Only contacts made before this one. */
  before?: Uuid | undefined
}

/** Newest first. */
export const list = (sql: Executor, organizationId: Uuid, page: ContactPage) => sql<Contact[]>`
  select ${own(sql)}, ${stats(sql)}
  from ${withStats(sql)}
  where ${filtered(sql, organizationId, page)}
    ${page.before === undefined ? sql`` : sql`and contacts.id < ${page.before}`}
  order by contacts.id desc
  limit ${page.limit}
  offset ${page.offset ?? 0}`

/**
 * How many there are, counted up to `most`: a count of millions on every page would cost more than
 * it.
 */
export async function count(
  sql: Executor,
  organizationId: Uuid,
  filters: ContactFilters,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select 1
      from contacts
      where ${filtered(sql, organizationId, filters)}
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}

/** How many could be mailed now, counted up to `most`. */
export async function countMailable(
  sql: Executor,
  organizationId: Uuid,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select 1
      from contacts
      where organization_id = ${organizationId}
        and email_status = 'active'
        and email is not null
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}

/** Those of `ids` that are contacts of the organization. */
export async function listExisting(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Uuid[]> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return rows.map(({ id }) => id)
}
