import type { PhoneReason, SmsStatus } from './sms-status.ts'

/**
 * Consent of a phone number, whoever has it: the latest times, in ISO 8601 with milliseconds, at
 * which its person opted out, opted in again, and at which the number was found not to exist.
 * Null: never.
 *
 * Latest times may be merged in any order, and repeatedly, with the same result.
 */
export interface PhoneConsent {
  stoppedAt: string | null
  startedAt: string | null
  invalidAt: string | null
}

export const UNKNOWN_PHONE: PhoneConsent = { stoppedAt: null, startedAt: null, invalidAt: null }

export const joined = (a: PhoneConsent, b: PhoneConsent): PhoneConsent => ({
  stoppedAt: latest(a.stoppedAt, b.stoppedAt),
  startedAt: latest(a.startedAt, b.startedAt),
  invalidAt: latest(a.invalidAt, b.invalidAt),
})

/** Returns why the number is not texted, if it is not. Of two equal times the stop counts. */
export function reasonOf({
  stoppedAt,
  startedAt,
  invalidAt,
}: PhoneConsent): PhoneReason | undefined {
  if (isSince(stoppedAt, startedAt)) return 'opted_out'
  if (isSince(invalidAt, startedAt)) return 'invalid'
  return undefined
}

/**
 * Returns what is known of a number once a caller has written this status. The status counts even
 * where the provider's clock is ahead of ours.
 */
export function withWrittenStatus(
  known: PhoneConsent,
  status: SmsStatus,
  now: string,
): PhoneConsent {
  const { stoppedAt, startedAt, invalidAt } = known
  switch (status) {
    case 'opted_out':
      return { ...known, stoppedAt: latest(now, latest(stoppedAt, startedAt)) }
    case 'invalid': {
      const isLifted = reasonOf(known) === 'opted_out'
      const liftedAt = isLifted ? latest(now, momentAfter(stoppedAt)) : startedAt
      return { ...known, startedAt: liftedAt, invalidAt: latest(now, latest(invalidAt, liftedAt)) }
    }
    case 'opted_in':
    case 'pending_consent': {
      const liftedAt = latest(momentAfter(stoppedAt), momentAfter(invalidAt))
      return { ...known, startedAt: latest(latest(startedAt, now), liftedAt) }
    }
  }
}

/** Returns the status of the contact that has a number of which more became known. */
export function statusOfHolder(
  current: SmsStatus,
  before: PhoneConsent,
  after: PhoneConsent,
): SmsStatus {
  const reason = reasonOf(after)
  const isStarted = after.startedAt !== before.startedAt
  if (isStarted) return reason ?? 'opted_in'
  return reason === undefined || current === 'opted_out' ? current : reason
}

const isSince = (time: string | null, startedAt: string | null): boolean =>
  time !== null && (startedAt === null || time >= startedAt)

function latest(a: string, b: string | null): string
function latest(a: string | null, b: string | null): string | null
function latest(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b
  return a > b ? a : b
}

const momentAfter = (time: string | null): string | null =>
  time === null ? null : new Date(Date.parse(time) + 1).toISOString()
