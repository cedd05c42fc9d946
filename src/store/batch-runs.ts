import { batchBucket, batchRowId, type Uuid } from '../ids.ts'
import type { BatchStatus } from '../domain/batch.ts'
import { type Executor, type Sql, type Transaction, transact } from './sql.ts'

/** One attempt at sending a batch: the key that every statement here names. */
export interface Run {
  organizationId: string
  batchId: string
  attempt: number
}

export interface Standing {
  status: BatchStatus
  scheduledFor: string | null
  frozenAt: string | null
  totalRecipients: number
  chunkSize: number | null
  connectionId: string
}

/** Where a batch stands for this attempt; undefined when it is gone or another attempt runs. */
export const find = async (sql: Sql, { organizationId, batchId, attempt }: Run) => {
  const [batch] = await sql<Standing[]>`
    select status, scheduled_for, audience_frozen_at as frozen_at, total_recipients, chunk_size,
      connection_id
    from batches
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}`
  return batch
}

/** `scheduled → processing` when the time has come. */
export const startScheduled = (sql: Sql, { organizationId, batchId, attempt }: Run) => sql`
  update batches
  set status = 'processing', started_at = clock_timestamp(), updated_at = clock_timestamp(),
    progressed_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
    and status = 'scheduled'`

interface Freeze extends Run {
  /** Contacts per transaction; an audience up to this size is one snapshot. */
  pageSize: number
  chunkSize: number
}

interface Frozen {
  /** False while a further page may exist. */
  complete: boolean
  total: number
  bucket: Uuid
}

/**
 * Copies one page of the audience into the ledger, in the order of contact ids, with dense sequence
 * numbers. One transaction: it locks the batch, so a page is written once and a cancelled batch
 * gets none; the cursor advances with the rows. Undefined when the batch is no longer to be frozen.
 */
export const freezePage = (sql: Sql, freeze: Freeze): Promise<Frozen | undefined> =>
  transact(sql, async (tx) => {
    const { organizationId, batchId, attempt, pageSize } = freeze
    const [batch] = await tx<
      {
        status: BatchStatus
        bucket: Uuid | null
        cursor: Uuid | null
        total: number
        frozenAt: string | null
        startedAt: string
        contactIds: Uuid[] | null
        topicId: Uuid | null
        connectionId: Uuid
      }[]
    >`
      select status, bucket, freeze_cursor as cursor, audience_frozen_at as frozen_at, contact_ids,
        topic_id, connection_id, coalesce(freeze_started_at, clock_timestamp()) as started_at,
        case when freeze_started_at is null then 0 else total_recipients end as total
      from batches
      where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
        and status in ('queued', 'processing')
      for update`
    if (!batch) return undefined
    const bucket = batch.bucket ?? batchBucket()
    if (batch.frozenAt !== null) return { complete: true, total: batch.total, bucket }
    const inserted = await tx`
      insert into messages (organization_id, bucket, id, dedupe_key, source, batch_id, connection_id,
        contact_id, recipient)
      select ${organizationId}::uuid, ${bucket}::uuid,
        (left(${bucket}, 28) || lpad(to_hex(${batch.total}::int - 1 + row_number() over (order by id)), 8, '0'))::uuid,
        id, 'batch', ${batchId}::uuid, ${batch.connectionId}::uuid, id, email
      from (
        select c.id, c.email
        from contacts c
        ${batch.topicId ? subscribers(tx, organizationId, batch.topicId, batch.cursor) : tx``}
        where c.organization_id = ${organizationId}
          and c.email is not null
          and c.email_status = 'active'
          and c.created_at <= ${batch.startedAt}
          ${batch.cursor ? tx`and c.id > ${batch.cursor}` : tx``}
          ${batch.contactIds ? tx`and c.id = any(${batch.contactIds})` : tx``}
        order by c.id
        limit ${pageSize}
      ) page`
    const total = batch.total + inserted.count
    const complete = inserted.count < pageSize
    await tx`
      update batches
      set bucket = ${bucket}, freeze_started_at = ${batch.startedAt}, total_recipients = ${total},
        freeze_cursor = coalesce((
          select contact_id
          from messages
          where organization_id = ${organizationId} and bucket = ${bucket}
            and id = ${batchRowId(bucket, Math.max(0, total - 1))}
        ), freeze_cursor),
        updated_at = clock_timestamp(), progressed_at = clock_timestamp()
        ${
          complete
            ? tx`, status = 'processing', audience_frozen_at = clock_timestamp(),
                chunk_size = ${freeze.chunkSize}, started_at = coalesce(started_at, clock_timestamp())`
            : tx``
        }
      where organization_id = ${organizationId} and id = ${batchId}`
    return { complete, total, bucket }
  })

/** Read from the index of the topic in the order of contacts, from where the last page ended. */
const subscribers = (
  tx: Transaction,
  organizationId: string,
  topicId: Uuid,
  cursor: Uuid | null,
) => tx`
  join subscriptions s on s.organization_id = ${organizationId} and s.topic_id = ${topicId}
    and s.status = 'subscribed' and s.contact_id = c.id
    ${cursor ? tx`and s.contact_id > ${cursor}` : tx``}`

/**
 * What every mail of a batch has in common. Nothing in it changes while the batch is being sent.
 */
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
  organizationName: string
  /** Its mails leave this topic; null: all mail. */
  topicId: Uuid | null
  unknownOutcome: 'fail' | 'retry'
}

