import { isDeepStrictEqual } from 'node:util'
import { decideStatus } from '../domain/consent.ts'
import type { EmailStatus } from '../domain/status.ts'
import { type Uuid, uuidv7 } from '../ids.ts'
import type { ContactBatchRow } from '../schemas/contact.ts'
import type { UpsertOptions, UpsertRow } from './contact-upserts.ts'
import type { ContactValues } from './contacts.ts'
import type { Reason } from './suppressions.ts'

/** A contact as it stands, read under a lock. */
export interface Existing {
  id: Uuid
  externalId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  jobTitle: string | null
  emailStatus: EmailStatus | null
  smsStatus: string | null
  preferredChannel: string | null
  properties: Record<string, unknown>
}

/** A contact as it will be written. */
export interface Draft extends Existing {
  isNew: boolean
  /** Something differs from what is stored. */
  isChanged: boolean
  addressChanged: boolean
  resubscribed: boolean
  /** Before the first row that changed it. */
  statusBefore: EmailStatus | null
}

/** What the rows say of an address; the last word counts. */
interface ListEntry {
  contactId: Uuid
  email: string
  /** The suppression list is to say the same. */
  isWritten: boolean
  before: EmailStatus | null
  status: EmailStatus
  resubscribed: boolean
}

export interface UpsertPlan {
  /** Those that change or are new. */
  drafts: Set<Draft>
  results: Map<number, ContactBatchRow>
  skipped: { index: number; id: Uuid }[]
  entries: ListEntry[]
}

interface Rules extends Pick<UpsertOptions, 'onDuplicate' | 'mayLift'> {
  /** What the suppression list says of an address. */
  listed: (email: string) => Reason | undefined
}

const KEYS = ['externalId', 'email', 'phone'] as const
type Key = (typeof KEYS)[number]

export const failedRow = (index: number, error: string): ContactBatchRow => ({
  index,
  id: null,
  status: 'failed',
  error,
})

/** Decides what each row makes of whom; touches nothing. */
export function planRows(
  existing: readonly Existing[],
  rows: readonly UpsertRow[],
  { listed, onDuplicate, mayLift }: Rules,
): UpsertPlan {
  // A value that a row gives up stays taken within the request: one update checks each row as it
  // goes.
  const byKey = {
    externalId: new Map<string, Draft>(),
    email: new Map<string, Draft>(),
    phone: new Map<string, Draft>(),
  }
  const remember = (draft: Draft) => {
    for (const field of KEYS) {
      const value = draft[field]
      if (value !== null) byKey[field].set(value, draft)
    }
  }
  for (const contact of existing) remember(draftOf(contact))
  const results: UpsertPlan['results'] = new Map()
  const skipped: UpsertPlan['skipped'] = []
  const drafts: UpsertPlan['drafts'] = new Set()
  const entries = new Map<string, ListEntry>()
  const list = (email: string): EmailStatus | undefined => {
    const entry = entries.get(email)
    if (entry === undefined) return listed(email)
    return entry.status === 'active' ? undefined : entry.status
  }
  const statuses: Statuses = { listed, list, mayLift, entries }
  for (const { index, values } of rows) {
    const holders = {
      externalId: byKey.externalId.get(values.externalId ?? ''),
      email: byKey.email.get(values.email ?? ''),
      phone: byKey.phone.get(values.phone ?? ''),
    }
    const found = holders.externalId ?? holders.email ?? holders.phone
    if (found !== undefined && onDuplicate === 'skip') {
      skipped.push({ index, id: found.id })
      continue
    }
    const target = found ?? blank()
    const taken = found && KEYS.find((field) => isTaken(target, holders[field], field, values))
    if (taken !== undefined) {
      results.set(index, failedRow(index, `Another contact has this ${taken}`))
      continue
    }
    const reachable = values.email ?? values.phone ?? target.email ?? target.phone
    if (reachable === null) {
      results.set(index, failedRow(index, 'No such contact, and a new one needs email or phone'))
      continue
    }
    const kept = apply(target, values, statuses)
    if (target.isNew || target.isChanged) drafts.add(target)
    remember(target)
    const status = found === undefined ? 'created' : 'updated'
    const result: ContactBatchRow = { index, id: target.id, status }
    if (kept) result.emailStatusKept = true
    results.set(index, result)
  }
  return { drafts, results, skipped, entries: [...entries.values()] }
}

/**
 * Whether a row may not write this field of its target: another contact has the value, or the
 * target was found by a lesser key and has another value of this one: that is a different person.
 */
