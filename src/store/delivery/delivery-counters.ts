import type { Delta } from '../../domain/delivery/delivery.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

export interface StatsDelta {
  organizationId: string
  contactId: Uuid
  sent: number
  opened: number
  clicked: number
  /** Latest times in the events, even if they change no figure. */
  sentAt: string | null
  openedAt: string | null
  clickedAt: string | null
}

/**
 * Adds to the engagement counters of contacts, by people. Deltas of one contact are summed first.
 */
export const bumpStats = (tx: Transaction, deltas: StatsDelta[]) => tx`
  with change as (
    select organization_id, contact_id, sum(sent) as sent, sum(opened) as opened,
      sum(clicked) as clicked, max(sent_at) as sent_at, max(opened_at) as opened_at,
      max(clicked_at) as clicked_at
    from jsonb_to_recordset(${tx.json(
      deltas.map((each) => ({
        organization_id: each.organizationId,
        contact_id: each.contactId,
        sent: each.sent,
        opened: each.opened,
        clicked: each.clicked,
        sent_at: each.sentAt,
        opened_at: each.openedAt,
        clicked_at: each.clickedAt,
      })),
    )}) as d (organization_id uuid, contact_id uuid, sent int, opened int, clicked int,
      sent_at timestamptz, opened_at timestamptz, clicked_at timestamptz)
    group by organization_id, contact_id
  ), alive as (
    select c.organization_id, c.id
    from contacts c
    where (c.organization_id, c.id) in (select organization_id, contact_id from change)
    order by c.organization_id, c.id
    for key share
  )
  insert into contact_stats as s (organization_id, contact_id, emails_sent, emails_opened,
    emails_clicked, last_email_sent_at, last_email_opened_at, last_email_clicked_at,
    last_activity_at)
  select change.organization_id, change.contact_id, change.sent, change.opened, change.clicked,
    change.sent_at, change.opened_at, change.clicked_at,
    greatest(change.opened_at, change.clicked_at)
  from change
  join alive on alive.organization_id = change.organization_id and alive.id = change.contact_id
  order by change.organization_id, change.contact_id
  on conflict (organization_id, contact_id) do update
  set emails_sent = s.emails_sent + excluded.emails_sent,
    emails_opened = s.emails_opened + excluded.emails_opened,
    emails_clicked = s.emails_clicked + excluded.emails_clicked,
    last_email_sent_at = greatest(s.last_email_sent_at, excluded.last_email_sent_at),
    last_email_opened_at = greatest(s.last_email_opened_at, excluded.last_email_opened_at),
    last_email_clicked_at = greatest(s.last_email_clicked_at, excluded.last_email_clicked_at),
    last_activity_at = greatest(s.last_activity_at, excluded.last_activity_at)`

export interface BatchDelta {
  organizationId: string
  batchId: Uuid
  delta: Delta
  /** Deltas of each variant of a test, for the share and for the rest. */
  variants: Map<number, { share: Delta; rest: Delta }>
  /** New acceptances beyond the first. */
  duplicates: number
}

/** Adds to the figures of batches, which are locked in the order of their ids. */
export const bumpBatches = (tx: Transaction, deltas: readonly BatchDelta[]) => tx`
  with moved as (
    select *
    from jsonb_to_recordset(${tx.json(
      deltas.map(({ organizationId, batchId, delta, duplicates }) => ({
        organization_id: organizationId,
        batch_id: batchId,
        ...delta,
        duplicates,
      })),
    )}) as d (organization_id uuid, batch_id uuid, sent integer, failed integer, skipped integer,
      unknown integer, delivered integer, opened integer, clicked integer, bounced integer,
      complained integer, suppressed integer, duplicates integer)
    order by batch_id
  ), held as materialized (
    select moved.*
    from moved
    cross join lateral (
      select
      from batches
      where organization_id = moved.organization_id and id = moved.batch_id
      for no key update
    ) locked
  )
  update batches b
  set sent = b.sent + held.sent, failed = b.failed + held.failed,
    skipped = b.skipped + held.skipped, unknown = b.unknown + held.unknown,
    delivered = b.delivered + held.delivered, opened = b.opened + held.opened,
    clicked = b.clicked + held.clicked, bounced = b.bounced + held.bounced,
    complained = b.complained + held.complained, suppressed = b.suppressed + held.suppressed,
    duplicates = b.duplicates + held.duplicates, updated_at = clock_timestamp()
  from held
  where b.organization_id = held.organization_id and b.id = held.batch_id`
