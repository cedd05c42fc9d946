import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { AuditEvent } from '../../schemas/access/audit-event.ts'
import type { Executor } from '../db/sql.ts'

export interface NewAuditEvent {
  organizationId: Uuid
  actor: { kind: 'key' | 'user'; id: Uuid } | { kind: 'operator' | 'unknown' }
  action: string
  subject?: { kind: string; id: string } | undefined
  requestId?: string | undefined
  detail?: Record<string, unknown> | undefined
  at: string
}

export const record = (sql: Executor, event: NewAuditEvent) => {
  const { organizationId, actor, action, subject, requestId, detail = {}, at } = event
  return sql`
    insert into audit_events (organization_id, id, actor_kind, actor_id, action, subject_kind,
      subject_id, request_id, detail, created_at)
    values (${organizationId}, ${uuidv7()}, ${actor.kind}, ${'id' in actor ? actor.id : null},
      ${action}, ${subject?.kind ?? null}, ${subject?.id ?? null}, ${requestId ?? null},
      ${sql.json(detail)}, ${at})`
}

interface ImportedBack {
  importId: Uuid
  resubscribed: readonly { id: Uuid; from: string }[]
}

/**
 * Records the contacts that a page of an import resubscribed. The author of the import vouched for
 * them.
 */
export async function recordImportedBack(
  sql: Executor,
  organizationId: Uuid,
  { importId, resubscribed }: ImportedBack,
): Promise<void> {
  if (resubscribed.length === 0) return
  await sql`
    insert into audit_events (organization_id, id, actor_kind, actor_id, action, subject_kind,
      subject_id, request_id, detail, created_at)
    select ${organizationId}, back.id, asked.actor_kind, asked.actor_id, 'contact.resubscribed',
      'contact', back.contact_id, asked.request_id,
      jsonb_strip_nulls(jsonb_build_object('from', back.status, 'importId', ${importId}::text)),
      clock_timestamp()
    from audit_events asked, unnest(
      ${resubscribed.map(() => uuidv7())}::uuid[],
      ${resubscribed.map(({ id }) => id)}::text[],
      ${resubscribed.map(({ from }) => from)}::text[]
    ) as back (id, contact_id, status)
    where asked.organization_id = ${organizationId} and asked.subject_id = ${importId}
      and asked.action = 'import.created'`
}

interface AuditPage {
  limit: number
  before: Uuid | undefined
  action?: string | undefined
  actorId?: Uuid | undefined
  /** ISO 8601. `from` is inclusive, `to` exclusive. */
  from?: string | undefined
  to?: string | undefined
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { limit, before, action, actorId, from, to }: AuditPage,
) => sql<AuditEvent[]>`
  select id, actor_kind, actor_id, action, subject_kind, subject_id, request_id, detail, created_at
  from audit_events
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
    ${action === undefined ? sql`` : sql`and action = ${action}`}
    ${actorId === undefined ? sql`` : sql`and actor_id = ${actorId}`}
    ${from === undefined ? sql`` : sql`and created_at >= ${from}`}
    ${to === undefined ? sql`` : sql`and created_at < ${to}`}
  order by id desc
  limit ${limit}`
