import { HOOK_PRIORITY, type HookEventType } from '../../domain/hooks/hook-event.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

/** Something that endpoints may want to know, and the rows that it is about. */
export interface HookFact {
  organizationId: Uuid
  type: HookEventType
  /** ISO 8601. */
  occurredAt: string
  /** Distinguishes two facts of one type about the same rows. Empty: it can happen only once. */
  toldApartBy?: string
  contactId?: Uuid | null
  mail?: { bucket: Uuid; id: Uuid; source: string }
  topicId?: Uuid
  /** Data that no row contains by the time of the call. */
  extra?: Record<string, string>
  /** Default: `event`. */
  priority?: (typeof HOOK_PRIORITY)[keyof typeof HOOK_PRIORITY]
}

/** Limit of facts that are written without checking first whether an endpoint wants them. */
const FEW = 20

/**
 * Writes the deliveries of facts, in the transaction that makes them true, after everything that
 * takes locks.
 */
export async function record(tx: Transaction, facts: readonly HookFact[]): Promise<void> {
  const wantedFacts = facts.length > FEW ? await wantedOf(tx, facts) : facts
  if (wantedFacts.length === 0) return
  const rows = wantedFacts.map((fact) => ({
    organization_id: fact.organizationId,
    type: fact.type,
    occurred_at: fact.occurredAt,
    told_apart_by: fact.toldApartBy ?? '',
    contact_id: fact.contactId ?? null,
    bucket: fact.mail?.bucket ?? null,
    mail_id: fact.mail?.id ?? null,
    source: fact.mail?.source ?? null,
    topic_id: fact.topicId ?? null,
    extra: fact.extra ?? null,
    priority: fact.priority ?? HOOK_PRIORITY.event,
  }))
  await tx`
    insert into hook_deliveries
    select delivery.*
    from jsonb_to_recordset(${tx.json(rows)}) as fact (organization_id uuid, type text,
      occurred_at timestamptz, told_apart_by text, contact_id uuid, bucket uuid, mail_id uuid,
      source text, topic_id uuid, extra jsonb, priority integer)
    cross join lateral hook_deliveries_of(fact.organization_id, fact.type, fact.occurred_at,
      fact.told_apart_by, fact.contact_id, fact.bucket, fact.mail_id, null, null, fact.topic_id,
      fact.source, fact.priority, fact.extra) delivery`
}

/** Returns the facts whose type an endpoint of their organization wants. */
async function wantedOf(tx: Transaction, facts: readonly HookFact[]): Promise<HookFact[]> {
  const organizationIds = [...new Set(facts.map(({ organizationId }) => organizationId))]
  const rows = await tx<{ organizationId: Uuid; type: string }[]>`
    select distinct organization_id, type
    from hook_endpoints
    cross join unnest(event_types) as type
    where organization_id = any(${organizationIds}::uuid[])`
  const wantedTypes = new Set(rows.map(({ organizationId, type }) => `${organizationId} ${type}`))
  return facts.filter(({ organizationId, type }) => wantedTypes.has(`${organizationId} ${type}`))
}

/** Reasons of a skipped mail that are told as `email.suppressed`. */
const SUPPRESSED = ['bounced', 'complained', 'suppressed']

/**
 * Part of a statement that skips single mails: writes the deliveries of those that go to a
 * suppressed address. `skipped` is a relation of (organization_id, bucket, id, source, contact_id,
 * reason).
 */
export const ofSkippedMails = (sql: Executor, skipped: Part) => sql`
  insert into hook_deliveries
  select delivery.*
  from (${skipped}) skipped
  cross join lateral hook_deliveries_of(skipped.organization_id, 'email.suppressed',
    clock_timestamp(), 'skipped', skipped.contact_id, skipped.bucket, skipped.id, null, null, null,
    skipped.source, ${HOOK_PRIORITY.event}, null) delivery
  where skipped.reason = any(${SUPPRESSED}::text[])
    and exists (
      select from hook_endpoints e where e.organization_id = skipped.organization_id
    )`

/**
 * Part of a statement that moves mails of one organization and bucket: writes the deliveries of
 * those that it sent or gave up. `moved` is a relation of (id, state, source, contact_id).
 */
export const ofMovedMails = (
  sql: Executor,
  { organizationId, bucket }: { organizationId: Uuid; bucket: Uuid },
  moved: Part,
) => sql`
  insert into hook_deliveries
  select delivery.*
  from (${moved}) moved
  cross join lateral hook_deliveries_of(${organizationId}, 'email.' || moved.state,
    clock_timestamp(), case when moved.state = 'failed' then clock_timestamp()::text else '' end,
    moved.contact_id, ${bucket}, moved.id, null, null, null, moved.source, ${HOOK_PRIORITY.event}, null)
    delivery
  where moved.state in ('sent', 'failed')
    and exists (select from hook_endpoints where organization_id = ${organizationId})`
