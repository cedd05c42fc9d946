import type { HookEventType, HookSource } from '../../domain/hooks/hook-event.ts'

/** The events that an endpoint can receive, in words, by what they are about. */
export const EVENT_GROUPS: readonly {
  title: string
  events: Partial<Record<HookEventType, string>>
}[] = [
  {
    title: 'Mails',
    events: {
      'email.sent': 'Sent',
      'email.delivered': 'Delivered',
      'email.opened': 'Opened by a person',
      'email.clicked': 'A link clicked by a person',
      'email.bounced': 'Bounced',
      'email.complained': 'Reported as spam',
      'email.suppressed': 'Refused by the suppression list of AWS',
      'email.failed': 'Failed',
    },
  },
  {
    title: 'Contacts',
    events: {
      'contact.created': 'Created',
      'contact.updated': 'Changed',
      'contact.deleted': 'Deleted',
      'contact.unsubscribed': 'Unsubscribed',
      'topic.subscribed': 'Subscribed to a topic',
      'topic.unsubscribed': 'Left a topic',
    },
  },
  {
    title: 'Batches and workflows',
    events: {
      'batch.completed': 'A batch is completed',
      'batch.failed': 'A batch has stopped',
      'batch.paused': 'A batch is paused',
      'batch.cancelled': 'A batch is cancelled',
      'execution.completed': 'An execution is completed',
      'execution.failed': 'An execution has failed',
    },
  },
]

export const SOURCE_WORDS: Record<HookSource, string> = {
  batch: 'Batches',
  workflow: 'Workflows',
  transactional: 'Single mails',
  confirmation: 'Confirmations',
}
