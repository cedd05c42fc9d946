import type { Addressed } from '../domain/address.ts'
import type { EmailStatus } from '../domain/status.ts'
import type { Uuid } from '../ids.ts'
import type { ContactBatchRow } from '../schemas/contact.ts'
import * as consent from './consent.ts'
import { failedRow, planRows, type UpsertPlan } from './contact-upsert-plan.ts'
import { insertNew, lockExisting, updateExisting } from './contact-upsert-writes.ts'
import type { ContactValues } from './contacts.ts'
import { fire } from './flow-triggers.ts'
import { hasState, type Transaction, UNIQUE_VIOLATION } from './sql.ts'
import * as subscriptions from './subscriptions.ts'
import * as suppressions from './suppressions.ts'

export interface UpsertRow {
  /** Answered with the row's result; unique among the rows. */
  index: number
  /** `resubscribe`: the caller vouches that the person wants mail again. */
  values: ContactValues & { resubscribe?: boolean | undefined }
  /** Of the organization; those deleted in the meantime are left out. */
  topicIds?: readonly Uuid[] | undefined
}

export interface UpsertOptions {
  /** How the suppression list knows an address. */
  addressOf: (email: string) => Addressed
  source: 'api' | 'import'
  /** What becomes of a row whose contact is there already. */
  onDuplicate?: 'update' | 'skip'
  /** Whether `resubscribe` may lift `complained` and `suppressed`. */
  mayLift: boolean
  /**
   * Most rows are probably new: they are inserted before anybody looks who is there, and only those
   * that were there are looked for. A third faster where it is true.
   */
  expectsNew?: boolean
  /** The cohort workflow that asks for all confirmations of this call. */
  cohort?: Uuid | undefined
  requestId?: string | undefined
}

export interface Upserted {
  /** In the order of the rows. */
  results: ContactBatchRow[]
  /** Rows whose contact is there already, with `onDuplicate: 'skip'`. */
  skipped: { index: number; id: Uuid }[]
  /** Who was taken back, and from what; null where only the list knew them. */
  resubscribed: { id: Uuid; from: EmailStatus | null }[]
}

/** Rounds and tries: each is needed only when others write the same contacts at the same moment. */
const ROUNDS = 5
const TRIES = 5

/** A contact got another address between our look at it and our lock. */
class AddressMoved extends Error {}

/**
 * Makes or changes some thousand contacts at once, in a few statements whatever their number.
 *
 * A row changes the contact that has its external id, else its address, else its number; where none
 * has, it makes one. Given fields are written, properties are merged, later rows see earlier ones.
 * Statuses go by `decideStatus`: a sync tool must not bring back who left. A contact that has all
 * that its row says already is not written at all.
 *
 * Locks the addresses first, then the contacts: no contact may be locked by the caller before.
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
      // Somebody took one of our addresses between our look and our update: look again.
      if (tries === TRIES || !isLostRace(error)) throw error
    }
  }
}

/** Others wrote the same contacts at the same moment: done again, it may succeed. */
export const isLostRace = (error: unknown): boolean =>
  hasState(error, UNIQUE_VIOLATION) || error instanceof AddressMoved

/** Each address is hashed once, however often it is asked for. */
function once(addressOf: UpsertOptions['addressOf']): UpsertOptions['addressOf'] {
  const known = new Map<string, Addressed>()
  return (email) => {
    const address = known.get(email) ?? addressOf(email)
    known.set(email, address)
    return address
  }
}

/**
 * The same without a savepoint: where a race is lost the transaction is lost with it, and the
 * caller does it again. Two round trips fewer, for whoever writes page after page.
 */
