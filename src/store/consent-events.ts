import { type Uuid, uuidv7 } from '../ids.ts'
import { fire, type Occurrence } from './flow-triggers.ts'
import type { Transaction } from './sql.ts'

/** What changes a person's consent: see the table. */
export type ConsentSource =
  | 'api'
  | 'import'
  | 'link'
  | 'preferences'
  | 'confirmation'
  | 'event'
  | 'expiry'
  | 'workflow'

export type ConsentKind =
  | 'requested'
  | 'subscribed'
  | 'unsubscribed'
  | 'expired'
  | 'resubscribed'
  | 'bounced'
  | 'suppressed'
  | 'complained'

export interface ConsentEvent {
  contactId: Uuid
  kind: ConsentKind
  /** Absent: all mail. */
  topicId?: Uuid
  source: ConsentSource
}

/** The same of each of these pairs. */
export const ofTopics = (
  pairs: readonly { contactId: Uuid; topicId: Uuid }[],
  kind: ConsentKind,
  source: ConsentSource,
): ConsentEvent[] => pairs.map(({ contactId, topicId }) => ({ contactId, topicId, kind, source }))

/**
 * Notes what became of people's consent, in the transaction that changes it, and starts the flows
 * that wait for it. One place, so that what follows from a change (automations, outgoing webhooks)
 * has one place as well. The contacts are locked.
 */
export async function record(
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ConsentEvent[],
  requestId: string | undefined,
): Promise<void> {
  if (events.length === 0) return
  await tx`
    insert into consent_events (organization_id, contact_id, id, kind, topic_id, source)
    select ${organizationId}, contact_id, id, kind, topic_id, source
    from unnest(
      ${events.map(({ contactId }) => contactId)}::uuid[],
      ${events.map(() => uuidv7())}::uuid[],
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ topicId }) => topicId ?? null)}::uuid[],
      ${events.map(({ source }) => source)}::text[]
    ) as event (contact_id, id, kind, topic_id, source)`
  await fire(tx, organizationId, events.flatMap(occurrencesOf), requestId)
}

/** Only of topics: what becomes of all mail becomes of each topic as well. */
function occurrencesOf({ contactId, kind, topicId }: ConsentEvent): Occurrence[] {
  if (topicId === undefined) return []
  if (kind === 'subscribed') return [{ type: 'topic_subscribed', contactId, topicId }]
  if (kind === 'unsubscribed') return [{ type: 'topic_unsubscribed', contactId, topicId }]
  return []
}
