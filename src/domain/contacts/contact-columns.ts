/** Counters of a contact, by the names that exports, imports and conditions use. */
export const CONTACT_COUNTS = [
  'emailsSent',
  'emailsOpened',
  'emailsClicked',
  'smsSent',
  'smsClicked',
] as const

export const CONTACT_TIMES = [
  'emailVerifiedAt',
  'emailUnsubscribedAt',
  'emailBouncedAt',
  'emailComplainedAt',
  'emailSuppressedAt',
  'smsConsentedAt',
  'smsOptedOutAt',
  'lastActivityAt',
  'lastEmailSentAt',
  'lastEmailOpenedAt',
  'lastEmailClickedAt',
  'createdAt',
  'updatedAt',
] as const

export const CONTACT_STATS: ReadonlySet<string> = new Set([
  ...CONTACT_COUNTS,
  ...CONTACT_TIMES.filter((name) => name.startsWith('last')),
])
