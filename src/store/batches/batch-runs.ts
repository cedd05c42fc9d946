import type { Brand } from '../../domain/content/brand.ts'
import { brandOf } from '../access/organizations.ts'
import { batchRowId, type Uuid } from '../../runtime/ids.ts'
import type { AudienceType } from '../../domain/audience/audience.ts'
import type { BatchReport, BatchStatus } from '../../domain/batches/batch.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'
import { insertRows, nextContacts, type PageToFreeze } from './freeze-rows.ts'

/** An attempt at sending a batch. Every statement here names it. */
export interface Run {
  organizationId: string
  batchId: string
  attempt: number
}

export interface BatchState {
  status: BatchStatus
  scheduledFor: string | null
  frozenAt: string | null
  totalRecipients: number
  chunkSize: number | null
  connectionId: string
  isPaused: boolean
  timezone: string | null
  throttlePerSecond: number | null
  updatedAt: string
  /** Time of Postgres' clock. */
  now: string
}

/** Finds the state of a batch. Undefined: it is gone, or another attempt runs. */
export const find = async (sql: Sql, { organizationId, batchId, attempt }: Run) => {
  const [batch] = await sql<BatchState[]>`
    select status, scheduled_for, audience_frozen_at as frozen_at, total_recipients, chunk_size,
      connection_id, paused_reason is not null as is_paused, timezone, throttle_per_second, updated_at,
      clock_timestamp()::timestamptz(3) as now
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}`
  return batch
}

/**
 * `scheduled → processing` when the time has come. False: somebody has paused, rescheduled or
 * cancelled it since it was read, at `updatedAt`.
 */
export const startScheduled = async (
  sql: Sql,
  { organizationId, batchId, attempt }: Run,
  { updatedAt }: Pick<BatchState, 'updatedAt'>,
): Promise<boolean> => {
  const { count } = await sql`
    update batches
    set status = 'processing', started_at = clock_timestamp(), updated_at = clock_timestamp(),
      progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      and status = 'scheduled' and paused_reason is null and updated_at = ${updatedAt}`
  return count > 0
}

/** A batch while its audience is being frozen. */
export interface FreezingBatch {
  status: BatchStatus
  /** The bucket is null before the first page. */
  bucket: Uuid | null
  /** Last contact of the finished pages. */
  cursor: Uuid | null
  total: number
  frozenAt: string | null
  /** Start of the first page. Contacts that were created later are not in the audience. */
  startedAt: string
  audienceType: AudienceType
  contactIds: Uuid[] | null
  topicId: Uuid | null
  segmentId: Uuid | null
  excludedTopicIds: Uuid[]
  excludedSegmentIds: Uuid[]
  connectionId: Uuid
  scheduledFor: string | null
  /** `scheduledFor`, read in this zone, is the local time at which each contact is mailed. */
  timezone: string | null
  /** Number of variants of the test's share. */
  variants: number | null
  sharePercent: number | null
}

/** Locks a batch whose audience is to be frozen by this attempt. Undefined: there is none. */
export const lockToFreeze = async (tx: Transaction, { organizationId, batchId, attempt }: Run) => {
  const [batch] = await tx<FreezingBatch[]>`
    select status, bucket, freeze_cursor as cursor, audience_frozen_at as frozen_at, audience_type,
      contact_ids, topic_id, segment_id, excluded_topic_ids, excluded_segment_ids, connection_id,
      scheduled_for, timezone, jsonb_array_length(ab_test -> 'variants') as variants,
      (ab_test ->> 'sharePercent')::int as share_percent,
      coalesce(freeze_started_at, clock_timestamp()) as started_at,
      case when freeze_started_at is null then 0 else total_recipients end as total
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      and status in ('queued', 'processing')
    for update`
  return batch
}

/**
 * Copies the next contacts of the audience into the ledger, in the order of their ids, with dense
 * sequence numbers. Returns how many there were.
 */
export const insertPage = async (
  tx: Transaction,
  run: Run,
  batch: PageToFreeze,
  pageSize: number,
): Promise<number> => {
  const placedContacts = tx`(
    select id, email, ${batch.total}::int - 1 + (row_number() over (order by id))::int as place
    from (${nextContacts(tx, run, batch, { size: pageSize })}) page
  ) placed`
  const { count } = await tx`${insertRows(tx, run, batch, { placed: placedContacts })}`
  return count
}

