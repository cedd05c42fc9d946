import type { ConsentKind } from '../../domain/consent/consent-event.ts'
import { earliestAbout, type Uuid } from '../../runtime/ids.ts'
import type { ContactEvent, TimelineName } from '../../schemas/contacts/contact-change.ts'
import type { Executor } from '../db/sql.ts'

interface ConsentRow {
  id: Uuid
  type: 'consent'
  name: ConsentKind
  topicId: Uuid | null
  topicSlug: string | null
  source: string
  properties: null
  occurredAt: string
}

interface CustomRow {
  id: Uuid
  type: 'custom'
  name: string
  properties: Record<string, unknown>
  occurredAt: string
}

interface Page {
  before: Uuid | undefined
  limit: number
  /** Lowest id of events within the plan's retention. Consent is stored as long as the contact. */
  lowest: Uuid
}

/**
 * Lists changes of one contact's consent and its events, newest first, by the ids of both, which
 * contain the time of storing. A page reads no more of either than it needs, by its index.
 */
export async function listOfContact(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  { before, limit, lowest }: Page,
): Promise<ContactEvent[]> {
  const upTo = before === undefined ? sql`` : sql`and e.id < ${before}`
  const rows = await sql<(ConsentRow | CustomRow)[]>`
    (
      select e.id, 'consent' as type, e.kind as name, e.topic_id, t.slug as topic_slug, e.source,
        null::jsonb as properties, e.created_at as occurred_at
      from consent_events e
      left join topics t on t.organization_id = e.organization_id and t.id = e.topic_id
      where e.organization_id = ${organizationId} and e.contact_id = ${contactId} ${upTo}
      order by e.id desc
      limit ${limit}
    )
    union all
    (
      select e.id, 'custom', e.name, null, null, null, e.properties, e.occurred_at
      from events e
      where e.organization_id = ${organizationId} and e.contact_id = ${contactId}
        and e.id >= greatest(${earliestAbout(contactId)}::uuid, ${lowest}::uuid) ${upTo}
      order by e.id desc
      limit ${limit}
    )
    order by id desc
    limit ${limit}`
  return rows.map((row) => {
    const { id, type, occurredAt } = row
    if (row.type === 'custom') {
      return { id, type, name: row.name, properties: row.properties, occurredAt }
    }
    const { topicId, topicSlug, source } = row
    const name = nameOf(row.name, topicId)
    return { id, type, name, properties: { topicId, topicSlug, source }, occurredAt }
  })
}

function nameOf(kind: ConsentKind, topicId: Uuid | null): TimelineName {
  switch (kind) {
    case 'requested':
      return 'topic_confirmation_requested'
    case 'expired':
      return 'topic_confirmation_expired'
    case 'subscribed':
      return 'topic_subscribed'
    case 'unsubscribed':
      return topicId === null ? 'unsubscribed' : 'topic_unsubscribed'
    case 'resubscribed':
    case 'bounced':
    case 'suppressed':
    case 'complained':
    case 'sms_opted_in':
    case 'sms_opted_out':
      return kind
  }
}
