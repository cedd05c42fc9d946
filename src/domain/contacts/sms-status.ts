export const SMS_STATUSES = ['pending_consent', 'opted_in', 'opted_out', 'invalid'] as const
export type SmsStatus = (typeof SMS_STATUSES)[number]

export interface SmsStatusRequest {
  /** The contact before the write. All values are null for a new one. */
  before: { phone: string | null; smsStatus: SmsStatus | null }
  phone: string | null
  /** Undefined: the write has no status. */
  requestedStatus: SmsStatus | undefined
  /** The caller vouches that the person wants messages again. */
  resubscribe: boolean
}

export interface SmsStatusDecision {
  status: SmsStatus | null
  /** The person's own word does not allow the requested status. */
  isKept: boolean
}

const WITHOUT_NUMBER: SmsStatusDecision = { status: null, isKept: false }

/**
 * Returns the status of a contact's number. Null: no number. A new number starts without history,
 * since the old consent came from its owner. A person who opted out stays so unless the caller
 * vouches for them.
 */
export function decideSmsStatus({
  before,
  phone,
  requestedStatus: asked,
  resubscribe,
}: SmsStatusRequest): SmsStatusDecision {
  if (phone === null) return WITHOUT_NUMBER
  const current = phone === before.phone ? before.smsStatus : null
  const isKept = current === 'opted_out' && asked !== undefined && asked !== current
  if (isKept && !resubscribe) return { status: current, isKept: true }
  return { status: asked ?? current ?? 'pending_consent', isKept: false }
}
