import type { EmailStatus } from '../status.ts'
import type { SmsStatus } from './sms-status.ts'

/**
 * What is to be written of a contact, normalised: unique values are compared as they stand here.
 * Undefined stays as it is, null is cleared.
 */
export interface ContactChanges {
  externalId?: string | null | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  company?: string | null | undefined
  jobTitle?: string | null | undefined
  preferredChannel?: 'email' | 'sms' | null | undefined
  /** A key that is null is taken away; null: all of them. */
  properties?: Record<string, unknown> | null | undefined
  /** Asked for: see `decideStatus`. */
  emailStatus?: EmailStatus | undefined
  /** Asked for: see `decideSmsStatus`. */
  smsStatus?: SmsStatus | undefined
}

/** The fields that no two contacts of an organization share. */
export const UNIQUE_FIELDS = ['externalId', 'email', 'phone'] as const
export type UniqueField = (typeof UNIQUE_FIELDS)[number]
