export const SUBSCRIPTION_STATUSES = ['pending', 'subscribed', 'unsubscribed'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** Minimum time between confirmation emails for one pending subscription. */
export const REMAIL_AFTER_MS = 10 * 60_000
/** Confirmation emails to one address in a day, including reminders, since forms can be abused. */
export const MOST_CONFIRMATION_MAILS_A_DAY = 3
export const REMIND_AFTER_MS = 3 * 86_400_000
export const EXPIRE_AFTER_MS = 30 * 86_400_000

/**
 * Facts about a contact and a topic that decide a request to subscribe. Times in milliseconds since
 * 1970.
 */
export interface SubscriptionFacts {
  doubleOptIn: boolean
  status: SubscriptionStatus | null
  confirmedAt: number | null
  /** Last time the person unsubscribed from the topic, also with an earlier contact. */
  optedOutAt: number | null
  optedOutOfAllAt: number | null
  mailedAt: number | null
  mailable: boolean
  mailsToday: number
  /** The person makes the request, or the caller vouches that they want mail again. */
  willing: boolean
  /** The request covers many contacts, as nightly syncs do. It does not ask people again. */
  inSet: boolean
  now: number
}

/**
 * Decisions:
 * - `none`: already subscribed, or a confirmation email was sent a moment ago (in a set: at any
 *   time)
 * - `kept`: the person opted out (in a set: or did not answer the confirmation email), and nobody
 *   vouches that they want mail again
 * - `limited`: a confirmation is needed, but no email may be sent. Nothing changes
 * - `subscribe`: subscribed at once
 * - `ask`: a confirmation email is sent, and the subscription is `pending` until it is confirmed
 */
export type SubscriptionStep = 'none' | 'kept' | 'limited' | 'subscribe' | 'ask'

export function decideSubscription(facts: SubscriptionFacts): SubscriptionStep {
  const { doubleOptIn, status, confirmedAt, optedOutAt, optedOutOfAllAt, mailedAt, now } = facts
  if (status === 'subscribed') return 'none'
  const lastOptOut = Math.max(optedOutAt ?? 0, optedOutOfAllAt ?? 0)
  if (!doubleOptIn) {
    return optedOutAt !== null && !facts.willing ? 'kept' : 'subscribe'
  }
  // Confirmed earlier and not opted out since, so no second email is needed.
  if (status !== 'pending' && confirmedAt !== null && confirmedAt > lastOptOut) return 'subscribe'
  if (facts.inSet && !facts.willing) {
    if (status === 'pending') return 'none'
    if (mailedAt !== null || lastOptOut > 0) return 'kept'
  }
  const isFresh = status === 'pending' && mailedAt !== null && now - mailedAt < REMAIL_AFTER_MS
  if (isFresh) return 'none'
  const may = facts.mailable && facts.mailsToday < MOST_CONFIRMATION_MAILS_A_DAY
  return may ? 'ask' : 'limited'
}

/**
 * States of a confirmation link:
 * - `awaited`: confirming it subscribes
 * - `confirmed`: confirmed by this link, and nothing has changed since
 * - `over`: replaced, expired, unsubscribed, or mailed to another address. It no longer works
 */
export type ConfirmationState = 'awaited' | 'confirmed' | 'over'

export function confirmationState(facts: {
  status: SubscriptionStatus
  generation: number
  isConfirmed: boolean
  linkGeneration: number
  isMailed: boolean
}): ConfirmationState {
  const { status, generation, isConfirmed, linkGeneration, isMailed } = facts
  if (!isMailed) return 'over'
  if (status === 'pending' && generation === linkGeneration) return 'awaited'
  return status === 'subscribed' && generation === linkGeneration + 1 && isConfirmed
    ? 'confirmed'
    : 'over'
}
