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
 * Appends events to the record of consent. Their contacts must be locked. They count as changed, so
 * that a sync by `updatedAfter` reads them again, unless this transaction wrote them anyway.
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
