/** The status of a contact in a topic. */
export const SUBSCRIPTION_STATUSES = ['pending', 'subscribed', 'unsubscribed'] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

/** While a confirmation is awaited, a second mail within this time would only annoy. */
export const REMAIL_AFTER_MS = 10 * 60_000
/** Confirmation mails to one address in a day, reminders included: a form may be abused. */
export const MOST_CONFIRMATION_MAILS_A_DAY = 3
export const REMIND_AFTER_MS = 3 * 86_400_000
export const EXPIRE_AFTER_MS = 30 * 86_400_000

/** What is known when somebody is to be subscribed. Times in milliseconds since 1970. */
export interface SubscriptionFacts {
  doubleOptIn: boolean
  /** Null: there is no subscription. */
  status: SubscriptionStatus | null
  confirmedAt: number | null
  /** When the person last unsubscribed from the topic themselves, also before this contact. */
  optedOutAt: number | null
  /** When the person last unsubscribed from all mail themselves. */
  optedOutOfAllAt: number | null
  /** When a confirmation mail was last decided. */
  mailedAt: number | null
  /** Their address takes confirmation mail. */
  mailable: boolean
  /** Confirmation mails to the address within the last day. */
  mailsToday: number
  /** The person asks themselves, or the caller vouches that they want it again. */
  willing: boolean
  /** One of many, as a tool sends them every night: nobody is asked again because of that. */
  inSet: boolean
  now: number
}

/**
 * - `none`: already subscribed, or waiting for a confirmation that was mailed a moment ago (in a
 *   set: at any time)
 * - `kept`: the person opted out (in a set: or did not answer when they were asked), and nobody
 *   says that they want it again
 * - `limited`: a confirmation is needed and must not be mailed: nothing changes
 * - `subscribe`: subscribed from now on
 * - `ask`: a confirmation mail, `pending` until it is confirmed
 */
export type SubscriptionStep = 'none' | 'kept' | 'limited' | 'subscribe' | 'ask'

/** Decides what a request to subscribe a contact to a topic does. */
export function decideSubscription(facts: SubscriptionFacts): SubscriptionStep {
  const { doubleOptIn, status, confirmedAt, optedOutAt, optedOutOfAllAt, mailedAt, now } = facts
  if (status === 'subscribed') return 'none'
  const lastOptOut = Math.max(optedOutAt ?? 0, optedOutOfAllAt ?? 0)
  if (!doubleOptIn) {
    return optedOutAt !== null && !facts.willing ? 'kept' : 'subscribe'
  }
  // Confirmed before and never opted out since: no second mail.
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
 * - `awaited`: confirming it subscribes
 * - `confirmed`: by this very link, and nothing has changed since
 * - `over`: replaced, expired, unsubscribed, or mailed to another address: it no longer works
 */
export type ConfirmationState = 'awaited' | 'confirmed' | 'over'

/** Returns what a confirmation link still does, given the subscription as it is now. */
export function confirmationState(facts: {
  status: SubscriptionStatus
  generation: number
  isConfirmed: boolean
  /** The generation that the link asks about. */
  asked: number
  /** The contact still has the address that the link was mailed to. */
  isMailed: boolean
}): ConfirmationState {
  const { status, generation, isConfirmed, asked, isMailed } = facts
  if (!isMailed) return 'over'
  if (status === 'pending' && generation === asked) return 'awaited'
  return status === 'subscribed' && generation === asked + 1 && isConfirmed ? 'confirmed' : 'over'
}
