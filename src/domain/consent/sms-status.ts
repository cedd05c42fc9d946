export const SMS_STATUSES = ['pending_consent', 'opted_in', 'opted_out', 'invalid'] as const
export type SmsStatus = (typeof SMS_STATUSES)[number]

/** Reasons why a number is not texted, whoever has it. */
export const PHONE_REASONS = ['opted_out', 'invalid'] as const satisfies readonly SmsStatus[]
export type PhoneReason = (typeof PHONE_REASONS)[number]

export const isPhoneReason = (word: string | null): word is PhoneReason =>
  PHONE_REASONS.some((reason) => reason === word)

export const phoneReasonIn = (status: SmsStatus | null): PhoneReason | undefined =>
  isPhoneReason(status) ? status : undefined

export interface SmsStatusRequest {
  /** The contact as it is; nulls when it is new. */
  before: { phone: string | null; smsStatus: SmsStatus | null }
  /** The number that it will have. */
  phone: string | null
  /** Reason of the list's entry of that number. */
  listed: PhoneReason | undefined
  /** Undefined: the write has no status. */
  requestedStatus: SmsStatus | undefined
  /** The caller vouches that the person wants messages again. */
  resubscribe: boolean
}

export interface SmsStatusDecision {
  status: SmsStatus | null
  /** A better status was requested and refused. */
  isKept: boolean
  /** The status that the caller's word ended; null: none. */
  resubscribedFrom: PhoneReason | null
}

const WITHOUT_NUMBER: SmsStatusDecision = { status: null, isKept: false, resubscribedFrom: null }

/**
 * Decides the status of a contact's number: null without a number. What the list knows of a number
 * is true whoever has it; for the rest another number begins anew. A write makes `opted_out` and
 * `invalid` better only together with `resubscribe`, so that no sync tool brings back a person who
 * opted out.
 */
export function decideSmsStatus({
  before,
  phone,
  listed,
  requestedStatus,
  resubscribe,
}: SmsStatusRequest): SmsStatusDecision {
  if (phone === null) return WITHOUT_NUMBER
  const current = phone === before.phone ? before.smsStatus : null
  const reason = graver(phoneReasonIn(current), listed)
  const status = reason ?? current ?? 'pending_consent'
  if (requestedStatus === undefined) return { status, isKept: false, resubscribedFrom: null }
  const isBetter = graver(reason, phoneReasonIn(requestedStatus)) !== phoneReasonIn(requestedStatus)
  if (isBetter && !resubscribe) return { status, isKept: true, resubscribedFrom: null }
  const resubscribedFrom = (isBetter && reason) || null
  return { status: requestedStatus, isKept: false, resubscribedFrom }
}

const graver = (a: PhoneReason | undefined, b: PhoneReason | undefined): PhoneReason | undefined =>
  a === 'opted_out' ? a : (b ?? a)
