import type { Addressed } from '../../domain/address.ts'
import type { ContactChanges } from '../../domain/contacts/contact-changes.ts'
import type { UniqueField } from '../../domain/contacts/contact-fields.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { StoredContact } from '../../store/contacts/writes.ts'

/**
 * - `upsert`: changes the contact that has the row's external id, else its address, else its
 *   number; where none has, makes one. Properties are merged, topics added
 * - `create`: makes a contact; one that has a key of the row stands in the way
 * - `merge`: changes the contact that the row names by `id`; properties are merged, topics added
 * - `replace`: the same, but properties and topics are these and no others
 */
export type WriteMode = 'upsert' | 'create' | 'merge' | 'replace'

export interface UpsertRow {
  /** Returned with the row's result; unique among the rows. */
  index: number
  /** The contact, of the modes that change one. */
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
  /** `upsert` when absent. */
  mode?: WriteMode
  /** Identifies an address for the suppression list. */
  addressOf: (email: string) => Addressed
  source: 'api' | 'import'
  /** Ids, addresses and numbers that a contact has are kept: rows write those that it lacks. */
  fillsOnly?: boolean
  /** What to do with a row whose contact exists. */
  onDuplicate?: 'update' | 'skip'
  /**
   * Whether `resubscribe` may lift `complained` and `suppressed`. If not, an `upsert` keeps the
   * status, and the other modes refuse the row.
   */
  mayLift: boolean
  /**
   * Most rows are probably new: they are inserted before anybody looks who is there, and only those
   * that were there are looked for. A third faster where it is true.
   */
  expectsNew?: boolean
  /** The contacts of the rows, where the caller has locked and read them. */
  locked?: readonly StoredContact[]
  /** False: no flow starts because of it. */
  startsFlows?: boolean
  /** The cohort workflow that asks for all confirmations of this call. */
  cohort?: Uuid | undefined
  requestId?: string | undefined
}

/**
 * Reasons why a row was not written:
 *
 * - `taken`: another contact has a unique value
 * - `invalid`: the resulting contact breaks a rule
 * - `unreachable`: a new contact needs an address or a number
 * - `forbidden`: it would lift a complaint or suppression, which this caller may not
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
      /** A better status was asked for than the person's own word allows. */
      emailStatusKept?: true
      smsStatusKept?: true
    }
  | { index: number; id: null; status: 'failed'; refusal: Refusal }

export interface Upserted {
  /** In the order of the rows. */
  results: RowResult[]
  /** Rows whose contact is there already, with `onDuplicate: 'skip'`. */
  skipped: { index: number; id: Uuid }[]
  /** Contacts that were resubscribed, and from which status. */
  resubscribed: { id: Uuid; from: EmailStatus }[]
  /** Subscriptions that were asked for and have still to be confirmed. */
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
      return 'Only a caller with the scope full may lift a complaint or a suppression'
    case 'missing':
      return 'No such contact'
    case 'unstorable':
      return 'The contact has a value that cannot be stored'
    case 'busy':
      return 'Others write this contact at the same time: try again'
  }
}
