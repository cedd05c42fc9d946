export const HOOK_EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.unsubscribed',
  'topic.subscribed',
  'topic.unsubscribed',
  'email.sent',
  'email.delivered',
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'email.suppressed',
  'email.failed',
  'batch.completed',
  'batch.failed',
  'batch.paused',
  'batch.cancelled',
  'execution.completed',
  'execution.failed',
] as const
export type HookEventType = (typeof HOOK_EVENT_TYPES)[number]

/** Sources of mail by which an endpoint may filter `email.*` events. */
export const HOOK_SOURCES = ['batch', 'workflow', 'transactional', 'confirmation'] as const
export type HookSource = (typeof HOOK_SOURCES)[number]

export const MOST_HOOK_ENDPOINTS = 10
/** Calls of one endpoint that may be under way at once. */
export const MOST_IN_FLIGHT = 10

/** Lower values are called first. An import of a million contacts must not delay anything else. */
export const HOOK_PRIORITY = { test: 0, event: 1, import: 2 } as const

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Returns the id of an event on the wire. It has no dot, which the signature forbids. */
export const hookEventId = (id: string): string => `evt_${id.replaceAll('-', '')}`
