import type { ContactField, ContactValues, StatusField } from './contact-fields.ts'

/**
 * Normalized changes of a contact, with unique values as they are compared. Undefined stays
 * unchanged, null is cleared. A null key of `properties` is removed, and null instead of all of
 * them removes all. A status is a request: see `decideStatus` and `decideSmsStatus`.
 */
export type ContactChanges = {
  [Name in Exclude<ContactField, StatusField>]?: ContactValues[Name] | null | undefined
} & { [Name in StatusField]?: NonNullable<ContactValues[Name]> | undefined }
