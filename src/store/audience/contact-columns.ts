import { CONTACT_FIELD_NAMES, type ContactField } from '../../domain/contacts/contact-fields.ts'
import type { Executor } from '../db/sql.ts'

/** Returns the columns of these fields with commas between them; `of` is the table or its alias. */
export const columnsOf = (sql: Executor, fields: readonly ContactField[], of?: string) =>
  fields.map((field, i) => {
    const column = sql(of === undefined ? field : `${of}.${field}`)
    return i === 0 ? column : sql`, ${column}`
  })

/** Columns and joins of every query that reads contacts. */

export const columns = (sql: Executor) => sql`
  contacts.id, ${columnsOf(sql, CONTACT_FIELD_NAMES)}, email_verified_at, email_unsubscribed_at,
  email_bounced_at, email_complained_at, email_suppressed_at, sms_consented_at, sms_opted_out_at,
  contacts.created_at, contacts.updated_at, coalesce(emails_sent, 0) as emails_sent,
  coalesce(emails_opened, 0) as emails_opened, coalesce(emails_clicked, 0) as emails_clicked,
  coalesce(sms_sent, 0) as sms_sent, coalesce(sms_clicked, 0) as sms_clicked, last_activity_at,
  last_email_sent_at, last_email_opened_at, last_email_clicked_at`

export const withStats = (sql: Executor) => sql`
  contacts
  left join contact_stats on contact_stats.organization_id = contacts.organization_id
    and contact_stats.contact_id = contacts.id`
