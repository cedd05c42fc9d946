import { MERGE_FIELDS, type MergeValues } from '../../domain/contacts/contact-fields.ts'
import { PRIORITIES, type SingleMailSource } from '../../domain/mails/mail-priority.ts'
import { dayBucket, span, type Uuid } from '../../runtime/ids.ts'
import { priorityOf } from '../mails/mail-priorities.ts'
import * as batchVariants from '../batches/batch-variants.ts'
import * as answeredCounts from './answered-counts.ts'
import { lateResults } from './late-results.ts'
import * as outbox from '../platform/outbox.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Executor, Sql } from '../db/sql.ts'

export interface SingleMail {
  organizationId: string
  /** UUIDv7, made once by whoever decides the mail: its day names the partition. */
  id: Uuid
  /**
   * Identifies the decision, so that a repeated enqueue with the same key in the same bucket does
   * nothing.
   */
  dedupeKey?: Uuid
  source: SingleMailSource
  connectionId: string
  contactId?: string
  /** For source workflow: the execution that waits for the mail's outcome. */
  executionId?: Uuid
  /**
   * For source workflow: the mail is sent only to subscribers of this topic at the moment of
   * sending.
   */
  topicId?: Uuid
  templateId?: Uuid
  recipient: string
  from: string
  replyTo?: string | null
  subject: string
  html?: string | null
  text?: string | null
  headers?: { name: string; value: string }[]
  /** Not before; now when absent, rounded down: what is sent at once is due at once. */
  sendAt?: string
  /** Why the mail is not sent. It then exists only as a `skipped` row in the ledger. */
  refused?: string | undefined
}

/**
 * The one way to send a single mail: a row in the ledger, what it says, its row in the mail queue,
 * all in the caller's transaction. False: the same decision was enqueued before.
 */
export const enqueue = async (sql: Executor, message: SingleMail): Promise<boolean> =>
  (await enqueueAll(sql, [message])) === 1

/** Many at once, of any organizations. Returns how many are new. */
export async function enqueueAll(sql: Executor, messages: readonly SingleMail[]): Promise<number> {
  const rows = messages.map((message) => ({
    organization_id: message.organizationId,
    bucket: dayBucket(message.id),
    id: message.id,
    dedupe_key: message.dedupeKey ?? message.id,
    source: message.source,
    priority: PRIORITIES[message.source],
    connection_id: message.connectionId,
    contact_id: message.contactId ?? null,
    execution_id: message.executionId ?? null,
    topic_id: message.topicId ?? null,
    template_id: message.templateId ?? null,
    recipient: message.recipient,
    send_at: message.sendAt ?? null,
    from_address: message.from,
    reply_to: message.replyTo ?? null,
    subject: message.subject,
    html: message.html ?? null,
    text: message.text ?? null,
    headers: message.headers ?? [],
    refused: message.refused ?? null,
  }))
  const [added] = await sql<{ mails: number }[]>`
    with given as (
      select *
      from jsonb_to_recordset(${sql.json(rows)}) as row (organization_id uuid, bucket uuid, id uuid,
        dedupe_key uuid, source text, priority smallint, connection_id uuid, contact_id uuid,
        execution_id uuid, topic_id uuid, template_id uuid, recipient text, send_at timestamptz,
        from_address text, reply_to text, subject text, html text, text text, headers jsonb,
        refused text)
    ), mail as (
      insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
        contact_id, execution_id, topic_id, template_id, recipient, from_domain, subject, send_at,
        state, status, reason)
      select organization_id, bucket, id, dedupe_key, source, connection_id, contact_id,
        execution_id, topic_id, template_id, recipient,
        lower(substring(from_address from '[^@]+$')), subject,
        coalesce(send_at, date_trunc('milliseconds', now())),
        case when refused is null then 'queued' else 'skipped' end,
        case when refused is null then 'queued' else 'suppressed' end, refused
      from given
      on conflict (organization_id, bucket, dedupe_key) do nothing
      returning organization_id, bucket, id, send_at
    ), body as (
      insert into message_bodies (organization_id, bucket, id, from_address, reply_to, subject,
        html, text, headers)
      select organization_id, bucket, id, given.from_address, given.reply_to, given.subject,
        given.html, given.text, given.headers
      from mail
      join given using (organization_id, bucket, id)
    ), queued as (
      insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
      select organization_id, bucket, id, given.connection_id, given.priority, mail.send_at
      from mail
      join given using (organization_id, bucket, id)
      where given.refused is null
    )
    select count(*) as mails from mail`
  return added?.mails ?? 0
}

