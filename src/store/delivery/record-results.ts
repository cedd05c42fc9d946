import type { Channel } from '../../domain/channel.ts'
import { span, type Uuid } from '../../runtime/ids.ts'
import * as batchVariants from '../batches/batch-variants.ts'
import type { Executor } from '../db/sql.ts'
import * as hookFacts from '../hooks/hook-facts.ts'
import { priorityOf } from '../mails/mail-priorities.ts'
import * as outbox from '../platform/outbox.ts'
import * as answeredCounts from './answered-counts.ts'

/** Outcome of one claimed row. */
export type Result =
  | { id: Uuid; outcome: 'sent'; messageId: string; subject: string | null }
  | { id: Uuid; outcome: 'failed'; reason: string; error: string }
  /** The provider did not accept it, or it was not called. It is sent again. */
  | { id: Uuid; outcome: 'queued' }
  /** A call may have begun, and its outcome is unknown. */
  | { id: Uuid; outcome: 'unknown'; error: string; subject: string | null }

/** `skipped`: the provider knows that the recipient opted out. */
export type TextResult =
  | Result
  | { id: Uuid; outcome: 'skipped'; reason: 'opted_out'; error: string }

interface SettledClaim {
  organizationId: string
  bucket: Uuid
  claimId: Uuid
  batchId: string | null
  /** The batch has variants, each with counters of its own. */
  isTest?: boolean
  /** Channel of all its rows. Absent: `email`. */
  channel?: Channel
}

/**
 * Writes the outcomes of all rows of one claim, with everything that counts them, in one statement.
 * The rows of a claim are of one channel. Texts say nothing about the silence of mails.
 *
 * Only rows that are still this claim's move: an event may have decided a row before, and a later
 * decision may have queued it again. Counters follow the moved rows, never the reported ones.
 * Executions that wait for a moved row are woken. The statement's parts, in order:
 *
 * - `result`: the outcomes that the worker reports.
 * - `held`: the rows, locked. A new partition has no statistics yet, and a plain join reads all of
 *   it: so rows are locked one by one, in the order of their ids, by a subquery, and every update
 *   names the range of ids. Every row is locked, whatever its state: the lock tells what it is now,
 *   while the statement's snapshot may be older than an event that was committed since it began.
 * - `moved`: the rows of this claim get their outcomes.
 * - `overtaken`: rows that an event has decided. They still get their subjects, and count as
 *   answered.
 * - `answered`, `hooked`, `named`, `back`, `woken`, `mailed`, `tested`: consequences of the moved
 *   rows.
 * - `late`: rows of a batch that were taken for lost before their worker reports that they must be
 *   sent again. If the batch is completed without them, nobody would send them: then they are
 *   `failed`, as where silence is proof (`claims.decide`). `batch` locks the batch before its
 *   status is read, so that one that completes at the same moment never gets a queued row.
 * - `released`, `doubted`: the claim ends, or stays while one of its rows is in doubt.
 * - The batch's counters, last. `batch` and the counters name the counts of the parts before them,
 *   which are always true in `where`: so Postgres runs those first, which is the lock order.
 */
