import { type PhoneReason, phoneReasonIn, type SmsStatus } from '../../domain/consent/sms-status.ts'
import { UNIQUE_FIELDS, type UniqueField } from '../../domain/contacts/contact-fields.ts'
import type { EmailStatus } from '../../domain/status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Reason } from '../../store/consent/suppressions.ts'
import type { StoredContact } from '../../store/contacts/writes.ts'
import {
  applyChange,
  blank,
  type Change,
  type ChangeRules,
  decideChange,
  type Draft,
  draftOf,
} from './draft.ts'
import type { Refusal, RowResult, UpsertOptions, UpsertRow, WriteMode } from './rows.ts'

/** Entry of an address after the rows. The last row counts. */
interface ListEntry {
  contactId: Uuid
  email: string
  isWritten: boolean
  before: EmailStatus | null
  status: EmailStatus
  /** Status from which the person was resubscribed. Null: they were not. */
  resubscribedFrom: EmailStatus | null
}

/** Status of a number that the rows wrote. The last one counts. */
interface PhoneEntry {
  contactId: Uuid
  phone: string
  status: SmsStatus
  /** The status that the caller's word ended; null: none. */
  resubscribedFrom: PhoneReason | null
}

export interface UpsertPlan {
  drafts: Set<Draft>
  results: Map<number, RowResult>
  skipped: { index: number; id: Uuid }[]
  entries: ListEntry[]
  phoneEntries: PhoneEntry[]
}

interface Rules extends Pick<UpsertOptions, 'mode' | 'fillsOnly' | 'onDuplicate' | 'mayLift'> {
  listed: (email: string) => Reason | undefined
  /** The reason why a number is not texted. */
  listedPhone: (phone: string) => PhoneReason | undefined
}

type Holders = Record<UniqueField, Draft | undefined>

export const failedRow = (index: number, refusal: Refusal): RowResult => ({
  index,
  id: null,
  status: 'failed',
  refusal,
})

/**
 * Decides which contacts the rows change, and how. Nothing is written. Later rows see earlier ones.
 */
export function planRows(
  existing: readonly StoredContact[],
  rows: readonly UpsertRow[],
  { listed, listedPhone, mode = 'upsert', fillsOnly = false, onDuplicate, mayLift }: Rules,
): UpsertPlan {
  const contactIndex = knownContacts(existing, mode)
  const results: UpsertPlan['results'] = new Map()
  const skipped: UpsertPlan['skipped'] = []
  const drafts: UpsertPlan['drafts'] = new Set()
  const entries = new Map<string, ListEntry>()
  const list = (email: string): EmailStatus | undefined => {
    const entry = entries.get(email)
    if (entry === undefined) return listed(email)
    return entry.status === 'active' ? undefined : entry.status
  }
  const phoneEntries = new Map<string, PhoneEntry>()
  const phoneReason = (phone: string): PhoneReason | undefined => {
    const entry = phoneEntries.get(phone)
    return entry === undefined ? listedPhone(phone) : phoneReasonIn(entry.status)
  }
  const rules: ChangeRules = { mode, mayLift, list, phoneReason }
  for (const row of rows) {
    const { index } = row
    const keyHolders = contactIndex.holders(row.values)
    const contact =
      mode === 'upsert'
        ? (keyHolders.externalId ?? keyHolders.email ?? keyHolders.phone)
        : contactIndex.byId(row.id)
    const values = fillsOnly && contact ? withoutKnownKeys(contact, row.values) : row.values
    const holders = values === row.values ? keyHolders : contactIndex.holders(values)
    if (contact !== undefined && onDuplicate === 'skip') {
      skipped.push({ index, id: contact.id })
      continue
    }
    const target = contact ?? (mode === 'upsert' || mode === 'create' ? blank() : undefined)
    const decided = target ? decideRow(target, holders, values, rules) : MISSING
    if (target === undefined || 'reason' in decided) {
      results.set(index, failedRow(index, 'reason' in decided ? decided : MISSING))
      continue
    }
    notePhone(phoneEntries, target, values, decided, rules)
    applyChange(target, values, decided)
    noteEntry(entries, target, values, decided, listed)
    if (target.isNew || target.isChanged) drafts.add(target)
    contactIndex.remember(target)
    const status = contact === undefined ? 'created' : 'updated'
    const result: RowResult = { index, id: target.id, status }
    if (decided.mail?.isKept === true) result.emailStatusKept = true
    if (decided.sms?.isKept === true) result.smsStatusKept = true
    results.set(index, result)
  }
  return {
    drafts,
    results,
    skipped,
    entries: [...entries.values()],
    phoneEntries: [...phoneEntries.values()],
  }
}