export interface VariableMapping {
  variableName: string
  source: { type: 'static'; value: string } | { type: 'contact'; field: string }
}

/** With how many were accepted so far. */
export const context = async (sql: Sql, organizationId: string, batchId: string) => {
  const [found] = await sql<(Context & { sent: number })[]>`
    select b.bucket, b.connection_id, b.content_id, c.html as content_html, c.text as content_text,
      b.subject, b.preview_text, b.from_address, b.from_name, b.reply_to, b.variable_mappings,
      o.name as organization_name, b.topic_id, b.unknown_outcome, b.sent
    from batches b
    join organizations o on o.id = b.organization_id
    join contents c on c.organization_id = b.organization_id and c.id = b.content_id
    where b.organization_id = ${organizationId} and b.id = ${batchId} and b.bucket is not null`
  return found
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

/** Counts the rows themselves, not the counters: what finalizing compares. */
export const ledger = async (
  sql: Executor,
  organizationId: string,
  bucket: Uuid,
): Promise<Ledger> => {
  const [counted] = await sql<Ledger[]>`
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
  return counted ?? { frozen: 0, queued: 0, claimed: 0, unknown: 0, sent: 0, failed: 0, skipped: 0 }
}

/**
 * Notes since when nothing of a batch is open but mails in doubt, and completes it without them
 * once that has lasted `awaitedMs`; a batch that sends them again in the end waits for
 * `patienceMs`. Returns whether the batch is still being sent.
 */
export const awaitOutcomes = async (
  sql: Sql,
  run: Run,
  { awaitedMs, patienceMs }: { awaitedMs: number; patienceMs: number },
): Promise<'processing' | 'completed' | 'stopped'> => {
  const { organizationId, batchId, attempt } = run
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
        ) + ${patienceMs} * interval '1 millisecond'
        else coalesce(
          b.outcome_awaited_until, clock_timestamp() + ${awaitedMs} * interval '1 millisecond')
      end
    where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      and status = 'processing'
    returning coalesce(
      unknown_outcome = 'fail' and outcome_awaited_until <= clock_timestamp(), false) as is_over`
  if (batch?.isOver === false) return 'processing'
  const { status } = await complete(sql, run)
  return status === 'processing' || status === 'completed' ? status : 'stopped'
}

/**
 * `processing → completed`, only when every recipient is settled, or in doubt for as long as is
 * waited for that, and the batch's counters say the same as its rows. Both are read in one snapshot
 * with the batch locked, so a late event cannot fall between them. Returns what was found;
 * `completed` is false when something is still open.
 */
export const complete = (sql: Sql, { organizationId, batchId, attempt }: Run) =>
  transact(sql, async (tx) => {
    const [batch] = await tx<
      {
        status: BatchStatus
        bucket: Uuid
        total: number
        sent: number
        failed: number
        skipped: number
        unknown: number
        goesOn: boolean
      }[]
    >`
      select status, bucket, total_recipients as total, sent, failed, skipped, unknown,
        coalesce(unknown_outcome = 'fail' and outcome_awaited_until <= clock_timestamp(), false)
          as goes_on
      from batches
      where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
      for update`
    if (!batch || batch.status !== 'processing') return { status: batch?.status, completed: false }
    const rows = await ledger(tx, organizationId, batch.bucket)
    const inDoubt = batch.goesOn ? rows.unknown : 0
    const settled =
      rows.frozen === batch.total &&
      rows.unknown === batch.unknown &&
      rows.sent + rows.failed + rows.skipped + inDoubt === batch.total &&
      batch.sent + batch.failed + batch.skipped + inDoubt === batch.total
    if (!settled) return { status: batch.status, completed: false, rows, counters: batch }
    await tx`
      update batches
      set status = 'completed', completed_at = clock_timestamp(), updated_at = clock_timestamp(),
        outcome_awaited_until = null
      where organization_id = ${organizationId} and id = ${batchId}`
    return { status: 'completed' as const, completed: true }
  })

/** `queued | scheduled | processing → failed`, with the reason that a caller reads. */
export const fail = (
  sql: Executor,
  { organizationId, batchId, attempt }: Run,
  reason: string,
) => sql`
  update batches
  set status = 'failed', failed_reason = ${reason}, completed_at = clock_timestamp(),
    updated_at = clock_timestamp()
  where organization_id = ${organizationId} and id = ${batchId} and attempt = ${attempt}
    and status in ('queued', 'scheduled', 'processing')`

/** What the rows of a batch say, counted one by one: for those who do not trust the counters. */
export const audit = async (sql: Sql, organizationId: string, batchId: string) => {
  const [counted] = await sql<{ rows: number; sent: number; opened: number; messageIds: number }[]>`
    select count(*) as rows,
      count(*) filter (where m.state = 'sent') as sent,
      count(*) filter (where m.opened_at is not null) as opened,
      count(distinct m.message_id) as message_ids
    from batches b
    join messages m on m.organization_id = b.organization_id and m.bucket = b.bucket
      and m.batch_id = b.id
    where b.organization_id = ${organizationId} and b.id = ${batchId}`
  return counted ?? { rows: 0, sent: 0, opened: 0, messageIds: 0 }
}
