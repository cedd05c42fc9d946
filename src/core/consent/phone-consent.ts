import type { Addressed } from '../../domain/address.ts'
import {
  joined,
  type PhoneConsent,
  reasonOf,
  statusOfHolder,
  UNKNOWN_PHONE,
  withWrittenStatus,
} from '../../domain/consent/phone-consent.ts'
import type { PhoneReason, SmsStatus } from '../../domain/consent/sms-status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as phoneConsents from '../../store/consent/phone-consents.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { readClock } from '../../store/platform/clock.ts'
import { recordConsentEach, smsConsentKind } from './consent-events.ts'

/** A status that a caller wrote of a number. */
interface WrittenStatus {
  address: Addressed
  status: SmsStatus
}

/**
 * Stores the statuses that callers wrote into contacts on the list of numbers, each number once.
 * The numbers are locked for `update`.
 */
export async function recordWritten(
  tx: Transaction,
  organizationId: Uuid,
  written: readonly WrittenStatus[],
  source: suppressions.EntrySource,
): Promise<void> {
  if (written.length === 0) return
  const phones = written.map(({ address }) => ({ organizationId, address }))
  const consentOf = await phoneConsents.lookUp(tx, phones)
  const now = await isoClock(tx)
  await phoneConsents.put(
    tx,
    written.map(({ address, status }) => ({
      organizationId,
      address,
      consent: withWrittenStatus(consentOf(address), status, now),
      source,
    })),
  )
}

export interface PhoneEvent {
  organizationId: Uuid
  address: Addressed
  /** The person opted out or in, or the number was found not to exist. */
  kind: 'stop' | 'start' | 'invalid'
  /** The provider's time, ISO 8601 in UTC with milliseconds. */
  occurredAt: string
  source: suppressions.EntrySource
}

/**
 * Joins what became known of numbers into their lists, and gives the contacts that have them the
 * status that follows. Events may come in any order and any number of times.
 *
 * Locks the numbers, then the contacts.
 */
export const applyPhoneEvents = (tx: Transaction, events: readonly PhoneEvent[]): Promise<void> =>
  change(
    tx,
    events.map(({ organizationId, address, kind, occurredAt, source }) => ({
      organizationId,
      address,
      source,
      apply: (known) => joined(known, timesOf(kind, occurredAt)),
    })),
  )

const timesOf = (kind: PhoneEvent['kind'], at: string): PhoneConsent => {
  switch (kind) {
    case 'stop':
      return { ...UNKNOWN_PHONE, stoppedAt: at }
    case 'start':
      return { ...UNKNOWN_PHONE, startedAt: at }
    case 'invalid':
      return { ...UNKNOWN_PHONE, invalidAt: at }
  }
}

/** Writes what the person who has the number wants, by a link of theirs. */
export async function writeChoice(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed,
  status: 'opted_in' | 'opted_out',
): Promise<void> {
  const now = await isoClock(tx)
  const apply = (known: PhoneConsent) => withWrittenStatus(known, status, now)
  await change(tx, [{ organizationId, address, source: 'link', apply }])
}

/** Writes a caller's reason for a number, without a contact. It never gets better. */
export async function worsen(
  tx: Transaction,
  organizationId: Uuid,
  address: Addressed,
  reason: PhoneReason,
): Promise<void> {
  await suppressions.lock(tx, organizationId, [address], 'update')
  const now = await isoClock(tx)
  const isWorse = (known: PhoneConsent) => reasonOf(known) !== 'opted_out'
  await change(tx, [
    {
      organizationId,
      address,
      source: 'api',
      apply: (known) => (isWorse(known) ? withWrittenStatus(known, reason, now) : known),
    },
  ])
}

interface PhoneChange {
  organizationId: Uuid
  address: Addressed
  source: suppressions.EntrySource
  apply: (known: PhoneConsent) => PhoneConsent
}

async function change(tx: Transaction, changes: readonly PhoneChange[]): Promise<void> {
  if (changes.length === 0) return
  await suppressions.lockEach(tx, changes, 'update')
  const findHolder = await contactStatuses.lockPhoneHolders(
    tx,
    changes.flatMap(({ organizationId, address: { text } }) =>
      text === null ? [] : [{ organizationId, phone: text }],
    ),
  )
  const consentOf = await phoneConsents.lookUp(tx, changes)
  const entries = new Map<string, phoneConsents.PhoneEntry & { before: PhoneConsent }>()
  for (const { organizationId, address, source, apply } of changes) {
    const { key } = address.keys[0]
    const before = entries.get(key)?.before ?? consentOf(address)
    const consent = apply(entries.get(key)?.consent ?? before)
    entries.set(key, { organizationId, address, consent, source, before })
  }
  const changed = [...entries.values()].filter(({ before, consent }) => !isSame(before, consent))
  await phoneConsents.put(tx, changed)
  const holders = changed.flatMap(({ organizationId, address, before, consent, source }) => {
    const holder = findHolder(organizationId, address.text ?? '')
    if (holder === undefined) return []
    const status = statusOfHolder(holder.smsStatus, before, consent)
    if (status === holder.smsStatus) return []
    return [{ organizationId, contactId: holder.id, phone: holder.phone, status, source }]
  })
  await contactStatuses.writeSmsStatuses(tx, holders)
  await recordConsentEach(
    tx,
    holders.flatMap(({ organizationId, contactId, status, source }) => {
      const kind = smsConsentKind(status)
      return kind === undefined ? [] : [{ organizationId, contactId, kind, source }]
    }),
  )
}

const isSame = (a: PhoneConsent, b: PhoneConsent): boolean =>
  a.stoppedAt === b.stoppedAt && a.startedAt === b.startedAt && a.invalidAt === b.invalidAt

const isoClock = async (tx: Transaction): Promise<string> =>
  new Date(await readClock(tx)).toISOString()