/**
 * Writes how far freezing is. A `complete` audience is divided into chunks of `chunkSize` and the
 * batch is `processing` from now on.
 */
export const recordPage = (
  tx: Transaction,
  { organizationId, batchId }: Run,
  page: {
    bucket: Uuid
    startedAt: string
    total: number
    complete: boolean
    chunkSize: number
    /** Last contact of the page, if the last row is of another one. */
    cursor?: Uuid | undefined
  },
) => tx`
  update batches
  set bucket = ${page.bucket}, freeze_started_at = ${page.startedAt},
    total_recipients = ${page.total},
    freeze_cursor = coalesce(${page.cursor ?? null}::uuid, (
      select contact_id
      from messages
      where organization_id = ${organizationId} and bucket = ${page.bucket}
        and id = ${batchRowId(page.bucket, Math.max(0, page.total - 1))}
    ), freeze_cursor),
    updated_at = clock_timestamp(), progressed_at = clock_timestamp()
    ${
      page.complete
        ? tx`, status = 'processing', audience_frozen_at = clock_timestamp(),
            chunk_size = ${page.chunkSize}, started_at = coalesce(started_at, clock_timestamp())`
        : tx``
    }
  where organization_id = ${organizationId} and id = ${batchId}`

/** The common parts of all mails of a batch. They do not change while it is being sent. */
export interface Context {
  bucket: Uuid
  connectionId: Uuid
  contentId: Uuid
  contentHtml: string
  contentText: string
  subject: string
  previewText: string | null
  fromAddress: string
  fromName: string | null
  replyTo: string | null
  variableMappings: VariableMapping[]
  brand: Brand
  /** Unsubscribing from its mails ends this topic only; null: all mail. */
  topicId: Uuid | null
  unknownOutcome: 'fail' | 'retry'
  throttlePerSecond: number | null
  isTest: boolean
}

interface VariableMapping {
  variableName: string
  source: { type: 'static'; value: string } | { type: 'contact'; field: string }
}

/** Includes the number of accepted mails, and whether the batch is paused. */
export const context = async (sql: Sql, organizationId: string, batchId: string) => {
  const [batch] = await sql<(Context & { sent: number; isPaused: boolean })[]>`
    select b.bucket, b.connection_id, b.content_id, c.html as content_html, c.text as content_text,
      b.subject, b.preview_text, b.from_address, b.from_name, b.reply_to, b.variable_mappings,
      ${brandOf(sql)} as brand, b.topic_id, b.unknown_outcome, b.throttle_per_second,
      b.ab_test is not null as is_test, b.sent, b.paused_reason is not null as is_paused
    from batches b
    join organizations o on o.id = b.organization_id
    join contents c on c.organization_id = b.organization_id and c.id = b.content_id
    where b.organization_id = ${organizationId} and b.id = ${batchId} and b.bucket is not null`
  return batch
}

export interface Ledger {
  frozen: number
  queued: number
  claimed: number
  unknown: number
  sent: number
  failed: number
  skipped: number
}

const LAST_SEQ = 0xff_ff_ff_ff

/** Counts the rows themselves, which completing compares with the counters. */
export const ledger = async (
  sql: Executor,
  organizationId: string,
  bucket: Uuid,
): Promise<Ledger> => {
  const [counts] = await sql<Ledger[]>`
    select count(*) as frozen,
      count(*) filter (where state = 'queued') as queued,
      count(*) filter (where state = 'claimed') as claimed,
      count(*) filter (where state = 'unknown') as unknown,
      count(*) filter (where state = 'sent') as sent,
      count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'skipped') as skipped
    from messages
    where organization_id = ${organizationId} and bucket = ${bucket}
      and id between ${bucket} and ${batchRowId(bucket, LAST_SEQ)}`
  return counts ?? { frozen: 0, queued: 0, claimed: 0, unknown: 0, sent: 0, failed: 0, skipped: 0 }
}

/**
 * Notes until when a batch waits in which nothing but mails in doubt is open: `awaitedMs` from the
 * first time that this was noticed; of a batch that sends them again in the end `giveUpMs` from
 * its last claim. Returns whether that time is over; undefined: the batch is not being sent any
 * more, or by another attempt.
 */
