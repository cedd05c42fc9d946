import { hookEventId, type HookEventType } from '../../domain/hooks/hook-event.ts'
import type { ToldDelivery } from '../../store/hooks/hook-deliveries.ts'
import type { HookSubjects } from './hook-subjects.ts'

/** Characters of a body. A contact's properties are left out of a longer one. */
const LONGEST_BODY = 20_000

/** Returns the body of a call. It omits a contact's properties if it would be too long. */
export function hookBody(delivery: ToldDelivery, data: HookData): string {
  const body = JSON.stringify(envelope(delivery, data))
  return body.length > LONGEST_BODY
    ? JSON.stringify(envelope(delivery, withoutProperties(data)))
    : body
}

const envelope = ({ eventId, type, occurredAt }: ToldDelivery, data: HookData) => ({
  id: hookEventId(eventId),
  type,
  createdAt: occurredAt,
  data,
})

type HookData = Record<string, unknown>

function withoutProperties(data: HookData): HookData {
  const { contact } = data
  if (typeof contact !== 'object' || contact === null) return data
  return { ...data, contact: { ...contact, properties: {} }, propertiesLeftOut: true }
}

/**
 * Returns the data of an event, read from the present rows, so that it contains nothing that was
 * erased. Undefined: its subject is gone.
 */
export function hookData(delivery: ToldDelivery, subjects: HookSubjects): HookData | undefined {
  const { type, contactId, extra } = delivery
  switch (type) {
    case 'contact.created':
    case 'contact.updated':
      return subjects.contact && { contact: withoutOrganization(subjects.contact) }
    case 'contact.deleted':
      return { contact: { id: contactId, externalId: extra?.['externalId'] ?? null } }
    case 'contact.unsubscribed':
      return withContact(subjects, { ...extra })
    case 'topic.subscribed':
    case 'topic.unsubscribed': {
      const { topic } = subjects
      return topic && withContact(subjects, { topic: withoutOrganization(topic), ...extra })
    }
    case 'batch.completed':
    case 'batch.failed':
    case 'batch.paused':
    case 'batch.cancelled':
      return subjects.batch && { batch: withoutOrganization(subjects.batch) }
    case 'execution.completed':
    case 'execution.failed':
      return subjects.execution && { execution: withoutOrganization(subjects.execution) }
    default:
      return mailData(type, delivery, subjects)
  }
}

type MailEventType = Extract<HookEventType, `email.${string}`>

function mailData(
  type: MailEventType,
  { occurredAt, extra }: ToldDelivery,
  { mail }: HookSubjects,
): HookData | undefined {
  if (!mail || mail.recipient === null) return undefined
  const email = {
    id: mail.id,
    messageId: mail.messageId,
    recipient: mail.recipient,
    subject: mail.subject,
    from: mail.from,
    source: mail.sourceType,
    batchId: mail.batchId,
    executionId: mail.executionId,
    templateId: mail.templateId,
    tags: mail.tags ?? [],
    sentAt: mail.sentAt,
  }
  const { bounceType, bounceSubType, error } = mail
  switch (type) {
    case 'email.sent':
      return { email }
    case 'email.delivered':
      return { email, deliveredAt: occurredAt }
    case 'email.opened':
      return { email, openedAt: occurredAt, ...extra }
    case 'email.clicked':
      return { email, clickedAt: occurredAt, ...extra }
    case 'email.bounced':
      return { email, bouncedAt: occurredAt, bounceType, bounceSubType, error }
    case 'email.suppressed': {
      const { bouncedAt } = mail
      return { email, suppressedAt: occurredAt, bouncedAt, bounceType, bounceSubType, error }
    }
    case 'email.complained':
      return { email, complainedAt: occurredAt }
    case 'email.failed':
      return { email, failedAt: occurredAt, error }
  }
}

/** Undefined: the contact does not exist. */
function withContact({ contact }: HookSubjects, more: HookData): HookData | undefined {
  if (!contact) return undefined
  const { id, externalId, email, phone } = contact
  return { contact: { id, externalId, email, phone }, ...more }
}

function withoutOrganization<Row extends { organizationId: string }>(row: Row) {
  const { organizationId: _, ...shownRow } = row
  return shownRow
}