const withoutKnownKeys = (target: Draft, values: UpsertRow['values']): UpsertRow['values'] => {
  const lacking = { ...values }
  for (const field of UNIQUE_FIELDS) if (target[field] !== null) delete lacking[field]
  return lacking
}

const MISSING: Refusal = { reason: 'missing' }

function knownContacts(existing: readonly StoredContact[], mode: WriteMode) {
  // A value that a row gives up stays taken within the request: one update checks each row as it
  // goes.
  const byKey = {
    externalId: new Map<string, Draft>(),
    email: new Map<string, Draft>(),
    phone: new Map<string, Draft>(),
  }
  const byId = new Map<Uuid, Draft>()
  const remember = (draft: Draft): void => {
    for (const field of UNIQUE_FIELDS) {
      const value = draft[field]
      if (value !== null) byKey[field].set(value, draft)
    }
  }
  for (const contact of existing) {
    const draft = draftOf(contact)
    // The thousands of a set are not looked up by their ids.
    if (mode !== 'upsert') byId.set(draft.id, draft)
    remember(draft)
  }
  return {
    remember,
    byId: (id: Uuid | undefined) => byId.get(id ?? ''),
    holders: ({ externalId, email, phone }: UpsertRow['values']): Holders => ({
      externalId: byKey.externalId.get(externalId ?? ''),
      email: byKey.email.get(email ?? ''),
      phone: byKey.phone.get(phone ?? ''),
    }),
  }
}

/**
 * Decides how a row changes its contact. In a set, a row with keys of two people is refused first.
 */
function decideRow(
  target: Draft,
  holders: Holders,
  values: UpsertRow['values'],
  rules: ChangeRules,
): Change | Refusal {
  const isSet = rules.mode === 'upsert'
  const takenField = UNIQUE_FIELDS.find((field) =>
    isSet && !target.isNew
      ? isOther(target, holders, field, values)
      : holders[field] !== undefined && holders[field] !== target,
  )
  const refusal: Refusal | undefined = takenField && {
    reason: 'taken',
    field: takenField,
    contactId: holders[takenField]?.id ?? target.id,
  }
  if (isSet && refusal) return refusal
  const decided = decideChange(target, values, rules)
  return 'reason' in decided ? decided : (refusal ?? decided)
}

/**
 * Returns whether a row may not write this field of its target: another contact has the value, or
 * the target was found by a lesser key and has a different value of this one, so it is a different
 * person.
 */
function isOther(
  target: Draft,
  holders: Holders,
  field: UniqueField,
  values: UpsertRow['values'],
): boolean {
  const holder = holders[field]
  if (holder !== undefined && holder !== target) return true
  const value = values[field]
  if (value === undefined || target[field] === null || target[field] === value) return false
  return field === 'externalId' || (field === 'email' && values.externalId !== target.externalId)
}

/** Records the consequences for the suppression list and the consent record. */
function noteEntry(
  entries: Map<string, ListEntry>,
  draft: Draft,
  { emailStatus: asked }: UpsertRow['values'],
  { mail }: Change,
  listed: Rules['listed'],
): void {
  const { email } = draft
  if (mail === null || mail.status === null || email === null) return
  const { status, resubscribed, before } = mail
  const knownEntry = entries.get(email)
  const isAboveActive = asked !== undefined && asked !== 'active'
  const isWritten =
    resubscribed || knownEntry?.isWritten === true || (isAboveActive && status !== listed(email))
  const isWorse = status !== 'active' && status !== draft.statusBefore
  if (!isWritten && !isWorse) return
  entries.set(email, {
    contactId: draft.id,
    email,
    isWritten,
    before: draft.statusBefore,
    status,
    resubscribedFrom: knownEntry?.resubscribedFrom ?? (resubscribed ? before : null),
  })
}

/**
 * Notes the status that the list of numbers is to have. A caller's word that the person wants
 * messages is kept even where nothing was known against the number: an older opt-out may become
 * known later.
 */
function notePhone(
  entries: Map<string, PhoneEntry>,
  { id: contactId, phone: present }: Draft,
  { phone = present, smsStatus: requested, resubscribe = false }: UpsertRow['values'],
  { sms }: Change,
  { phoneReason, mayLift }: Pick<ChangeRules, 'phoneReason' | 'mayLift'>,
): void {
  if (phone === null || requested === undefined || sms === null || sms.status === null) return
  const { status, resubscribedFrom } = sms
  const reason = phoneReasonIn(status)
  const isVouched = resubscribe && mayLift && reason === undefined
  const isWorse = phoneReasonIn(requested) !== undefined && reason !== phoneReason(phone)
  if (!isVouched && !isWorse && resubscribedFrom === null) return
  const from = entries.get(phone)?.resubscribedFrom ?? resubscribedFrom
  entries.set(phone, { contactId, phone, status, resubscribedFrom: from })
}