export const noteAwaited = async (
  sql: Sql,
  { organizationId, batchId, attempt }: Run,
  { awaitedMs, giveUpMs }: { awaitedMs: number; giveUpMs: number },
): Promise<boolean | undefined> => {
  const [batch] = await sql<{ isOver: boolean }[]>`
    update batches b
    set outcome_awaited_until = case
        when b.unknown = 0 or b.sent + b.failed + b.skipped + b.unknown < b.total_recipients
        then null
        when b.unknown_outcome = 'retry'
        then (
          select max(claimed_at)
          from claims
          where organization_id = ${organizationId} and batch_id = ${batchId}
        ) + ${giveUpMs} * interval '1 millisecond'
        else coalesce(
          b.outcome_awaited_until, clock_timestamp() + ${awaitedMs} * interval '1 millisecond')
      end
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      and status = 'processing'
    returning coalesce(
      unknown_outcome = 'fail' and outcome_awaited_until <= statement_timestamp(), false) as is_over`
  return batch?.isOver
}

/** Notes that the 24-hour quota of its account keeps a batch waiting for `waitMs`. */
export const noteQuotaAwaited = (
  sql: Sql,
  { organizationId, batchId, attempt }: Run,
  waitMs: number,
) => sql`
  update batches
  set quota_awaited_until = clock_timestamp() + ${waitMs} * interval '1 millisecond'
  where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
    and status = 'processing'`

export interface Counters {
  status: BatchStatus
  bucket: Uuid
  total: number
  sent: number
  failed: number
  skipped: number
  unknown: number
  /** The batch has waited long enough for mails in doubt: it completes without them. */
  completesWithoutUnknown: boolean
}

/** Locks a batch and reads its counters. Undefined: another attempt has it. */
export const lockCounters = async (tx: Transaction, { organizationId, batchId, attempt }: Run) => {
  const [batch] = await tx<Counters[]>`
    select status, bucket, total_recipients as total, sent, failed, skipped, unknown,
      coalesce(unknown_outcome = 'fail' and outcome_awaited_until <= statement_timestamp(), false)
        as completes_without_unknown
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
    for update`
  return batch
}

/** Changes a locked batch from `processing` to `completed`. */
export const markCompleted = (tx: Transaction, { organizationId, batchId }: Run) => tx`
  update batches
  set status = 'completed', paused_reason = null, completed_at = clock_timestamp(), updated_at = clock_timestamp(),
    outcome_awaited_until = null
  where organization_id = ${organizationId} and id = ${batchId}`

/** Fails a live batch with a reason that callers read. */
export const fail = (
  sql: Executor,
  { organizationId, batchId, attempt }: Run,
  reason: string,
) => sql`
  update batches
  set status = 'failed', failed_reason = ${reason}, paused_reason = null, completed_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
    and status in ('queued', 'scheduled', 'processing')`

/**
 * The result of a run, from the batch's counters. Undefined: the batch is gone. Unsent rows of a
 * cancelled batch are counted row by row, since the outcome of its claimed mails is still unknown.
 */
export const report = async (
  sql: Executor,
  { organizationId, batchId, attempt }: Run,
): Promise<BatchReport | undefined> => {
  const [batch] = await sql<BatchReport[]>`
    select case when attempt = ${attempt} then status else 'superseded' end as status,
      failed_reason as reason,
      case when bucket is null then 0 else total_recipients end as frozen,
      sent, failed, skipped,
      case when status = 'cancelled' then (
        select count(*)
        from messages m
        where m.organization_id = ${organizationId} and m.bucket = b.bucket
          and m.state = 'queued' and m.batch_id = b.id
      ) else 0 end as cancelled,
      unknown
    from batches b
    where organization_id = ${organizationId} and id = ${batchId}`
  return batch
}

/** Counts the rows of a batch one by one, for callers who do not trust the counters. */
export const audit = async (sql: Sql, organizationId: string, batchId: string) => {
  const [counts] = await sql<{ rows: number; sent: number; opened: number; messageIds: number }[]>`
    select count(*) as rows,
      count(*) filter (where m.state = 'sent') as sent,
      count(*) filter (where m.opened_at is not null) as opened,
      count(distinct m.message_id) as message_ids
    from batches b
    join messages m on m.organization_id = b.organization_id and m.bucket = b.bucket
      and m.batch_id = b.id
    where b.organization_id = ${organizationId} and b.id = ${batchId}`
  return counts ?? { rows: 0, sent: 0, opened: 0, messageIds: 0 }
}
