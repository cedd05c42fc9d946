import type { HookEventType } from '../../src/domain/hooks/hook-event.ts'
import { BatchSummary } from '../../src/schemas/batches/batch.ts'
import { Contact } from '../../src/schemas/contacts/contact.ts'
import { ID, TIME } from '../../src/schemas/common.ts'

const first = (schema: object): unknown =>
  'examples' in schema && Array.isArray(schema.examples) ? schema.examples[0] : undefined

const person = { id: ID, externalId: 'user-42', email: 'ada@example.com', phone: null }

const email = {
  id: ID,
  messageId: '010701930f8c2a7e-6f1d2c3b-0000-4a5b-8c9d-0e1f2a3b4c5d-000000',
  recipient: 'ada@example.com',
  subject: 'Hello Ada',
  from: 'news@example.com',
  source: 'batch',
  batchId: ID,
  executionId: null,
  templateId: null,
  tags: [],
  sentAt: TIME,
}

const bounce = {
  email,
  bouncedAt: TIME,
  bounceType: 'Permanent',
  bounceSubType: 'General',
  error: null,
}
const topic = { topic: { id: ID, slug: 'news', name: 'News' }, source: 'preferences' }
const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15'

const execution = {
  id: ID,
  workflowId: ID,
  workflowName: 'Welcome',
  workflowVersion: 1,
  contactId: ID,
  status: 'completed',
  reason: null,
  error: null,
  attempt: 1,
  currentStepId: 'send',
  topicId: null,
  eventId: null,
  createdAt: TIME,
  startedAt: TIME,
  finishedAt: TIME,
}

const SAMPLES: Record<HookEventType, Record<string, unknown>> = {
  'contact.created': { contact: first(Contact) },
  'contact.updated': { contact: first(Contact) },
  'contact.deleted': { contact: { id: ID, externalId: 'user-42' } },
  'contact.unsubscribed': { contact: person, channel: 'email', source: 'link' },
  'topic.subscribed': { contact: person, ...topic },
  'topic.unsubscribed': { contact: person, ...topic },
  'email.sent': { email },
  'email.delivered': { email, deliveredAt: TIME },
  'email.opened': { email, openedAt: TIME, userAgent },
  'email.clicked': { email, clickedAt: TIME, url: 'https://example.com/offer', userAgent },
  'email.bounced': bounce,
  'email.complained': { email, complainedAt: TIME },
  'email.suppressed': {
    ...bounce,
    suppressedAt: TIME,
    bounceSubType: 'OnAccountSuppressionList',
  },
  'email.failed': { email, failedAt: TIME, error: 'content_lost' },
  'batch.completed': { batch: first(BatchSummary) },
  'batch.failed': { batch: first(BatchSummary) },
  'batch.paused': { batch: first(BatchSummary) },
  'batch.cancelled': { batch: first(BatchSummary) },
  'execution.completed': { execution },
  'execution.failed': { execution: { ...execution, status: 'failed', reason: 'step_failed' } },
}

/** Data of a test event, marked as such. */
export const sampleData = (type: HookEventType): Record<string, unknown> => ({
  ...SAMPLES[type],
  test: true,
})