/** Columns of the contact that a mail may speak of. */
export interface Recipient extends MergeValues {
  id: Uuid
  contactId: Uuid
  email: string
  /** Variant of the batch's test. */
  variant: number | null
}

interface ClaimRange {
  organizationId: string
  batchId: string
  attempt: number
  bucket: Uuid
  connectionId: string
  claimId: Uuid
  /** Row ids, `from` included, `to` not. */
  from: Uuid
  to: Uuid
  limit: number
}

export interface Claimed {
  /** False: the batch is no longer to be sent, and nothing was claimed. */
  live: boolean
  /** Time of the claim by the clock of Postgres. Every call is signed with it. */
  claimedAt: string
  skipped: number
  recipients: Recipient[]
}

/**
 * Claims up to `limit` queued rows of a batch's range for the caller to mail now, and checks again
 * who may be mailed: the same statement turns those who may not into `skipped`.
 *
 * One statement, one commit: who unsubscribed before it is not mailed by it. `skip locked` lets
 * several workers share a range without waiting for each other.
 */
export const claimRange = async (sql: Sql, claim: ClaimRange): Promise<Claimed> => {
  const { organizationId, batchId, attempt, bucket, connectionId, claimId, from, to, limit } = claim
  const [row] = await sql<
    { live: boolean; claimedAt: string; skipped: number; recipients: Recipient[] }[]
  >`
    with live as (
      select b.topic_id, b.ab_winner
      from batches b
      join connections c on c.organization_id = b.organization_id and c.id = b.connection_id
      where b.organization_id = ${organizationId} and b.id = ${batchId} and b.attempt = ${attempt}
        and b.status = 'processing' and b.paused_reason is null and c.is_verified and c.disconnected_at is null
    ), candidate as materialized (
      select m.id, m.contact_id, m.variant
      from messages m
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id >= ${from} and m.id < ${to} and m.state = 'queued'
        and exists (select from live)
      order by m.id
      limit ${limit}
      for update skip locked
    ), checked as (
      select candidate.id as row_id, candidate.contact_id, ${columnsOf(sql, MERGE_FIELDS, 'c')},
        coalesce(candidate.variant, live.ab_winner) as variant,
        case
          when c.id is null then 'contact_deleted'
          when c.email is null then 'no_address'
          when c.email_status <> 'active' then c.email_status
          when live.topic_id is not null and s.status is distinct from 'subscribed'
          then 'topic_unsubscribed'
        end as reason
      from candidate
      cross join live
      left join contacts c on c.organization_id = ${organizationId} and c.id = candidate.contact_id
      left join subscriptions s on s.organization_id = ${organizationId}
        and s.contact_id = candidate.contact_id and s.topic_id = live.topic_id
    ), moved as (
      update messages m
      set state = case when checked.reason is null then 'claimed' else 'skipped' end,
        status = case when checked.reason is null then 'pending'
          when checked.reason in ('unsubscribed', 'topic_unsubscribed') then 'opted_out'
          else 'suppressed' end,
        reason = checked.reason,
        claim_id = case when checked.reason is null then ${claimId}::uuid end,
        claimed_at = case when checked.reason is null then now() end,
        recipient = coalesce(checked.email, m.recipient),
        variant = checked.variant
      from checked
      where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = checked.row_id
      returning m.id, m.state
    ), leased as (
      insert into claims (organization_id, id, connection_id, bucket, batch_id, message_ids, claimed_at)
      select ${organizationId}, ${claimId}, ${connectionId}, ${bucket}, ${batchId}, array_agg(id), now()
      from moved
      where state = 'claimed'
      having count(*) > 0
    ), counted as (
      update batches
      set skipped = batches.skipped + refused.rows, updated_at = clock_timestamp(),
        progressed_at = clock_timestamp()
      from (select count(*) as rows from moved where state = 'skipped') refused
      where refused.rows > 0
        and batches.organization_id = ${organizationId} and batches.id = ${batchId}
    )
    select exists (select from live) as live, now() as claimed_at,
      (select count(*) from moved where state = 'skipped') as skipped,
      coalesce((
        select json_agg(json_build_object('id', row_id, 'contactId', contact_id,
          ${MERGE_FIELDS.map((field) => sql`${field}::text, ${sql(field)},`)} 'variant', variant)
          order by row_id)
        from checked
        where reason is null
      ), '[]') as recipients`
  if (!row) throw new Error('a claim returned no row')
  return row
}

