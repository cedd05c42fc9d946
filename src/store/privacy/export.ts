import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Addressed } from '../../domain/address.ts'
import { CONTACT_FIELD_NAMES } from '../../domain/contacts/contact-fields.ts'
import { withDeadLinksIn } from '../../domain/mails/dead-links.ts'
import { type Mailed, type MailKey, wayByAddress, waysByContact } from './erased-mails.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Executor } from '../db/sql.ts'

type Fields = Record<string, unknown>

export async function contact(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Fields | undefined> {
  const [contactFields] = await sql<Fields[]>`
    select id, ${columnsOf(sql, CONTACT_FIELD_NAMES)}, email_status_changed_at,
      email_unsubscribed_at, email_bounced_at, email_complained_at, email_suppressed_at, created_at,
      updated_at, email_verified_at, email_opted_out_at, resubscribed_at, sms_consented_at,
      sms_opted_out_at
    from contacts
    where organization_id = ${organizationId} and id = ${id}`
  return contactFields
}

export async function stats(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<Fields | null> {
  const [statistics] = await sql<Fields[]>`
    select emails_sent, emails_opened, emails_clicked, sms_sent, sms_clicked, last_email_sent_at,
      last_email_opened_at, last_email_clicked_at, last_activity_at
    from contact_stats
    where organization_id = ${organizationId} and contact_id = ${contactId}`
  return statistics ?? null
}

export const topics = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<Fields[]>`
  select s.topic_id, t.name as topic_name, s.status, s.requested_at, s.mailed_at, s.subscribed_at,
    s.confirmed_at, s.opted_out_at, s.created_at, s.updated_at
  from subscriptions s
  join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
  where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
  order by s.topic_id`

export async function suppression(
  sql: Executor,
  organizationId: Uuid,
  { keys }: Addressed,
): Promise<Fields | null> {
  const [entry] = await sql<Fields[]>`
    select reason, source, address, created_at, updated_at
    from suppressions
    where organization_id = ${organizationId}
      and address_key in (
        select decode(key, 'hex') from unnest(${keys.map(({ key }) => key)}::text[]) as key
      )
    order by created_at
    limit 1`
  return entry ?? null
}

export async function phoneConsent(
  sql: Executor,
  organizationId: Uuid,
  { keys }: Addressed,
): Promise<Fields | null> {
  const [entry] = await sql<Fields[]>`
    select reason, stopped_at, started_at, invalid_at, source, address, created_at, updated_at
    from phone_consents
    where organization_id = ${organizationId}
      and address_key in (
        select decode(key, 'hex') from unnest(${keys.map(({ key }) => key)}::text[]) as key
      )
    order by created_at
    limit 1`
  return entry ?? null
}

/** Rows of one page. Contents of mails may be large and are read one by one. */
const PAGE = 500
const MAILS = 100

export async function* consentEvents(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): AsyncGenerator<Fields> {
  yield* pages(
    PAGE,
    (after) => sql<(Fields & { id: Uuid })[]>`
    select id, kind, topic_id, source, created_at
    from consent_events
    where organization_id = ${organizationId} and contact_id = ${contactId}
      ${after === undefined ? sql`` : sql`and id > ${after}`}
    order by id
    limit ${PAGE}`,
  )
}

export async function* auditEvents(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): AsyncGenerator<Fields> {
  yield* pages(
    PAGE,
    (after) => sql<(Fields & { id: Uuid })[]>`
    select id, actor_kind, action, detail, created_at
    from audit_events
    where organization_id = ${organizationId} and subject_id = ${contactId}
      and subject_kind = 'contact'
      ${after === undefined ? sql`` : sql`and id > ${after}`}
    order by id
    limit ${PAGE}`,
  )
}

export async function* customEvents(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): AsyncGenerator<Fields> {
  for (const contactId of contactIds) {
    yield* pages(
      PAGE,
      (after) => sql<(Fields & { id: Uuid })[]>`
      select id, name, properties, event_id, occurred_at, received_at
      from events
      where organization_id = ${organizationId} and contact_id = ${contactId}
        ${after === undefined ? sql`` : sql`and id > ${after}`}
      order by id
      limit ${PAGE}`,
    )
  }
}

export async function* executions(
  sql: Executor,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): AsyncGenerator<Fields> {
  for (const contactId of contactIds) {
    const rows = pages(
      PAGE,
      (after) => sql<(Fields & { id: Uuid })[]>`
      select e.id, e.flow_id as workflow_id, f.name as workflow_name, e.version, e.status,
        e.reason, e.error, e.topic_id, e.event_id, e.data, e.created_at, e.started_at,
        e.finished_at
      from executions e
      join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
      where e.organization_id = ${organizationId} and e.contact_id = ${contactId}
        ${after === undefined ? sql`` : sql`and e.id > ${after}`}
      order by e.id
      limit ${PAGE}`,
    )
    for await (const row of rows)
      yield { ...row, steps: await stepsOf(sql, organizationId, row.id) }
  }
}

const stepsOf = (sql: Executor, organizationId: Uuid, executionId: Uuid) => sql<Fields[]>`
  select step_id, visit, type, status, branch, result, reason, error, mail_id, entered_at,
    finished_at
  from execution_steps
  where organization_id = ${organizationId} and execution_id = ${executionId}
  order by position`

async function* pages<T extends { id: Uuid }>(
  size: number,
  read: (after: Uuid | undefined) => PromiseLike<T[]>,
): AsyncGenerator<T> {
  for (let after: Uuid | undefined; ; ) {
    const rows = await read(after)
    yield* rows
    const last = rows.at(-1)
    if (rows.length < size || last === undefined) return
    after = last.id
  }
}

type Mail = Fields & MailKey & { source: string }

/**
 * All mails of a contact with their timelines and stored contents. Links that act for the contact
 * are removed: a caller who may export it may not confirm in its name.
 */
export async function* mails(
  { sql, searchSql }: { sql: Executor; searchSql: Executor },
  mailed: Mailed,
): AsyncGenerator<Fields> {
  const { organizationId, addressHashes } = mailed
  for (const way of waysByContact(sql, mailed)) yield* mailsOf(sql, organizationId, way)
  if (addressHashes.length === 0) return
  // Under the policy of the API's role no index can find a hash.
  yield* mailsOf(searchSql, organizationId, wayByAddress(searchSql, mailed))
}

async function* mailsOf(
  sql: Executor,
  organizationId: Uuid,
  way: ReturnType<typeof wayByAddress>,
): AsyncGenerator<Fields> {
  for (let after: MailKey | undefined; ; ) {
    const rows: Mail[] = await sql<Mail[]>`
      select bucket, id, source, batch_id, recipient, subject, state, status, reason, error,
        message_id, send_at, sent_at, delivered_at, opened_at, clicked_at, bounced_at, bounce_type,
        bounce_sub_type, complained_at, created_at
      from messages
      where ${way}
        ${after === undefined ? sql`` : sql`and (bucket, id) > (${after.bucket}, ${after.id})`}
      order by bucket, id
      limit ${MAILS}`
    const events = await timelines(sql, organizationId, rows)
    for (const { bucket: _bucket, ...mail } of rows) {
      const body = mail.source === 'batch' ? null : await bodyOf(sql, organizationId, mail.id)
      yield withDeadLinksIn({ ...mail, events: events.get(mail.id) ?? [], body })
    }
    after = rows.at(-1)
    if (rows.length < MAILS) return
  }
}

/**
 * Timelines by mail. Each statement names its bucket, since it would otherwise read every
 * partition.
 */
async function timelines(
  sql: Executor,
  organizationId: Uuid,
  mails: readonly MailKey[],
): Promise<Map<Uuid, Fields[]>> {
  const byMail = new Map<Uuid, Fields[]>()
  for (const bucket of new Set(mails.map((mail) => mail.bucket))) {
    const ids = mails.filter((mail) => mail.bucket === bucket).map(({ id }) => id)
    const events = await sql<(Fields & { logId: Uuid })[]>`
      select log_id, kind as type, occurred_at, data
      from delivery_events
      where organization_id = ${organizationId} and bucket = ${bucket}
        and log_id = any(${ids}::uuid[])
      order by log_id, occurred_at, kind`
    for (const { logId, ...event } of events) {
      byMail.set(logId, [...(byMail.get(logId) ?? []), event])
    }
  }
  return byMail
}

async function bodyOf(sql: Executor, organizationId: Uuid, id: Uuid): Promise<Fields | null> {
  const [mailBody] = await sql<Fields[]>`
    select from_address, reply_to, subject, html, text, headers
    from message_bodies
    where organization_id = ${organizationId} and bucket = ${dayBucket(id)} and id = ${id}`
  return mailBody ?? null
}
