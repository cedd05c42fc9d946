import type { EmailStatus } from '../status.ts'

const DAY_MS = 86_400_000

/** Days by which a single mail can be scheduled ahead. */
export const MOST_DAYS_AHEAD = 30
/** Tolerance for callers' clocks, so that their "now" is not refused. */
const PAST_MS = 60_000
/** Retention of a mail's content after its sending time. */
const KEPT_MS = 7 * DAY_MS

/** Statuses of `GET /v1/email/{id}` besides those of the log. */
export const SINGLE_MAIL_STATUSES = ['scheduled', 'cancelled'] as const

/** Skip reason of a mail that its sender cancelled. Not listed in logs. */
export const CANCELLED = 'cancelled'

/** Returns the problem of a sending time (milliseconds since 1970), or undefined. */
export function timeProblem(time: number, now: number): string | undefined {
  if (time < now - PAST_MS) return 'must be in the future'
  if (time > now + MOST_DAYS_AHEAD * DAY_MS) return `lies more than ${MOST_DAYS_AHEAD} days ahead`
  return undefined
}

/**
 * Returns the time until which a mail's content is stored, in milliseconds since 1970. It is kept
 * longer while the mail has no outcome.
 */
export const keptUntil = (sendAt: number, retainBody: boolean): number =>
  retainBody ? sendAt + KEPT_MS : sendAt

/**
 * Returns the reason why an address may not get a receipt. A person who unsubscribed still gets the
 * mail that they requested.
 */
export const refusalOfReceipt = (reason: EmailStatus | undefined): string | undefined =>
  reason === 'unsubscribed' || reason === 'active' ? undefined : reason
