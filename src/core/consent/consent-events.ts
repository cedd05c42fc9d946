import type { ConsentKind, ConsentSource } from '../../domain/consent/consent-event.ts'
import type { SmsStatus } from '../../domain/consent/sms-status.ts'
import type { HookEventType } from '../../domain/hooks/hook-event.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as consentEvents from '../../store/consent/consent-events.ts'
import type { ConsentEvent } from '../../store/consent/consent-events.ts'
import type { Pair } from '../../store/consent/subscriptions.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { HookFact } from '../../store/hooks/hook-facts.ts'
import * as hookFacts from '../../store/hooks/hook-facts.ts'
import { fire, type Occurrence } from '../flows/triggers.ts'

export const ofTopics = (
  pairs: readonly Pair[],
  kind: ConsentKind,
  source: ConsentSource,
): ConsentEvent[] => pairs.map(({ contactId, topicId }) => ({ contactId, topicId, kind, source }))

/**
 * Records changes of consent in the transaction that makes them, starts the flows that wait for
 * them, and tells webhook endpoints. Every change passes here. The contacts must be locked.
 */
export async function recordConsent(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ConsentEvent[],
  requestId: string | undefined,
): Promise<void> {
  if (events.length === 0) return
  await consentEvents.append(tx, organizationId, events)
  await fire(tx, organizationId, events.flatMap(occurrencesOf), requestId)
  await recordHooks(
    tx,
    events.map((event) => ({ organizationId, ...event })),
  )
}

/**
 * Records changes of all mail of contacts of several organizations, for which no flow waits. The
 * contacts are locked, and this transaction has changed them.
 */
export async function recordConsentEach(
  tx: Transaction,
  events: readonly (Omit<ConsentEvent, 'topicId'> & { organizationId: Uuid })[],
): Promise<void> {
  await consentEvents.appendEach(tx, events)
  await recordHooks(tx, events)
}

/** Tells webhook endpoints who wants no mail or no texts, and who joined or left a topic. */
async function recordHooks(
  tx: Transaction,
  events: readonly (ConsentEvent & { organizationId: Uuid })[],
): Promise<void> {
  const occurredAt = new Date().toISOString()
  const facts = events.flatMap((event): HookFact[] => {
    const { organizationId, contactId, topicId, source, kind } = event
    const type = hookTypeOf(event)
    if (type === undefined) return []
    const fact = { organizationId, type, occurredAt, toldApartBy: uuidv7(), contactId }
    if (topicId !== undefined) return [{ ...fact, topicId, extra: { source } }]
    const channel = kind === 'sms_opted_out' ? 'sms' : 'email'
    return [{ ...fact, extra: { source, channel } }]
  })
  await hookFacts.record(tx, facts)
}

function hookTypeOf({ kind, topicId }: ConsentEvent): HookEventType | undefined {
  if (kind === 'sms_opted_out') return 'contact.unsubscribed'
  if (kind === 'unsubscribed') {
    return topicId === undefined ? 'contact.unsubscribed' : 'topic.unsubscribed'
  }
  return kind === 'subscribed' && topicId !== undefined ? 'topic.subscribed' : undefined
}

/** Returns what is recorded of a contact that gets this status. Undefined: nothing. */
export function smsConsentKind(status: SmsStatus | null): ConsentKind | undefined {
  if (status === 'opted_in') return 'sms_opted_in'
  return status === 'opted_out' ? 'sms_opted_out' : undefined
}

/** Only topics trigger flows: a change of all mail is also recorded for each topic. */
function occurrencesOf({ contactId, kind, topicId, source }: ConsentEvent): Occurrence[] {
  if (topicId === undefined) return []
  const about = { contactId, topicId, byStep: source === 'workflow' }
  if (kind === 'subscribed') return [{ type: 'topic_subscribed', ...about }]
  if (kind === 'unsubscribed') return [{ type: 'topic_unsubscribed', ...about }]
  return []
}
