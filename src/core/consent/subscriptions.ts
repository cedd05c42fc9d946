import type { Addressed } from '../../domain/address.ts'
import type { ConsentSource } from '../../domain/consent/consent-event.ts'
import {
  decideSubscription,
  type SubscriptionFacts,
  type SubscriptionStatus,
  type SubscriptionStep,
} from '../../domain/consent/subscription.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as confirmationMails from '../../store/consent/confirmation-mails.ts'
import * as contactStatuses from '../../store/consent/contact-statuses.ts'
import * as subscriptions from '../../store/consent/subscriptions.ts'
import type { Pair, PairFacts } from '../../store/consent/subscriptions.ts'
import * as optOuts from '../../store/consent/topic-opt-outs.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { exitOnUnsubscribe } from '../flows/exits.ts'
import { countToday } from './confirmation-quota.ts'
import { ofTopics, recordConsent } from './consent-events.ts'

export interface SubscribeOptions {
  source: ConsentSource
  addressOf: (email: string) => Addressed
  /** The person makes the request, or the caller vouches that they want mail again. */
  willing?: boolean
  /** The request covers many contacts, as nightly syncs do. People are not asked again. */
  inSet?: boolean
  /** The cohort workflow of these confirmations. Absent: one workflow for each. */
  cohort?: Uuid
  requestId?: string | undefined
}

export interface Outcome extends Pair {
  step: SubscriptionStep
  /** The new status. Null: no subscription, since a confirmation email was not allowed. */
  status: SubscriptionStatus | null
}

/**
 * Subscribes contacts to topics in a few statements, whatever their number: at once, or after a
 * confirmation if the topic requires it. Unknown contacts and topics are skipped.
 */
export async function subscribe(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
  options: SubscribeOptions,
): Promise<Outcome[]> {
  if (pairs.length === 0) return []
  const rows = await lockPairs(tx, organizationId, pairs)
  const addresses = new Map(
    rows.flatMap(({ email }) =>
      email === null ? [] : [[email, options.addressOf(email)] as const],
    ),
  )
  const asking = rows.filter(({ doubleOptIn, status }) => doubleOptIn && status !== 'subscribed')
  const mailed = await countToday(
    tx,
    organizationId,
    asking.flatMap(({ email }) => addresses.get(email ?? '') ?? []),
  )
  const findOptOut = await optOuts.lookUp(
    tx,
    organizationId,
    rows.filter(({ status }) => status === null).flatMap((row) => withAddress(row, addresses)),
  )
  const decided = rows.map((row) => {
    const address = addresses.get(row.email ?? '')
    const optedOutAt = address ? findOptOut({ topicId: row.topicId, address }) : null
    const step = decideSubscription({
      ...facts({ ...row, optedOutAt: row.optedOutAt ?? optedOutAt }),
      mailsToday: address ? mailed.get(address) : 0,
      willing: options.willing ?? false,
      inSet: options.inSet ?? false,
    })
    if (step === 'ask' && address) mailed.add(address)
    return { row, step, address }
  })
  const subscribed = decided.filter(({ step }) => step === 'subscribe').map(({ row }) => row)
  const confirmationRequests = decided.flatMap(({ row, step, address }) =>
    step === 'ask' && address ? [{ row, address }] : [],
  )
  await subscriptions.setStatus(tx, organizationId, subscribed, { status: 'subscribed' })
  if (options.willing === true) {
    const returned = subscribed.flatMap((row) => withAddress(row, addresses))
    await optOuts.forget(tx, organizationId, returned)
  }
  await ask(tx, organizationId, confirmationRequests, options)
  const events = ofTopics(subscribed, 'subscribed', options.source)
  await recordConsent(tx, organizationId, events, options.requestId)
  return decided.map(({ row: { contactId, topicId, status }, step }) => ({
    contactId,
    topicId,
    step,
    status: step === 'subscribe' ? 'subscribed' : step === 'ask' ? 'pending' : status,
  }))
}

function withAddress(
  { topicId, email }: PairFacts,
  addresses: ReadonlyMap<string, Addressed>,
): optOuts.OptOut[] {
  const address = addresses.get(email ?? '')
  return address ? [{ topicId, address }] : []
}

interface UnsubscribeOptions {
  source: ConsentSource
  /**
   * The person unsubscribed by themselves: earlier confirmations are void, and no tool resubscribes
   * them.
   */
  own: boolean
  /** If present, the opt-out is also stored by address, so that it outlives the contact. */
  addressOf?: (email: string) => Addressed
  requestId?: string | undefined
}

export async function unsubscribe(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
  options: UnsubscribeOptions,
): Promise<Pair[]> {
  if (pairs.length === 0) return []
  const rows = await lockPairs(tx, organizationId, pairs)
  return end(tx, organizationId, rows, options)
}

export async function unsubscribeAll(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  options: UnsubscribeOptions,
): Promise<Pair[]> {
  if (contactIds.length === 0) return []
  const pairs = await subscriptions.listPairs(tx, organizationId, contactIds)
  return unsubscribe(tx, organizationId, pairs, options)
}

/**
 * Handles contacts with a new address. Topics that the address opted out of, with any contact, end.
 * Earlier confirmations came from another mailbox: topics with double opt-in return to `pending`,
 * and the new address is asked.
 */