/** Outcome of one claimed row. */
export type Result =
  | { id: Uuid; outcome: 'sent'; messageId: string; subject: string }
  | { id: Uuid; outcome: 'failed'; reason: string; error: string }
  /** Not accepted, or not even called: to be sent again. */
  | { id: Uuid; outcome: 'queued' }
  /** A call may have begun and its end is not known. */
  | { id: Uuid; outcome: 'unknown'; error: string; subject: string }

interface SettledClaim {
  organizationId: string
  bucket: Uuid
  claimId: Uuid
  batchId: string | null
  /** The batch has variants, which are counted each. */
  isTest?: boolean
}

/**
 * Writes the outcomes of all rows of one claim, with everything that counts them, in one statement.
 *
 * A new partition has no statistics yet, and a plain join reads all of it: so rows are locked one
 * by one, in the order of their ids, by a subquery, and what is updated lies between two ids.
 *
 * The batch is updated last, after the contacts' stats and the counts of answered mails. Its counts
 * of them, which are always true in `where`, make Postgres run those updates first: the lock order.
 *
 * Only rows that are still this claim's move: an event may have decided one before, a later
 * decision may have queued one again. Counters follow the rows that moved, never the rows that were
 * given. Executions that wait for one of them are woken.
 *
 * A row that its event has decided gets its subject here all the same, and counts as answered.
 * Every row is locked for it, whatever its state: the lock tells what it is now, while the
 * statement's snapshot may be older than an event that was committed since it began.
 */
