import type { Addressed } from '../../domain/address.ts'
import type { PhoneReason } from '../../domain/consent/sms-status.ts'
import type { ContactChanges } from '../../domain/contacts/contact-changes.ts'
import type { UniqueField } from '../../domain/contacts/contact-fields.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { StoredContact } from '../../store/contacts/writes.ts'

/**
 * - `upsert`: changes the contact with the row's external id, else its address, else its number, or
 *   creates one. Properties are merged, topics added
 * - `create`: creates a contact. An existing one with a key of the row prevents it
 * - `merge`: changes the contact that the row names by `id`. Properties are merged, topics added
 * - `replace`: like `merge`, but properties and topics are replaced
 */
export type WriteMode = 'upsert' | 'create' | 'merge' | 'replace'

export interface UpsertRow {
  /** Index that the row's result has, too. Unique among the rows. */
  index: number
  id?: Uuid | undefined
  /** `resubscribe`: the caller vouches that the person wants mail again. */
  values: ContactChanges & { resubscribe?: boolean | undefined }
  /**
   * Topics of the organization. Those deleted in the meantime are skipped. Undefined: topics are
   * not changed.
   */
  topicIds?: readonly Uuid[] | undefined
}

export interface UpsertOptions {
  mode?: WriteMode
  /** Hashes an email address or a phone number for the suppression list. */
  addressOf: (text: string) => Addressed
  source: 'api' | 'import'
  /** Existing ids, addresses and numbers are kept: rows write only missing ones. */
  fillsOnly?: boolean
  onDuplicate?: 'update' | 'skip'
  /**
   * `resubscribe` may lift `complained`, `suppressed` and, of text messages, `opted_out`. Otherwise
   * an `upsert` keeps the status, and other modes refuse the row.
   */
  mayLift: boolean
  /**
   * Most rows are probably new. They are inserted before any look-up, and only the existing ones
   * are looked up: a third faster if the guess is right.
   */
  expectsNew?: boolean
  /** The contacts of the rows, if the caller has locked and read them. */
  locked?: readonly StoredContact[]
  /** False: the change starts no flow. */
  startsFlows?: boolean
  cohort?: Uuid | undefined
  requestId?: string | undefined
}

/**
 * Reasons why a row was not written:
 *
 * - `taken`: another contact has a unique value
 * - `invalid`: the resulting contact breaks a rule
 * - `unreachable`: a new contact needs an address or a number
 * - `forbidden`: it would lift a complaint, suppression or opt-out of text messages, which this
 *   caller may not
 * - `missing`: there is no contact with the row's `id`
 * - `busy`: others keep writing the same contact
 * - `unstorable`: Postgres refuses one of its values
 */
export type Refusal =
  | { reason: 'taken'; field: UniqueField; contactId: Uuid }
  | { reason: 'invalid'; path: string; message: string }
  | { reason: 'unreachable' | 'forbidden' | 'missing' | 'busy' | 'unstorable' }

export type RowResult =
  | {
      index: number
      id: Uuid
      status: 'created' | 'updated'
      emailStatusKept?: true
      smsStatusKept?: true
    }
  | { index: number; id: null; status: 'failed'; refusal: Refusal }

export interface Upserted {
  results: RowResult[]
  skipped: { index: number; id: Uuid }[]
  resubscribed: { id: Uuid; from: EmailStatus | PhoneReason }[]
  pending: { contactId: Uuid; topicId: Uuid }[]
}

/** Returns a refusal as a sentence that names no value. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'taken':
      return `Another contact has this ${refusal.field}`
    case 'invalid':
      return `${refusal.path} ${refusal.message}`
    case 'unreachable':
      return 'No such contact, and a new one needs email or phone'
    case 'forbidden':
      return 'Only a caller with the scope full may lift a complaint, a suppression or an opt-out of text messages'
    case 'missing':
      return 'No such contact'
    case 'unstorable':
      return 'The contact has a value that cannot be stored'
    case 'busy':
      return 'Others write this contact at the same time: try again'
  }
}
