import { type Uuid, uuidv7 } from '../ids.ts'
import type { Executor } from './sql.ts'

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

/**
 * Notes what became of people's consent, in the transaction that changes it. One place, so that
 * what follows from a change (automations, outgoing webhooks) has one place as well.
 */
export async function record(
  sql: Executor,
  organizationId: Uuid,
  events: readonly ConsentEvent[],
): Promise<void> {
  if (events.length === 0) return
  await sql`
    insert into consent_events (organization_id, contact_id, id, kind, topic_id, source)
    select ${organizationId}, contact_id, id, kind, topic_id, source
    from unnest(
      ${events.map(({ contactId }) => contactId)}::uuid[],
      ${events.map(() => uuidv7())}::uuid[],
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ topicId }) => topicId ?? null)}::uuid[],
      ${events.map(({ source }) => source)}::text[]
    ) as event (contact_id, id, kind, topic_id, source)`
}
