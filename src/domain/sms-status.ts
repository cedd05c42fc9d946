export const SMS_STATUSES = ['pending_consent', 'opted_in', 'opted_out', 'invalid'] as const
export type SmsStatus = (typeof SMS_STATUSES)[number]

/** What somebody asks for when writing a contact. */
export interface SmsStatusRequest {
  /** Of the contact; null when it is new, has no number or a new one. */
  current: SmsStatus | null
  /** Undefined: nothing was said. */
  asked: SmsStatus | undefined
  /** The caller vouches that the person wants messages again. */
  resubscribe: boolean
}

/** The status that a number gets: who has opted out stays so unless somebody vouches for them. */
export function decideSmsStatus({ current, asked, resubscribe }: SmsStatusRequest): {
  status: SmsStatus
  kept: boolean
} {
  const isKept = current === 'opted_out' && asked !== undefined && asked !== current
  if (isKept && !resubscribe) return { status: current, kept: true }
  return { status: asked ?? current ?? 'pending_consent', kept: false }
}