export async function applyNewAddress(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
  options: SubscribeOptions,
): Promise<void> {
  if (contactIds.length === 0) return
  const pairs = await subscriptions.voidConfirmations(tx, organizationId, contactIds)
  const rows = await lockPairs(tx, organizationId, pairs)
  const endedRows = await endOptedOut(tx, organizationId, rows, options)
  const unconfirmedRows = rows.filter(
    (row) => row.doubleOptIn && row.status !== 'unsubscribed' && !endedRows.includes(row),
  )
  const addressed = unconfirmedRows.flatMap((row) =>
    row.email !== null && facts(row).mailable
      ? [{ row, address: options.addressOf(row.email) }]
      : [],
  )
  const mailed = await countToday(
    tx,
    organizationId,
    addressed.map(({ address }) => address),
  )
  const mailedRows = addressed.filter(({ address }) => mailed.tryAdd(address))
  const silent = unconfirmedRows.filter((row) => !mailedRows.some((each) => each.row === row))
  // Without an address, or above the day's limit, nobody is mailed now and nobody unconfirmed is
  // subscribed: the reminder asks, or the request expires after thirty days.
  await subscriptions.setStatus(tx, organizationId, silent, { status: 'pending', mails: 1 })
  await outbox.putAll(
    tx,
    organizationId,
    [...superseded(silent), ...starting(silent)],
    options.requestId,
  )
  await ask(tx, organizationId, mailedRows, options)
}

async function endOptedOut(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly PairFacts[],
  { source, addressOf, requestId }: SubscribeOptions,
): Promise<PairFacts[]> {
  const optOutQuestions = rows.flatMap((row) =>
    row.email === null ? [] : [{ row, topicId: row.topicId, address: addressOf(row.email) }],
  )
  const findOptOut = await optOuts.lookUp(tx, organizationId, optOutQuestions)
  const endedRows = optOutQuestions
    .filter((each) => findOptOut(each) !== null)
    .map(({ row }) => row)
  if (endedRows.length > 0)
    await end(tx, organizationId, endedRows, { source, own: true, requestId })
  return endedRows
}

async function lockPairs(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
): Promise<PairFacts[]> {
  if (pairs.length === 0) return []
  // Separate statements, so that the second one sees the state under the lock.
  const contactIds = new Set(pairs.map(({ contactId }) => contactId))
  await contactStatuses.lockAll(tx, organizationId, [...contactIds])
  return subscriptions.listFacts(tx, organizationId, pairs)
}

const at = (time: string | null): number | null => (time === null ? null : Date.parse(time))

const facts = (row: PairFacts): Omit<SubscriptionFacts, 'mailsToday' | 'willing' | 'inSet'> => ({
  doubleOptIn: row.doubleOptIn,
  status: row.status,
  confirmedAt: at(row.confirmedAt),
  optedOutAt: at(row.optedOutAt),
  optedOutOfAllAt: at(row.emailOptedOutAt),
  mailedAt: at(row.mailedAt),
  mailable: row.email !== null && ['active', 'unsubscribed'].includes(row.emailStatus ?? ''),
  now: Date.parse(row.now),
})

/**
 * Makes the rows `pending`, with a confirmation email and the workflow that reminds and expires.
 */
async function ask(
  tx: Transaction,
  organizationId: Uuid,
  confirmationRequests: readonly { row: PairFacts; address: Addressed }[],
  { source, cohort, requestId }: SubscribeOptions,
): Promise<void> {
  const rows = confirmationRequests.map(({ row }) => row)
  const pending = { status: 'pending', isMailed: true, cohort } as const
  await subscriptions.setStatus(tx, organizationId, rows, pending)
  await confirmationMails.record(
    tx,
    organizationId,
    confirmationRequests.map(({ address }) => address),
  )
  await outbox.putAll(
    tx,
    organizationId,
    [...superseded(rows), ...(cohort === undefined ? starting(rows) : [])],
    requestId,
  )
  const events = ofTopics(rows, 'requested', source)
  await recordConsent(tx, organizationId, events, requestId)
}

const starting = (rows: readonly PairFacts[]) =>
  rows.map(({ contactId, topicId, generation }) => ({
    kind: 'start_confirmation' as const,
    payload: { contactId, topicId, generation: (generation ?? 0) + 1 },
  }))

/** Outbox messages that end the workflows of confirmations that are no longer awaited. */
const superseded = (rows: readonly PairFacts[]) =>
  rows.flatMap(({ contactId, topicId, status, generation, cohort }) =>
    status === 'pending' && generation !== null && cohort === null
      ? [{ kind: 'end_confirmation' as const, payload: { contactId, topicId, generation } }]
      : [],
  )

async function end(
  tx: Transaction,
  organizationId: Uuid,
  rows: readonly PairFacts[],
  { source, own, addressOf, requestId }: UnsubscribeOptions,
): Promise<Pair[]> {
  const ending = rows.filter(({ status }) => status === 'subscribed' || status === 'pending')
  await subscriptions.setStatus(tx, organizationId, ending, { status: 'unsubscribed' })
  if (own) await subscriptions.recordOptOuts(tx, organizationId, rows)
  if (own && addressOf) {
    const topicAddresses = rows.flatMap(({ topicId, email }) =>
      email === null ? [] : [{ topicId, address: addressOf(email) }],
    )
    await optOuts.record(tx, organizationId, topicAddresses)
  }
  await outbox.putAll(tx, organizationId, superseded(ending), requestId)
  await exitOnUnsubscribe(tx, organizationId, ending, requestId)
  const endedSubscriptions = ending
    .filter(({ status }) => status === 'subscribed')
    .map(({ contactId, topicId }) => ({ contactId, topicId }))
  const events = ofTopics(endedSubscriptions, 'unsubscribed', source)
  await recordConsent(tx, organizationId, events, requestId)
  return endedSubscriptions
}
