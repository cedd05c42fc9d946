/** Where a contact stands with a topic. */
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
  /** Null: never had to do with the topic. */
  status: SubscriptionStatus | null
  confirmedAt: number | null
  /** When the person last left the topic by themselves; of an address, also before `status`. */
  leftAt: number | null
  /** When the person last left all mail by themselves. */
  leftAllAt: number | null
  /** When a confirmation mail was last decided. */
  mailedAt: number | null
  /** Their address takes confirmation mail. */
  mailable: boolean
  /** Confirmation mails to the address within the last day. */
  mailsToday: number
  /** The person asks themselves, or the caller vouches that they want it again. */
  willing: boolean
  /** One of many, as a tool sends them every night: nobody is asked again because of it. */
  inSet: boolean
  now: number
}

/**
 * - `none`: is subscribed already, or waits for a confirmation that was mailed a moment ago (of a
 *   set: whenever it was)
 * - `kept`: the person left by themselves (of a set: or did not answer when they were asked), and
 *   nobody says that they want it again
 * - `limited`: needs a confirmation that must not be mailed: nothing changes
 * - `subscribe`: from now on; `ask`: a confirmation mail, `pending` until it is confirmed
 */
export type SubscriptionStep = 'none' | 'kept' | 'limited' | 'subscribe' | 'ask'

/** What becomes of a wish to subscribe somebody to a topic. */
export function decideSubscription(facts: SubscriptionFacts): SubscriptionStep {
  const { doubleOptIn, status, confirmedAt, leftAt, leftAllAt, mailedAt, now } = facts
  if (status === 'subscribed') return 'none'
  const left = Math.max(leftAt ?? 0, leftAllAt ?? 0)
  if (!doubleOptIn) {
    return leftAt !== null && !facts.willing ? 'kept' : 'subscribe'
  }
  // Confirmed before and never left by themselves since: no second mail.
  if (status !== 'pending' && confirmedAt !== null && confirmedAt > left) return 'subscribe'
  if (facts.inSet && !facts.willing) {
    if (status === 'pending') return 'none'
    if (mailedAt !== null || left > 0) return 'kept'
  }
  const isFresh = status === 'pending' && mailedAt !== null && now - mailedAt < REMAIL_AFTER_MS
  if (isFresh) return 'none'
  const may = facts.mailable && facts.mailsToday < MOST_CONFIRMATION_MAILS_A_DAY
  return may ? 'ask' : 'limited'
}

/**
 * - `awaited`: confirming it subscribes
 * - `confirmed`: by this very link, and nothing has changed since
 * - `over`: replaced, expired, left, or mailed to another address: it does nothing any more
 */
export type ConfirmationStanding = 'awaited' | 'confirmed' | 'over'

/** What a confirmation link is good for, given where the subscription stands now. */
export function confirmationStanding(facts: {
  status: SubscriptionStatus
  generation: number
  isConfirmed: boolean
  /** The generation that the link asks about. */
  asked: number
  /** The contact still has the address that the link was mailed to. */
  isMailed: boolean
}): ConfirmationStanding {
  const { status, generation, isConfirmed, asked, isMailed } = facts
  if (!isMailed) return 'over'
  if (status === 'pending' && generation === asked) return 'awaited'
  return status === 'subscribed' && generation === asked + 1 && isConfirmed ? 'confirmed' : 'over'
}
