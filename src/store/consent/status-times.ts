import type { Executor } from '../db/sql.ts'

/*
 * When a contact reached a status. Every statement that writes a status of contacts takes these
 * columns and their values from here: `contacts` is the row as it was (nulls when it is new), and
 * `draft` what is written: `email_status`, and for text messages `sms_status` and `phone`.
 */

export const emailTimeColumns = (sql: Executor) =>
  sql`email_unsubscribed_at, email_bounced_at, email_suppressed_at, email_complained_at`

/** The last time at which each status was reached. */
export const emailTimes = (sql: Executor) => sql`
    case
      when draft.email_status = 'unsubscribed'
        and contacts.email_status is distinct from 'unsubscribed' then now()
      else contacts.email_unsubscribed_at
    end,
    case
      when draft.email_status = 'bounced' and contacts.email_status is distinct from 'bounced'
        then now()
      else contacts.email_bounced_at
    end,
    case
      when draft.email_status = 'suppressed' and contacts.email_status is distinct from 'suppressed'
        then now()
      else contacts.email_suppressed_at
    end,
    case
      when draft.email_status = 'complained' and contacts.email_status is distinct from 'complained'
        then now()
      else contacts.email_complained_at
    end`

export const smsTimeColumns = (sql: Executor) => sql`sms_consented_at, sms_opted_out_at`

/** Consent for another number ends with that number. */
export const smsTimes = (sql: Executor) => sql`
    case
      when draft.sms_status = 'opted_in' and (contacts.sms_status is distinct from 'opted_in'
        or draft.phone is distinct from contacts.phone) then now()
      when draft.phone is not distinct from contacts.phone then contacts.sms_consented_at
    end,
    case
      when draft.sms_status = 'opted_out' and (contacts.sms_status is distinct from 'opted_out'
        or draft.phone is distinct from contacts.phone) then now()
      when draft.phone is not distinct from contacts.phone then contacts.sms_opted_out_at
    end`
