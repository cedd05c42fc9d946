import type { ConsentKind, ConsentSource } from '../../domain/consent/consent-event.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

export interface ConsentEvent {
  contactId: Uuid
  kind: ConsentKind
  topicId?: Uuid
  source: ConsentSource
}

/**
 * Appends events of all mail of contacts of several organizations. This transaction has changed the
 * contacts.
 */
export async function appendEach(
  tx: Transaction,
  events: readonly (Omit<ConsentEvent, 'topicId'> & { organizationId: Uuid })[],
): Promise<void> {
  if (events.length === 0) return
  await tx`
    insert into consent_events (organization_id, contact_id, id, kind, source)
    select *
    from unnest(
      ${events.map(({ organizationId }) => organizationId)}::uuid[],
      ${events.map(({ contactId }) => contactId)}::uuid[],
      ${events.map(() => uuidv7())}::uuid[],
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ source }) => source)}::text[]
    )`
}

/**
 * Appends events to the record of consent. Their contacts have changed: a sync by `updatedAfter`
 * reads them again. What this transaction wrote itself is new already. The contacts are locked.
 */
export const append = (
  tx: Transaction,
  organizationId: Uuid,
  events: readonly ConsentEvent[],
) => tx`
  with recorded as (
    insert into consent_events (organization_id, contact_id, id, kind, topic_id, source)
    select ${organizationId}, contact_id, id, kind, topic_id, source
    from unnest(
      ${events.map(({ contactId }) => contactId)}::uuid[],
      ${events.map(() => uuidv7())}::uuid[],
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ topicId }) => topicId ?? null)}::uuid[],
      ${events.map(({ source }) => source)}::text[]
    ) as event (contact_id, id, kind, topic_id, source)
    returning contact_id
  )
  update contacts
  set updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId}
    and id = any(array(select distinct contact_id from recorded))
    and updated_at < now()::timestamptz(3)`