export const recordResults = (
  sql: Executor,
  { organizationId, bucket, claimId, batchId, isTest = false }: SettledClaim,
  results: Result[],
) => {
  const column = <T>(of: (result: Result) => T) => results.map(of)
  const [first, last] = span(column((r) => r.id))
  const late = lateResults(sql, { organizationId, bucket, batchId }, results)
  return sql`
    with result as (
      select *
      from unnest(
        ${column((r) => r.id)}::uuid[],
        ${column((r) => r.outcome)}::text[],
        ${column((r) => (r.outcome === 'sent' ? r.messageId : null))}::text[],
        ${column((r) => (r.outcome === 'sent' || r.outcome === 'unknown' ? r.subject : null))}::text[],
        ${column((r) => (r.outcome === 'failed' ? r.reason : null))}::text[],
        ${column((r) => (r.outcome === 'failed' || r.outcome === 'unknown' ? r.error.slice(0, 500) : null))}::text[]
      ) as r (id, outcome, message_id, subject, reason, error)
    ), held as materialized (
      select m.*
      from (select id, message_id, outcome from result order by id) wanted
      cross join lateral (
        select id, state as before, recipient,
          claim_id is not distinct from ${claimId} and state in ('claimed', 'unknown') as ours,
          claim_id is not distinct from ${claimId} and state = 'unknown'
            and wanted.outcome = 'queued' and ${batchId !== null}::boolean as late,
          state = 'sent' and claimed_at is null and message_id = wanted.message_id as overtaken
        from messages
        where organization_id = ${organizationId} and bucket = ${bucket} and id = wanted.id
        for update
      ) m
    ), moved as (
      update messages m
      set state = result.outcome,
        status = case result.outcome
          when 'sent' then case when m.status in ('queued', 'pending') then 'sent' else m.status end
          when 'failed' then 'failed'
          when 'queued' then 'queued'
          else 'pending' end,
        message_id = coalesce(result.message_id, m.message_id),
        subject = coalesce(result.subject, m.subject),
        reason = result.reason,
        error = result.error,
        sent_at = case when result.outcome = 'sent' then clock_timestamp() end,
        claim_id = case when result.outcome = 'unknown' then m.claim_id end,
        claimed_at = case when result.outcome in ('sent', 'unknown') then m.claimed_at end
      from result
      join held on held.id = result.id and held.ours and not held.late
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id between ${first} and ${last} and m.id = result.id
      returning m.id, held.before, m.state, m.message_id, m.contact_id, m.connection_id, m.source,
        m.send_at, m.execution_id, m.claimed_at, m.first_event_at, m.variant
    ), overtaken as (
      update messages m
      set subject = case when held.recipient is null then m.subject
          else coalesce(m.subject, result.subject) end,
        claimed_at = case when held.overtaken then claim.claimed_at else m.claimed_at end
      from result
      join held on held.id = result.id and held.before = 'sent'
      left join claims claim on claim.organization_id = ${organizationId} and claim.id = ${claimId}
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id between ${first} and ${last} and m.id = result.id
      returning m.connection_id, m.claimed_at, m.first_event_at, held.overtaken
    ), answered as (${answeredCounts.add(
      sql,
      organizationId,
      sql`
        select connection_id, claimed_at, first_event_at from moved where state = 'sent'
        union all
        select connection_id, claimed_at, first_event_at from overtaken where overtaken`,
    )}), named as (
      insert into message_ids (organization_id, message_id, connection_id, bucket, id)
      select ${organizationId}, message_id, connection_id, ${bucket}, id
      from moved
      where state = 'sent'
      on conflict do nothing
    ), back as (
      insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
      select ${organizationId}, ${bucket}, id, connection_id,
        ${priorityOf(sql)}, send_at
      from moved
      where state = 'queued' and source <> 'batch'
      on conflict do nothing
    )${
      batchId === null
        ? sql`, woken as (${outbox.wake(
            sql,
            organizationId,
            sql`
            select execution_id
            from moved
            where state in ('sent', 'failed', 'unknown')`,
          )})`
        : sql``
    }, alive as (
      select c.id
      from contacts c
      where c.organization_id = ${organizationId}
        and c.id in (select contact_id from moved where state = 'sent')
      order by c.id
      for key share
    ), mailed as (
      insert into contact_stats as s (organization_id, contact_id, emails_sent, last_email_sent_at)
      select ${organizationId}, id, 1, clock_timestamp()
      from alive
      order by id
      on conflict (organization_id, contact_id) do update
      set emails_sent = s.emails_sent + 1, last_email_sent_at = excluded.last_email_sent_at
      returning 1
    ), tested as (${batchVariants.addSent(sql, { organizationId, batchId, isTest })})${late.part}, released as (
      delete from claims
      where organization_id = ${organizationId} and id = ${claimId}
        and not exists (select from moved where state = 'unknown')
    ), doubted as (
      update claims
      set state = 'doubt', look_at = clock_timestamp()
      where organization_id = ${organizationId} and id = ${claimId}
        and exists (select from moved where state = 'unknown')
    )
    update batches b
    set sent = b.sent + delta.sent, failed = b.failed + delta.failed, unknown = b.unknown + delta.unknown,
      updated_at = clock_timestamp(),
      progressed_at = case when delta.sent + delta.failed > 0 then clock_timestamp()
        else b.progressed_at end
    from (
      select count(*) filter (where state = 'sent') as sent,
        count(*) filter (where state = 'failed') as failed,
        count(*) filter (where state = 'unknown') - count(*) filter (where before = 'unknown') as unknown
      from ${late.settled}
    ) delta, (select count(*) as rows from mailed) stats,
      (select count(*) as rows from answered) counts,
      (select count(*) as rows from tested) variants
    where b.organization_id = ${organizationId} and b.id = ${batchId}
      and stats.rows >= 0 and counts.rows >= 0 and variants.rows >= 0`
}
