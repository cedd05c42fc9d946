import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from './seed.ts'
import { seedExecution, seedExitFlow } from './waiting.ts'

/** A sent mail that every counter of engagement counts. */
export interface EngagedMail extends Seeded {
  bucket: Uuid
  id: Uuid
  contactId: Uuid
  batchId: Uuid
  executionId: Uuid
}

const ENGAGEMENTS = ['opened', 'clicked', 'bounced']

/**
 * One row of the ledger that belongs to a batch and to a waiting execution. No real mail has both,
 * but one event then shows every effect.
 */
export async function seedEngagedMail(
  sql: Sql,
  waitsFor: readonly string[] = ENGAGEMENTS,
): Promise<EngagedMail> {
  const seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  const test = { sharePercent: 20, winnerBy: 'opened', decideAfter: null } as const
  const batchId = await seedBatch(sql, seeded, { abTest: test })
  const flowId = await seedExitFlow(sql, organizationId)
  const executionId = await seedExecution(sql, { organizationId, flowId, contactId })
  const id = uuidv7()
  const bucket = dayBucket(id)
  await sql`
    insert into messages (organization_id, connection_id, bucket, id, dedupe_key, source, batch_id,
      execution_id, variant, contact_id, recipient, state, status, message_id, sent_at, claimed_at)
    values (${organizationId}, ${connectionId}, ${bucket}, ${id}, ${id}, 'batch', ${batchId},
      ${executionId}, 0, ${contactId}, 'reader-1@example.com', 'sent', 'sent', ${`m-${id}`}, now(),
      now())`
  await sql`
    insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
      status, mail_id)
    values (${organizationId}, ${executionId}, 'mail', 1, 1, 'send_email', 'completed', ${id})`
  await sql`
    insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, mail_id,
      engagements, since, expires_at)
    values (${organizationId}, ${executionId}, 'wait', 1, ${contactId}, 'engagement', ${id},
      ${waitsFor}, now(), now() + interval '1 hour')`
  return { ...seeded, bucket, id, contactId, batchId, executionId }
}

/** A provider's event: its kind, its part, and seconds after the mail was accepted. */
export type Told = readonly [type: string, part?: object, second?: number]

const ACCEPTED = Date.now() - 60_000

/** Time of this many seconds after the mail was accepted. */
export const timeAt = (second: number): string => new Date(ACCEPTED + second * 1_000).toISOString()

/** Receives and applies events one after the other, each in its own transaction. */
export async function tell(
  sql: Sql,
  keyring: Keyring,
  mail: EngagedMail,
  events: readonly Told[],
): Promise<void> {
  for (const [eventType, part = {}, second = 5] of events) {
    const body = {
      detail: {
        eventType,
        mail: {
          timestamp: timeAt(0),
          messageId: `m-${mail.id}`,
          tags: {
            'letterloom-message': [`${mail.bucket}_${mail.id}`],
            'letterloom-organization': [mail.organizationId],
          },
        },
        [eventType.toLowerCase()]: { timestamp: timeAt(second), ...part },
      },
    }
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body)
      values (${mail.organizationId}, ${mail.connectionId}, ${uuidv7()}, ${sql.json(body)})`
    while ((await applyEvents(sql, keyring)) > 0);
  }
}

/** All stored counters of a mail's engagement. */
export async function countedOf(sql: Sql, { organizationId, bucket, id, ...of }: EngagedMail) {
  const [counters] = await sql<
    {
      status: string
      emailStatus: string
      batch: Record<'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained', number>
      variant: Record<'opened' | 'clicked' | 'bounced', number>
      contact: Record<'opened' | 'clicked', number>
      lastOpenedAt: string | null
      lastClickedAt: string | null
      lastActivityAt: string | null
      metrics: Record<string, number>
      links: number
      matched: string | null
      events: number
    }[]
  >`
    select m.status, c.email_status,
      json_build_object('delivered', b.delivered, 'opened', b.opened, 'clicked', b.clicked,
        'bounced', b.bounced, 'complained', b.complained) as batch,
      json_build_object('opened', v.opened + v.rest_opened, 'clicked', v.clicked + v.rest_clicked,
        'bounced', v.bounced + v.rest_bounced) as variant,
      json_build_object('opened', coalesce(s.emails_opened, 0), 'clicked',
        coalesce(s.emails_clicked, 0)) as contact,
      s.last_email_opened_at as last_opened_at, s.last_email_clicked_at as last_clicked_at,
      s.last_activity_at,
      (
        select json_build_object('delivered', sum(f.delivered), 'opened', sum(f.opened),
          'openedRaw', sum(f.opened_raw), 'clicked', sum(f.clicked),
          'bouncedPermanent', sum(f.bounced_permanent),
          'bouncedTransient', sum(f.bounced_transient),
          'bouncedUndetermined', sum(f.bounced_undetermined), 'complained', sum(f.complained))
        from mail_figures f
        where f.organization_id = ${organizationId}
      ) as metrics,
      (
        select coalesce(sum(l.clicks), 0)
        from link_clicks l
        where l.organization_id = ${organizationId}
      ) as links,
      w.matched,
      (
        select count(*)
        from delivery_events e
        where e.organization_id = ${organizationId} and e.bucket = ${bucket} and e.log_id = ${id}
      ) as events
    from messages m
    join batches b on b.organization_id = m.organization_id and b.id = m.batch_id
    join batch_variants v on v.organization_id = m.organization_id and v.batch_id = m.batch_id
      and v.position = m.variant
    join contacts c on c.organization_id = m.organization_id and c.id = ${of.contactId}
    left join contact_stats s on s.organization_id = c.organization_id and s.contact_id = c.id
    join waits w on w.organization_id = m.organization_id and w.mail_id = m.id
    where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = ${id}`
  if (!counters) throw new Error('the mail is there')
  return counters
}