export async function upsertOnce(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
  given: UpsertOptions,
): Promise<Upserted> {
  const options = { ...given, addressOf: once(given.addressOf) }
  const { addresses, locked } = await lockAddresses(tx, organizationId, rows, options)
  const done = new Map<number, ContactBatchRow>()
  const skipped: Upserted['skipped'] = []
  const resubscribed: Upserted['resubscribed'] = []
  let waiting = rows
  for (let round = 1; waiting.length > 0 && round <= ROUNDS; round++) {
    const listed = await suppressions.lookUp(tx, organizationId, addresses)
    const isGuess = round === 1 && options.expectsNew === true
    const existing = isGuess ? [] : await lockExisting(tx, organizationId, waiting)
    const plan = planRows(existing, waiting, {
      ...options,
      listed: (email) => listed(options.addressOf(email)),
    })
    // A list entry is written under the lock of its address, which was taken before the contact's.
    if (plan.entries.some(({ email, isWritten }) => isWritten && !locked.has(email))) {
      throw new AddressMoved()
    }
    const lost = await insertNew(tx, organizationId, plan.drafts)
    await updateExisting(tx, organizationId, plan.drafts)
    await settle(tx, organizationId, plan, lost, waiting, options)
    resubscribed.push(
      ...plan.entries
        .filter((entry) => entry.resubscribed && !lost.has(entry.contactId))
        .map(({ contactId, before }) => ({ id: contactId, from: before })),
    )
    skipped.push(...plan.skipped.filter(({ id }) => !lost.has(id)))
    const settled = new Set(skipped.map(({ index }) => index))
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
  for (const { index } of waiting) {
    done.set(index, failedRow(index, 'Others write this contact at the same time: try again'))
  }
  return { results: [...done.values()].sort((a, b) => a.index - b.index), skipped, resubscribed }
}

/**
 * Locks every address that the rows name, and those of contacts whose status a row writes without
 * naming their address. `update` where an entry of the list may be written or taken off.
 */
async function lockAddresses(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly UpsertRow[],
  { addressOf }: UpsertOptions,
): Promise<{ addresses: Addressed[]; locked: ReadonlySet<string> }> {
  const writing = rows.filter(({ values: { emailStatus, resubscribe } }) =>
    emailStatus === 'active' ? resubscribe : emailStatus !== undefined,
  )
  const nameless = writing.filter(({ values }) => values.email === undefined)
  const emails = new Set(rows.flatMap(({ values }) => values.email ?? []))
  if (nameless.length > 0) {
    const known = await tx<{ email: string }[]>`
      select email
      from contacts
      where organization_id = ${organizationId}
        and email is not null
        and (external_id = any(${nameless.flatMap(({ values }) => values.externalId ?? [])}::text[])
          or phone = any(${nameless.flatMap(({ values }) => values.phone ?? [])}::text[]))`
    for (const { email } of known) emails.add(email)
  }
  const addresses = [...emails].map(addressOf)
  const mode = writing.length > 0 ? 'update' : 'share'
  await suppressions.lock(tx, organizationId, addresses, mode)
  return { addresses, locked: emails }
}

/** What follows from the rows that were written: the list, the record, flows, the topics. */
async function settle(
  tx: Transaction,
  organizationId: Uuid,
  plan: UpsertPlan,
  lost: ReadonlySet<Uuid>,
  rows: readonly UpsertRow[],
  { addressOf, source, cohort, requestId }: UpsertOptions,
): Promise<void> {
  const written = plan.entries
    .filter(({ contactId }) => !lost.has(contactId))
    .map(({ contactId, email, isWritten, before, status, resubscribed }) => ({
      contactId,
      address: isWritten ? addressOf(email) : null,
      before,
      status,
      resubscribed,
    }))
  if (written.length > 0) await consent.follow(tx, organizationId, written, source, requestId)
  const happened = [...plan.drafts]
    .filter(({ id }) => !lost.has(id))
    .map(({ id: contactId, isNew }) => ({
      type: isNew ? ('contact_created' as const) : ('contact_updated' as const),
      contactId,
    }))
  await fire(tx, organizationId, happened, requestId)

  const asking = { source, addressOf, requestId, ...(cohort === undefined ? {} : { cohort }) }
  const moved = [...plan.drafts].filter(({ isNew, addressChanged }) => !isNew && addressChanged)
  await subscriptions.readdress(
    tx,
    organizationId,
    moved.map(({ id }) => id),
    asking,
  )
  for (const willing of [false, true]) {
    const pairs = rows.flatMap(({ index, values: { resubscribe = false }, topicIds = [] }) => {
      const id = plan.results.get(index)?.id
      if (id == null || lost.has(id) || resubscribe !== willing) return []
      return topicIds.map((topicId) => ({ contactId: id, topicId }))
    })
    await subscriptions.subscribe(tx, organizationId, pairs, {
      ...asking,
      willing,
      inSet: true,
    })
  }
}
