import type { EmailStatus } from '../status.ts'

const DAY_MS = 86_400_000

/** How far ahead a single mail can be scheduled. */
export const MOST_DAYS_AHEAD = 30
/** A caller's clock may be a little behind: its "now" is not refused. */
const PAST_MS = 60_000
/** How long what a mail said is kept after its time to be sent. */
const KEPT_MS = 7 * DAY_MS

/** What `GET /v1/email/{id}` says besides the statuses of the log. */
export const SINGLE_MAIL_STATUSES = ['scheduled', 'cancelled'] as const

/** Why a mail was skipped that its sender took back; not listed in logs. */
export const CANCELLED = 'cancelled'

/** What is wrong with a time to send at, milliseconds since 1970; undefined: nothing. */
export function timeProblem(time: number, now: number): string | undefined {
  if (time < now - PAST_MS) return 'must be in the future'
  if (time > now + MOST_DAYS_AHEAD * DAY_MS) return `lies more than ${MOST_DAYS_AHEAD} days ahead`
  return undefined
}

/**
 * Until when what a mail says is stored at least, milliseconds since 1970. It is kept longer while
 * the mail is not settled.
 */
export const keptUntil = (sendAt: number, retainBody: boolean): number =>
  retainBody ? sendAt + KEPT_MS : sendAt

/**
 * Why an address may not get a receipt; undefined: it may. Who unsubscribed still gets what was
 * asked for.
 */
export const refusalOfReceipt = (reason: EmailStatus | undefined): string | undefined =>
  reason === 'unsubscribed' || reason === 'active' ? undefined : reason