function isTaken(
  target: Draft,
  holder: Draft | undefined,
  field: Key,
  values: ContactValues,
): boolean {
  if (holder !== undefined && holder !== target) return true
  const value = values[field]
  if (value === undefined || target[field] === null || target[field] === value) return false
  return field === 'externalId' || (field === 'email' && values.externalId !== target.externalId)
}

const draftOf = (contact: Existing): Draft => ({
  ...contact,
  isNew: false,
  isChanged: false,
  addressChanged: false,
  resubscribed: false,
  statusBefore: contact.emailStatus,
})

/** Of a contact that is made by now: never written into. */
const NONE: Record<string, unknown> = Object.freeze({})

const blank = (): Draft => ({
  id: uuidv7(),
  externalId: null,
  email: null,
  phone: null,
  firstName: null,
  lastName: null,
  company: null,
  jobTitle: null,
  emailStatus: null,
  smsStatus: null,
  preferredChannel: null,
  properties: NONE,
  isNew: true,
  isChanged: false,
  addressChanged: false,
  resubscribed: false,
  statusBefore: null,
})

const PLAIN = [
  'externalId',
  'email',
  'phone',
  'firstName',
  'lastName',
  'company',
  'jobTitle',
  'preferredChannel',
] as const

interface Statuses {
  /** Of the stored list. */
  listed: (email: string) => Reason | undefined
  /** Of the list with what earlier rows do to it. */
  list: (email: string) => EmailStatus | undefined
  mayLift: boolean
  entries: Map<string, ListEntry>
}

/** Writes the given values. True when the status was kept although a better one was asked for. */
function apply(draft: Draft, values: UpsertRow['values'], statuses: Statuses): boolean {
  const addressChanged = values.email !== undefined && values.email !== draft.email
  draft.addressChanged ||= addressChanged
  // Who wanted mail again wanted it at the address they had: events of another one hold.
  if (addressChanged) draft.resubscribed = false
  const numberChanged = values.phone !== undefined && values.phone !== draft.phone
  for (const field of PLAIN) {
    const value = values[field]
    if (value === undefined || value === draft[field]) continue
    draft[field] = value
    draft.isChanged = true
  }
  mergeProperties(draft, values.properties)
  applySmsStatus(draft, values, numberChanged)
  return applyEmailStatus(draft, values, addressChanged, statuses)
}

function mergeProperties(draft: Draft, given: Record<string, unknown> | undefined): void {
  if (given === undefined) return
  if (draft.properties === NONE) {
    draft.properties = given
    return
  }
  const isSame = Object.entries(given).every(
    ([key, value]) =>
      Object.hasOwn(draft.properties, key) && isDeepStrictEqual(draft.properties[key], value),
  )
  if (isSame) return
  draft.properties = { ...draft.properties, ...given }
  draft.isChanged = true
}

/** A new number begins anew; what was said of the old one was said by who has it. */
function applySmsStatus(
  draft: Draft,
  { smsStatus, resubscribe }: UpsertRow['values'],
  numberChanged: boolean,
): void {
  const before = draft.smsStatus
  const current = numberChanged ? null : before
  draft.smsStatus =
    current === 'opted_out' && resubscribe !== true ? current : (smsStatus ?? current)
  if (draft.phone !== null) draft.smsStatus ??= 'pending_consent'
  draft.isChanged ||= draft.smsStatus !== before
}

function applyEmailStatus(
  draft: Draft,
  { emailStatus: asked, resubscribe = false }: UpsertRow['values'],
  addressChanged: boolean,
  { listed, list, mayLift, entries }: Statuses,
): boolean {
  const { email, emailStatus: current } = draft
  // Without an address there is nothing that a status could speak of.
  if (email === null || (asked === undefined && !addressChanged)) return false
  const request = { current: addressChanged ? null : current, listed: list(email), asked }
  const isHeavy = [request.current, request.listed].some(
    (status) => status === 'suppressed' || status === 'complained',
  )
  const decision = decideStatus({ ...request, resubscribe: resubscribe && (mayLift || !isHeavy) })
  const { status, kept, resubscribed } = decision
  draft.emailStatus = status
  draft.resubscribed ||= resubscribed
  draft.isChanged ||= status !== current || resubscribed
  const known = entries.get(email)
  const isWritten =
    resubscribed || known?.isWritten === true || (isAboveActive(asked) && status !== listed(email))
  const isWorse = status !== 'active' && status !== draft.statusBefore
  if (isWritten || isWorse) {
    entries.set(email, {
      contactId: draft.id,
      email,
      isWritten,
      before: draft.statusBefore,
      status,
      resubscribed: resubscribed || known?.resubscribed === true,
    })
  }
  return kept
}

const isAboveActive = (status: EmailStatus | undefined): boolean =>
  status !== undefined && status !== 'active'
