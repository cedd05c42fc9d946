import type { ContactField, ContactValues, StatusField } from './contact-fields.ts'

/**
 * What is to be written of a contact, normalised: unique values are compared as they stand here.
 * Undefined stays as it is, null is cleared. A key of `properties` that is null is taken away, and
 * null instead of all of them takes all away. A status is asked for: see `decideStatus` and
 * `decideSmsStatus`.
 */
export type ContactChanges = {
  [Name in Exclude<ContactField, StatusField>]?: ContactValues[Name] | null | undefined
} & { [Name in StatusField]?: NonNullable<ContactValues[Name]> | undefined }
