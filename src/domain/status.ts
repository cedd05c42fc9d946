export const LOG_STATUSES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'suppressed',
  'failed',
  'queued',
  'pending',
  'opted_out',
] as const
export type LogStatus = (typeof LOG_STATUSES)[number]

/** Event kinds of our own. SES event types map onto these. */
export const EVENT_KINDS = [
  'send',
  'delivery',
  'delivery_delay',
  'bounce',
  'complaint',
  'reject',
  'open',
  'click',
  'rendering_failure',
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

export const isEventKind = (kind: string): kind is EventKind =>
  EVENT_KINDS.some((knownKind) => knownKind === kind)

/**
 * Rank of each status. A message's status only rises: a click outranks an open, and a bounce, a
 * suppression and a complaint outrank all of them, so that a later open never overwrites them.
 */
const RANK: Record<LogStatus, number> = {
  queued: 0,
  pending: 1,
  opted_out: 1,
  sent: 2,
  delivered: 3,
  opened: 4,
  clicked: 5,
  failed: 6,
  bounced: 7,
  suppressed: 8,
  complained: 9,
}

export const higher = (a: LogStatus, b: LogStatus): LogStatus => (RANK[b] > RANK[a] ? b : a)

/** Contact statuses from best to worst. Events only move a contact to the right. */
export const EMAIL_STATUSES = [
  'active',
  'unsubscribed',
  'bounced',
  'suppressed',
  'complained',
] as const
export type EmailStatus = (typeof EMAIL_STATUSES)[number]

export const worse = (a: EmailStatus, b: EmailStatus): EmailStatus =>
  EMAIL_STATUSES.indexOf(b) > EMAIL_STATUSES.indexOf(a) ? b : a
