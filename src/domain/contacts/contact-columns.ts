/** What is counted of a contact, under the names that exports, imports and conditions use. */
export const CONTACT_COUNTS = [
  'emailsSent',
  'emailsOpened',
  'emailsClicked',
  'smsSent',
  'smsClicked',
] as const

/** When what happened to a contact. */
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

/** Those that are kept beside the contact, in `contact_stats`: not every contact has them. */
export const CONTACT_STATS: ReadonlySet<string> = new Set([
  ...CONTACT_COUNTS,
  ...CONTACT_TIMES.filter((name) => name.startsWith('last')),
])
