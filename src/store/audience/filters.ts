import type { Uuid } from '../../ids.ts'
import { type Executor, sameForAll } from '../db/sql.ts'

/** How a contact is read, wherever it is read from. */

export const columns = sameForAll(
  (sql) => sql`
  contacts.id, external_id, email, phone, first_name, last_name, company, job_title, email_status,
  sms_status, preferred_channel, properties, email_verified_at, email_unsubscribed_at,
  email_bounced_at, email_complained_at, email_suppressed_at, sms_consented_at, sms_opted_out_at,
  contacts.created_at, contacts.updated_at, coalesce(emails_sent, 0) as emails_sent,
  coalesce(emails_opened, 0) as emails_opened, coalesce(emails_clicked, 0) as emails_clicked,
  coalesce(sms_sent, 0) as sms_sent, coalesce(sms_clicked, 0) as sms_clicked, last_activity_at,
  last_email_sent_at, last_email_opened_at, last_email_clicked_at`,
)

export const withStats = sameForAll(
  (sql) => sql`
  contacts
  left join contact_stats on contact_stats.organization_id = contacts.organization_id
    and contact_stats.contact_id = contacts.id`,
)

export interface ContactFilters {
  emailStatus?: string | undefined
  smsStatus?: string | undefined
  preferredChannel?: string | undefined
  /** Subscribed to it. */
  topicId?: Uuid | undefined
  /** ISO 8601. */
  createdAfter?: string | undefined
  updatedAfter?: string | undefined
}

/** For `from`: only subscribers of the topic; everything without one. */
export const subscribersOf = (sql: Executor, topicId: Uuid | undefined) =>
  topicId === undefined
    ? sql``
    : sql`
      join subscriptions on subscriptions.organization_id = contacts.organization_id
        and subscriptions.contact_id = contacts.id
        and subscriptions.topic_id = ${topicId}
        and subscriptions.status = 'subscribed'`

/** For `where`, with `subscribersOf` in `from`: an organization's contacts that fit the filters. */
export const fitting = (sql: Executor, organizationId: Uuid, filters: ContactFilters) => {
  const { emailStatus, smsStatus, preferredChannel, createdAfter, updatedAfter } = filters
  return sql`
    contacts.organization_id = ${organizationId}
    ${emailStatus === undefined ? sql`` : sql`and email_status = ${emailStatus}`}
    ${smsStatus === undefined ? sql`` : sql`and sms_status = ${smsStatus}`}
    ${preferredChannel === undefined ? sql`` : sql`and preferred_channel = ${preferredChannel}`}
    ${createdAfter === undefined ? sql`` : sql`and contacts.created_at > ${createdAfter}`}
    ${updatedAfter === undefined ? sql`` : sql`and contacts.updated_at > ${updatedAfter}`}`
}
