import type { EmailStatus } from '../domain/status.ts'
import type { Uuid } from '../ids.ts'
import type { Draft, Existing } from './contact-upsert-plan.ts'
import type { UpsertRow } from './contact-upserts.ts'
import type { UniqueField } from './contacts.ts'
import type { Executor, Json } from './sql.ts'

/**
 * Everyone who has a key of ours, locked in the order of their ids, as every writer of sets does.
 */
export async function lockExisting(
  sql: Executor,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
): Promise<Existing[]> {
  const having = (field: UniqueField, column: string) => {
    const given = rows.flatMap(({ values }) => values[field] ?? [])
    if (given.length === 0) return []
    return sql`
      select id
      from contacts
      where organization_id = ${organizationId} and ${sql(column)} = any(${given}::text[])`
  }
  const found = [
    having('externalId', 'external_id'),
    having('email', 'email'),
    having('phone', 'phone'),
  ].flat()
  if (found.length === 0) return []
  return sql<Existing[]>`
    select id, external_id, email, phone, first_name, last_name, company, job_title, email_status,
      sms_status, preferred_channel, properties
    from contacts
    where organization_id = ${organizationId}
      and id in (${found.map((part, i) => (i === 0 ? part : sql`union ${part}`))})
    order by id
    for update`
}

/** In one order everywhere, so that two requests wait for each other instead of deadlocking. */
const sortKey = ({ email, phone, externalId }: Draft): string => email ?? phone ?? externalId ?? ''

/** A column for `unnest`, which fills up what is missing with null: most columns are empty. */
function column(
  drafts: readonly Draft[],
  field: Exclude<keyof Existing, 'id' | 'properties'>,
): (string | null)[] {
  const values = drafts.map((draft) => draft[field])
  return values.some((value) => value !== null) ? values : []
}

/** Inserts the new ones; answers the ids of those that another request was faster with. */
export async function insertNew(
  sql: Executor,
  organizationId: Uuid,
  drafts: ReadonlySet<Draft>,
): Promise<Set<Uuid>> {
  const fresh = [...drafts]
    .filter(({ isNew }) => isNew)
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  if (fresh.length === 0) return new Set()
  const inserted = await sql<{ id: Uuid }[]>`
    insert into contacts (organization_id, id, external_id, email, phone, first_name, last_name,
      company, job_title, email_status, sms_status, preferred_channel, properties,
      email_unsubscribed_at, email_bounced_at, email_complained_at, email_suppressed_at,
      resubscribed_at, sms_consented_at, sms_opted_out_at)
    select ${organizationId}, id, external_id, email, phone, first_name, last_name, company,
      job_title, email_status, sms_status, preferred_channel, properties::jsonb,
      case email_status when 'unsubscribed' then now() end,
      case email_status when 'bounced' then now() end,
      case email_status when 'complained' then now() end,
      case email_status when 'suppressed' then now() end,
      case when resubscribed::boolean then clock_timestamp() end,
      case sms_status when 'opted_in' then now() end,
      case sms_status when 'opted_out' then now() end
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
      ${fresh.map(({ properties }) => JSON.stringify(properties))}::text[],
      ${fresh.map(({ resubscribed }) => String(resubscribed))}::text[]
    ) as draft (id, external_id, email, phone, first_name, last_name, company, job_title,
      email_status, sms_status, preferred_channel, properties, resubscribed)
    on conflict do nothing
    returning id`
  const made = new Set(inserted.map(({ id }) => id))
  return new Set(fresh.map(({ id }) => id).filter((id) => !made.has(id)))
}

/** The rows are locked and were read under the lock, so whole rows can be written. */
export async function updateExisting(
  sql: Executor,
  organizationId: Uuid,
  drafts: ReadonlySet<Draft>,
): Promise<void> {
  const changed = [...drafts].filter(({ isNew }) => !isNew)
  if (changed.length === 0) return
  const reached = (status: EmailStatus, column: string) => sql`case
    when draft."emailStatus" = ${status} and contacts.email_status is distinct from ${status}
    then now() else contacts.${sql(column)} end`
  const saidOfSms = (status: string, column: string) => sql`case
    when draft."smsStatus" = ${status}
      and (contacts.sms_status is distinct from ${status} or draft.phone is distinct from contacts.phone)
    then now()
    when draft.phone is not distinct from contacts.phone then contacts.${sql(column)} end`
  await sql`
    update contacts
    set external_id = draft."externalId",
      email = draft.email,
      phone = draft.phone,
      first_name = draft."firstName",
      last_name = draft."lastName",
      company = draft.company,
      job_title = draft."jobTitle",
      email_status = draft."emailStatus",
      email_status_changed_at = case
        when draft."addressChanged" or draft."emailStatus" is distinct from contacts.email_status
        then now() else contacts.email_status_changed_at end,
      sms_status = draft."smsStatus",
      preferred_channel = draft."preferredChannel",
      properties = draft.properties,
      email_verified_at = case
        when not draft."addressChanged" then contacts.email_verified_at end,
      resubscribed_at = case
        when draft.resubscribed then clock_timestamp()
        when not draft."addressChanged" then contacts.resubscribed_at end,
      email_unsubscribed_at = ${reached('unsubscribed', 'email_unsubscribed_at')},
      email_bounced_at = ${reached('bounced', 'email_bounced_at')},
      email_complained_at = ${reached('complained', 'email_complained_at')},
      email_suppressed_at = ${reached('suppressed', 'email_suppressed_at')},
      sms_consented_at = ${saidOfSms('opted_in', 'sms_consented_at')},
      sms_opted_out_at = ${saidOfSms('opted_out', 'sms_opted_out_at')},
      updated_at = greatest(contacts.updated_at, now())
    from jsonb_to_recordset(${sql.json(changed as unknown as Json)}) as draft
      (id uuid, "externalId" text, email text, phone text, "firstName" text, "lastName" text,
        company text, "jobTitle" text, "emailStatus" text, "smsStatus" text,
        "preferredChannel" text, properties jsonb, "addressChanged" boolean, resubscribed boolean)
    where contacts.organization_id = ${organizationId} and contacts.id = draft.id`
}
