import type { Addressed } from '../../domain/address.ts'
import { reasonOf } from '../../domain/consent/phone-consent.ts'
import { phoneReasonIn } from '../../domain/consent/sms-status.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as phoneConsents from '../../store/consent/phone-consents.ts'
import * as suppressions from '../../store/consent/suppressions.ts'
import * as writes from '../../store/contacts/writes.ts'
import { hasState, type Transaction, UNIQUE_VIOLATION } from '../../store/db/sql.ts'
import { followUp } from './follow-up.ts'
import { failedRow, planRows } from './plan.ts'
import type { RowResult, Upserted, UpsertOptions, UpsertRow } from './rows.ts'

/**
 * Limits of rounds and of tries. Repetitions are needed only if others write the same contacts at
 * the same moment.
 */
const ROUNDS = 5
const TRIES = 5

class AddressMoved extends Error {}

/**
 * Creates or changes contacts, one or some thousand at once, in a constant number of statements.
 * Nothing else writes what callers say of a contact.
 *
 * Given fields are written, properties go by the mode, later rows see earlier ones. Statuses go by
 * `decideStatus` and `decideSmsStatus`: a sync tool must not bring back a person who left. A
 * contact that has all that its row says already is not written at all, and one that would break a
 * rule stays as it is while the other rows are kept.
 *
 * Locks the addresses first, then the contacts: no contact may be locked by the caller before,
 * unless no row names an address or a status and the contacts come with `locked`.
 */
export async function upsert(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
  options: UpsertOptions,
): Promise<Upserted> {
  for (let tries = 1; ; tries++) {
    try {
      return await tx.savepoint((inner) => upsertOnce(inner, organizationId, rows, options))
    } catch (error) {
      // Another contact got one of these addresses between the look and the update: look again.
      if (tries === TRIES || !isLostRace(error)) throw error
    }
  }
}

/**
 * Returns whether others wrote the same contacts at the same moment, so that a retry may succeed.
 */
export const isLostRace = (error: unknown): boolean =>
  hasState(error, UNIQUE_VIOLATION) || error instanceof AddressMoved

function once(addressOf: UpsertOptions['addressOf']): UpsertOptions['addressOf'] {
  const hashedAddresses = new Map<string, Addressed>()
  return (text) => {
    const address = hashedAddresses.get(text) ?? addressOf(text)
    hashedAddresses.set(text, address)
    return address
  }
}

export async function upsertOnce(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
  givenOptions: UpsertOptions,
): Promise<Upserted> {
  const options = { ...givenOptions, addressOf: once(givenOptions.addressOf) }
  const { emails, phones, locked } = await lockAddresses(tx, organizationId, rows, options)
  const done = new Map<number, RowResult>()
  const upserted: Upserted = { results: [], skipped: [], resubscribed: [], pending: [] }
  let waiting = rows
  for (let round = 1; waiting.length > 0 && round <= ROUNDS; round++) {
    const listed = await suppressions.lookUp(tx, organizationId, emails)
    const consentOf = await phoneConsents.lookUp(
      tx,
      phones.map((address) => ({ organizationId, address })),
    )
    const isGuess = round === 1 && options.expectsNew === true
    const lockedContacts = isGuess ? [] : round === 1 ? options.locked : undefined
    const existing = lockedContacts ?? (await writes.lock(tx, organizationId, keysOf(waiting)))
    const plan = planRows(existing, waiting, {
      ...options,
      listed: (email) => listed(options.addressOf(email)),
      listedPhone: (phone) => reasonOf(consentOf(options.addressOf(phone))),
    })
    // A list entry is written under the lock of its address, which was taken before the contact's.
    const isUnlocked =
      plan.entries.some(({ email, isWritten }) => isWritten && !locked.has(email)) ||
      plan.phoneEntries.some(({ phone }) => !locked.has(phone))
    if (isUnlocked) throw new AddressMoved()
    const drafts = [...plan.drafts]
    const newDrafts = drafts.filter(({ isNew }) => isNew)
    const createdIds = await writes.insert(tx, organizationId, newDrafts)
    const lost = new Set(newDrafts.map(({ id }) => id).filter((id) => !createdIds.has(id)))
    const changed = drafts.filter(({ isNew }) => !isNew)
    await writes.update(tx, organizationId, changed)
    const pending = await followUp(tx, organizationId, plan, lost, waiting, options)
    upserted.pending.push(...pending)
    for (const { contactId: id, resubscribedFrom: from } of [
      ...plan.entries,
      ...plan.phoneEntries,
    ]) {
      if (from !== null && !lost.has(id)) upserted.resubscribed.push({ id, from })
    }
    upserted.skipped.push(...plan.skipped.filter(({ id }) => !lost.has(id)))
    const settled = new Set(upserted.skipped.map(({ index }) => index))
    waiting = waiting.filter(({ index }) => {
      const result = plan.results.get(index)
      // This contact was there already, or another request made it a moment ago.
      if (result?.id != null && lost.has(result.id)) return true
      // It may be another one when it is known who is there.
      if (isGuess && result?.status === 'failed') return true
      if (result) done.set(index, result)
      return !result && !settled.has(index)
    })
  }
  for (const { index } of waiting) done.set(index, failedRow(index, { reason: 'busy' }))
  upserted.results = [...done.values()].sort((a, b) => a.index - b.index)
  return upserted
}

const keysOf = (rows: readonly UpsertRow[]): writes.Keys => ({
  ids: rows.flatMap(({ id }) => id ?? []),
  externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
  emails: rows.flatMap(({ values }) => values.email ?? []),
  phones: rows.flatMap(({ values }) => values.phone ?? []),
})

interface LockedAddresses {
  emails: Addressed[]
  phones: Addressed[]
  locked: ReadonlySet<string>
}

/**
 * Locks every email address and number of the rows, and those of contacts whose status a row writes
 * without naming them. Locks for `update` if an entry of a list may be written or removed.
 */
async function lockAddresses(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
  { addressOf }: UpsertOptions,
): Promise<LockedAddresses> {
  const emailWriting = rows.filter(({ values: { emailStatus, resubscribe } }) =>
    emailStatus === 'active' ? resubscribe : emailStatus !== undefined,
  )
  const phoneWriting = rows.filter(({ values: { smsStatus, resubscribe } }) =>
    phoneReasonIn(smsStatus ?? null) === undefined ? smsStatus && resubscribe : true,
  )
  const emails = new Set(rows.flatMap(({ values }) => values.email ?? []))
  const phones = new Set(rows.flatMap(({ values }) => values.phone ?? []))
  const nameless = [
    ...emailWriting.filter(({ values }) => values.email === undefined),
    ...phoneWriting.filter(({ values }) => values.phone === undefined),
  ]
  for (const each of await writes.listAddresses(tx, organizationId, keysOf(nameless))) {
    if (each.email !== null) emails.add(each.email)
    if (each.phone !== null) phones.add(each.phone)
  }
  const ofEmails = [...emails].map(addressOf)
  const ofPhones = [...phones].map(addressOf)
  const mode = emailWriting.length + phoneWriting.length > 0 ? 'update' : 'share'
  await suppressions.lock(tx, organizationId, [...ofEmails, ...ofPhones], mode)
  return { emails: ofEmails, phones: ofPhones, locked: new Set([...emails, ...phones]) }
}