export const recordResults = (
  sql: Executor,
  { organizationId, bucket, claimId, batchId, isTest = false, channel = 'email' }: SettledClaim,
  results: TextResult[],
) => {
  const column = <T>(of: (result: TextResult) => T) => results.map(of)
  const [first, last] = span(column((r) => r.id))
  const mayBeLate = batchId !== null && results.some(({ outcome }) => outcome === 'queued')
  return sql`
    with result as (
      select *
      from unnest(
        ${column((r) => r.id)}::uuid[],
        ${column((r) => r.outcome)}::text[],
        ${column((r) => (r.outcome === 'sent' ? r.messageId : null))}::text[],
        ${column((r) => (r.outcome === 'sent' || r.outcome === 'unknown' ? r.subject : null))}::text[],
        ${column((r) => ('reason' in r ? r.reason : null))}::text[],
        ${column((r) => ('error' in r ? r.error.slice(0, 500) : null))}::text[]
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
          when 'skipped' then result.reason
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
      returning m.id, held.before, m.state, m.message_id, m.contact_id, m.connection_id, m.channel,
        m.source, m.send_at, m.execution_id, m.claimed_at, m.first_event_at, m.variant,
        m.parts
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
      returning m.connection_id, m.channel, m.claimed_at, m.first_event_at, held.overtaken
    ), answered as (${answeredCounts.add(
      sql,
      organizationId,
      sql`
        select connection_id, claimed_at, first_event_at from moved
        where state = 'sent' and channel = 'email'
        union all
        select connection_id, claimed_at, first_event_at from overtaken
        where overtaken and channel = 'email'`,
    )}), hooked as (${hookFacts.ofMovedMails(
      sql,
      { organizationId, bucket },
      sql`select id, state, source, contact_id from moved where channel = 'email'`,
    )}), named as (
      insert into message_ids (organization_id, message_id, connection_id, bucket, id)
      select ${organizationId}, message_id, connection_id, ${bucket}, id
      from moved
      where state = 'sent'
      on conflict do nothing
    ), back as (${backInQueue(sql, { organizationId, bucket, channel })})${
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
      insert into contact_stats as s (organization_id, contact_id, emails_sent, sms_sent,
        last_email_sent_at)
      select ${organizationId}, id, (channel = 'email')::int, (channel = 'sms')::int,
        case when channel = 'email' then clock_timestamp() end
      from alive
      cross join (select channel from moved limit 1) claim
      order by id
      on conflict (organization_id, contact_id) do update
      set emails_sent = s.emails_sent + excluded.emails_sent,
        sms_sent = s.sms_sent + excluded.sms_sent,
        last_email_sent_at = coalesce(excluded.last_email_sent_at, s.last_email_sent_at)
      returning 1
    ), tested as (${
      isTest
        ? batchVariants.addSent(
            sql,
            { organizationId, batchId },
            sql`select id, variant from moved where state = 'sent' and variant is not null`,
          )
        : sql`select 1`
    })${
      mayBeLate
        ? sql`, batch as materialized (
      select status
      from batches
      where organization_id = ${organizationId} and id = ${batchId}
        and exists (select from held where late)
        and (select count(*) from mailed) >= 0 and (select count(*) from answered) >= 0
        and (select count(*) from tested) >= 0
      for update
    ), late as (
      update messages m
      set state = verdict.state, status = verdict.state,
        reason = case when verdict.state = 'failed' then 'not_accepted' end,
        error = null, claim_id = null, claimed_at = null
      from held
      cross join (
        select case when (select status from batch) = 'completed' then 'failed' else 'queued' end
          as state
      ) verdict
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id between ${first} and ${last} and m.id = held.id and held.late
      returning m.id, m.channel, m.state, m.source, m.contact_id, held.before
    ), late_hooked as (${hookFacts.ofMovedMails(
      sql,
      { organizationId, bucket },
      sql`select id, state, source, contact_id from late where channel = 'email'`,
    )})`
        : sql``
    }, released as (
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
      from (
        select state, before from moved
        ${mayBeLate ? sql`union all select state, before from late` : sql``}
      ) settled
    ) delta, (select count(*) as rows from mailed) stats,
      (select count(*) as rows from answered) counts,
      (select count(*) as rows from tested) variants
    where b.organization_id = ${organizationId} and b.id = ${batchId}
      and stats.rows >= 0 and counts.rows >= 0 and variants.rows >= 0`
}

/** Queues those of `moved` again that are to be sent again. Rows of batches are in no queue. */
const backInQueue = (
  sql: Executor,
  { organizationId, bucket, channel }: { organizationId: string; bucket: Uuid; channel: Channel },
) =>
  channel === 'sms'
    ? sql`
      insert into text_queue (organization_id, bucket, id, connection_id, sender, parts, send_at)
      select ${organizationId}, ${bucket}, moved.id, moved.connection_id, body.from_address,
        moved.parts, moved.send_at
      from moved
      join message_bodies body on body.organization_id = ${organizationId}
        and body.bucket = ${bucket} and body.id = moved.id
      where moved.state = 'queued' and moved.source <> 'batch'
      on conflict do nothing`
    : sql`
      insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
      select ${organizationId}, ${bucket}, id, connection_id,
        ${priorityOf(sql)}, send_at
      from moved
      where state = 'queued' and source <> 'batch'
      on conflict do nothing`
