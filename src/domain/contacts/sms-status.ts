export const SMS_STATUSES = ['pending_consent', 'opted_in', 'opted_out', 'invalid'] as const
export type SmsStatus = (typeof SMS_STATUSES)[number]

/** What somebody asks for when writing a contact. */
export interface SmsStatusRequest {
  /** The contact as it is; nulls when it is new. */
  before: { phone: string | null; smsStatus: SmsStatus | null }
  /** The number that it will have. */
  phone: string | null
  /** Undefined: nothing was said. */
  asked: SmsStatus | undefined
  /** The caller vouches that the person wants messages again. */
  resubscribe: boolean
}

export interface SmsStatusDecision {
  status: SmsStatus | null
  /** Something better was asked for than the person's own word allows. */
  kept: boolean
}

const WITHOUT_NUMBER: SmsStatusDecision = { status: null, kept: false }

/**
 * Returns the status of a contact's number: null without a number. Another number begins anew,
 * since what was said of the old one was said by whoever has it. A person who opted out stays so
 * unless the caller vouches for them.
 */
export function decideSmsStatus({
  before,
  phone,
  asked,
  resubscribe,
}: SmsStatusRequest): SmsStatusDecision {
  if (phone === null) return WITHOUT_NUMBER
  const current = phone === before.phone ? before.smsStatus : null
  const isKept = current === 'opted_out' && asked !== undefined && asked !== current
  if (isKept && !resubscribe) return { status: current, kept: true }
  return { status: asked ?? current ?? 'pending_consent', kept: false }
}
