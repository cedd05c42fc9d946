import type { Uuid } from '../ids.ts'
import type { ContactEvent } from '../schemas/contact-change.ts'
import type { ConsentKind } from './consent-events.ts'
import type { Executor } from './sql.ts'

interface Row {
  id: Uuid
  kind: ConsentKind
  topicId: Uuid | null
  topicSlug: string | null
  source: string
  occurredAt: string
}

/** What became of one contact's consent, newest first. */
export async function listOfContact(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
): Promise<ContactEvent[]> {
  const rows = await sql<Row[]>`
    select e.id, e.kind, e.topic_id, t.slug as topic_slug, e.source, e.created_at as occurred_at
    from consent_events e
    left join topics t on t.organization_id = e.organization_id and t.id = e.topic_id
    where e.organization_id = ${organizationId} and e.contact_id = ${contactId}
      ${before === undefined ? sql`` : sql`and e.id < ${before}`}
    order by e.id desc
    limit ${limit}`
  return rows.map(({ id, kind, topicId, topicSlug, source, occurredAt }) => ({
    id,
    name: nameOf(kind, topicId),
    properties: { topicId, topicSlug, source },
    occurredAt,
  }))
}

function nameOf(kind: ConsentKind, topicId: Uuid | null): ContactEvent['name'] {
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
      return kind
  }
}
