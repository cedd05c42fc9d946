import { CANCELLABLE } from '../../domain/batches/batch.ts'
import type { ProgressFacts, RateFacts } from '../../domain/batches/progress.ts'
import { batchRowId, type Uuid } from '../../runtime/ids.ts'
import type { AbTestInput } from '../../schemas/batches/ab-test.ts'
import type {
  Batch,
  BatchInput,
  BatchSummary,
  VariableMapping,
} from '../../schemas/batches/batch.ts'
import type { BatchReason, Recipient } from '../../schemas/batches/batch-recipients.ts'
import { containing } from '../db/like.ts'
import type { Executor, Part, Transaction } from '../db/sql.ts'

/** A batch as lists show it. */
export const summaryColumns = (sql: Executor) => sql`
  id, status, channel, name, total_recipients, sent + failed + skipped as processed_recipients,
  sent, failed, skipped, unknown, delivered, opened, clicked, bounced, complained, suppressed,
  unsubscribed, started_at, completed_at, created_at,
  jsonb_build_object('type', audience_type, 'contactCount', cardinality(contact_ids)) as audience,
  audience_frozen_at, from_address as "from", from_name, reply_to, subject, preview_text,
  scheduled_for, connection_id as cloud_account_id, template_id, topic_id, segment_id,
  jsonb_build_object('topicIds', excluded_topic_ids, 'segmentIds', excluded_segment_ids) as exclude,
  timezone_aware, timezone, throttle_per_second,
  paused_reason is not null as paused, paused_reason, failed_reason, duplicates, updated_at,
  case
    when unknown > 0 and status = 'processing'
    then jsonb_build_object('count', unknown, 'until', to_char(
      outcome_awaited_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  end as waiting_for_outcome,
  case
    when quota_awaited_until > statement_timestamp() and status = 'processing' and paused_reason is null
    then jsonb_build_object('until', to_char(
      quota_awaited_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  end as waiting_for_quota`

/**
 * A batch with all that it sends; its parts are those of its content, as it is stored. `pace` is
 * what its progress is computed from; null: it is not being sent.
 */
export type WholeBatch = Omit<Batch, 'htmlContent' | 'textContent' | 'progress'> & {
  html: string
  text: string
  pace: ProgressFacts | null
}

export const columns = (sql: Executor) => sql`
  ${summaryColumns(sql)}, variable_mappings, ${abTest(sql)} as ab_test,
  (select html from contents c
   where c.organization_id = batches.organization_id and c.id = content_id) as html,
  (select text from contents c
   where c.organization_id = batches.organization_id and c.id = content_id) as text,
  ${pace(sql)} as pace`

const inMs = (sql: Executor, time: Part) => sql`(extract(epoch from ${time}) * 1000)::float8`

/** Members of `RateFacts`. */
const rateFacts = (sql: Executor) => sql`
  'now', ${inMs(sql, sql`statement_timestamp()`)},
  'marks', (
    select coalesce(jsonb_agg(jsonb_build_object('at', ${inMs(sql, sql`mark.at`)},
      'sent', mark.sent) order by mark.at), '[]')
    from unnest(rate_times, rate_counts) as mark (at, sent)
  )`

/** Finds what the rate of a batch is computed from. Undefined: it is gone. */
export const findRate = async (sql: Executor, organizationId: Uuid, id: Uuid) => {
  const [row] = await sql<{ sent: number; facts: RateFacts }[]>`
    select sent, jsonb_build_object(${rateFacts(sql)}) as facts
    from batches
    where organization_id = ${organizationId} and id = ${id}`
  return row
}

const pace = (sql: Executor) => sql`
  case when status = 'processing' then jsonb_build_object(
    ${rateFacts(sql)},
    'quotaUntil', ${inMs(sql, sql`quota_awaited_until`)},
    'outcomeUntil', ${inMs(sql, sql`outcome_awaited_until`)},
    'nextPartAt', (
      select ${inMs(sql, sql`min(p.send_at)`)}
      from batch_parts p
      where p.organization_id = batches.organization_id and p.batch_id = batches.id
        and p.send_at > statement_timestamp()
    ),
    'lastPartAt', (
      select ${inMs(sql, sql`max(p.send_at)`)}
      from batch_parts p
      where p.organization_id = batches.organization_id and p.batch_id = batches.id
    ),
    'awaitsWinner', ab_test is not null and ab_winner is null and coalesce(
      sent + failed + skipped + unknown >= (
        select max(p.to_row)
        from batch_parts p
        where p.organization_id = batches.organization_id and p.batch_id = batches.id and p.is_test
      ), false),
    'decideAt', ${inMs(sql, sql`ab_decide_at`)},
    'account', (
      select jsonb_build_object('perSecond', a.per_second, 'isThrottled', a.is_throttled,
        'pausedUntil', ${inMs(sql, sql`a.paused_until`)}, 'pausedReason', a.paused_reason,
        'batches', a.batches)
      from account_pace(batches.organization_id, batches.connection_id) a
    )
  ) end`

/** A test with the figures of its variants, and how it was decided. */
export const abTest = (sql: Executor) => sql`
  case when ab_test is not null then jsonb_build_object(
    'variants', (
      select jsonb_agg(jsonb_build_object(
          'name', ab_test -> 'variants' -> v.position::int -> 'name',
          'subject', v.subject, 'fromName', v.from_name, 'previewText', v.preview_text,
          'templateId', v.template_id, 'sent', v.sent, 'delivered', v.delivered,
          'opened', v.opened, 'clicked', v.clicked, 'bounced', v.bounced,
          'complained', v.complained) order by v.position)
      from batch_variants v
      where v.organization_id = batches.organization_id and v.batch_id = batches.id
    ),
    'rest', (
      select jsonb_build_object('sent', v.rest_sent, 'delivered', v.rest_delivered,
        'opened', v.rest_opened, 'clicked', v.rest_clicked, 'bounced', v.rest_bounced,
        'complained', v.rest_complained)
      from batch_variants v
      where v.organization_id = batches.organization_id and v.batch_id = batches.id
        and v.position = ab_winner
    ),
    'sharePercent', ab_test -> 'sharePercent',
    'winnerBy', ab_test -> 'winnerBy',
    'decideAfter', ab_test -> 'decideAfter',
    'decideAt', to_char(ab_decide_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'winner', ab_test -> 'variants' -> ab_winner::int -> 'name',
    'decision', case when ab_decision is not null then jsonb_build_object(
      'by', ab_decision -> 'by', 'isConclusive', ab_decision -> 'isConclusive',
      'leader', ab_test -> 'variants' -> (ab_decision -> 'comparison' -> 'leader')::int -> 'name',
      'next', ab_test -> 'variants' -> (ab_decision -> 'comparison' -> 'next')::int -> 'name',
      'leaderRate', ab_decision -> 'comparison' -> 'leaderRate',
      'nextRate', ab_decision -> 'comparison' -> 'nextRate',
      'low', ab_decision -> 'comparison' -> 'low',
      'high', ab_decision -> 'comparison' -> 'high',
      'confidence', ab_decision -> 'comparison' -> 'confidence') end
  ) end`

/** A test as it was asked for: each variant says what it says otherwise than the batch. */
type StoredTest = Omit<AbTestInput, 'decideAfter'> & {
  decideAfter: NonNullable<AbTestInput['decideAfter']> | null
  /** The batch's own content. Its row has the content of the first variant. */
  said: Pick<BatchInput, 'subject' | 'previewText' | 'fromName' | 'templateId'>
}

export interface NewBatch {
  organizationId: Uuid
  id: Uuid
  status: 'queued' | 'scheduled'
  pausedReason?: 'duplicated'
  name: string | null
  audienceType: BatchInput['audienceType']
  contactIds: readonly Uuid[] | null
  topicId: Uuid | null
  segmentId: Uuid | null
  excludedTopicIds: readonly Uuid[]
  excludedSegmentIds: readonly Uuid[]
  connectionId: Uuid
  contentId: Uuid
  templateId: Uuid | null
  subject: string
  previewText: string | null
  fromAddress: string
  fromName: string | null
  replyTo: string | null
  variableMappings: readonly VariableMapping[]
  scheduledFor: string | null
  /** `scheduledFor`, read in this zone, is the local time at which each contact is mailed. */
  timezone: string | null
  throttlePerSecond: number | null
  /** The requested test. The variants are rows of their own. */
  abTest: StoredTest | null
  unknownOutcome: 'fail' | 'retry'
  /** An estimate until the audience is frozen. */
  totalRecipients: number
}

export async function insert(sql: Transaction, batch: NewBatch): Promise<WholeBatch> {
  const [created] = await sql<WholeBatch[]>`
    insert into batches (organization_id, id, status, name, audience_type, contact_ids,
      topic_id, segment_id, excluded_topic_ids, excluded_segment_ids, connection_id, content_id,
      template_id, subject, preview_text, from_address, from_name, reply_to, variable_mappings,
      scheduled_for, timezone_aware, timezone, throttle_per_second, unknown_outcome,
      total_recipients, paused_reason, ab_test)
    values (${batch.organizationId}, ${batch.id}, ${batch.status}, ${batch.name},
      ${batch.audienceType}, ${batch.contactIds === null ? null : [...batch.contactIds]}::uuid[],
      ${batch.topicId}, ${batch.segmentId}, ${[...batch.excludedTopicIds]}::uuid[],
      ${[...batch.excludedSegmentIds]}::uuid[], ${batch.connectionId}, ${batch.contentId},
      ${batch.templateId}, ${batch.subject}, ${batch.previewText}, ${batch.fromAddress},
      ${batch.fromName}, ${batch.replyTo}, ${sql.json(batch.variableMappings)},
      ${batch.scheduledFor}, ${batch.timezone !== null}, ${batch.timezone},
      ${batch.throttlePerSecond}, ${batch.unknownOutcome}, ${batch.totalRecipients},
      ${batch.pausedReason ?? null}, ${batch.abTest === null ? null : sql.json(batch.abTest)})
    returning ${columns(sql)}`
  if (!created) throw new Error('an insert returned no row')
  return created
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<WholeBatch | undefined> {
  const [batch] = await sql<WholeBatch[]>`
    select ${columns(sql)}
    from batches
    where organization_id = ${organizationId} and id = ${id}`
  return batch
}

/** Batches of any organizations, as lists show them. */
export const listEach = (sql: Executor, keys: readonly { organizationId: Uuid; id: Uuid }[]) => sql<
  (BatchSummary & { organizationId: Uuid })[]
>`
  select organization_id, ${summaryColumns(sql)}
  from batches
  where (organization_id, id) in (
    select *
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ id }) => id)}::uuid[]
    )
  )`

export interface BatchFilters {
  statuses?: readonly string[] | undefined
  channel?: string | undefined
  search?: string | undefined
}

const filtered = (sql: Executor, organizationId: Uuid, filters: BatchFilters) => {
  const { statuses, channel, search } = filters
  const part = search === undefined || search === '' ? undefined : containing(search)
  return sql`
    organization_id = ${organizationId}
    ${statuses === undefined ? sql`` : sql`and status = any(${[...statuses]}::text[])`}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${part === undefined ? sql`` : sql`and (name ilike ${part} or subject ilike ${part})`}`
}

/** Newest first, `before` an id. */
export const list = (
  sql: Executor,
  organizationId: Uuid,
  page: BatchFilters & { before: Uuid | undefined; limit: number; offset: number },
) => sql<BatchSummary[]>`
  select ${summaryColumns(sql)}
  from batches
  where ${filtered(sql, organizationId, page)}
    ${page.before === undefined ? sql`` : sql`and id < ${page.before}`}
  order by id desc
  limit ${page.limit}
  offset ${page.offset}`

/** Counts up to `most`. */
export async function count(
  sql: Executor,
  organizationId: Uuid,
  filters: BatchFilters,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select 1
      from batches
      where ${filtered(sql, organizationId, filters)}
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}

/** Cancels a batch that has not ended; undefined: there is no such one. */
export async function cancel(
  sql: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<(WholeBatch & { attempt: number }) | undefined> {
  const [cancelled] = await sql<(WholeBatch & { attempt: number })[]>`
    update batches
    set status = 'cancelled',
      paused_reason = null,
      completed_at = now(),
      updated_at = greatest(updated_at, now())
    where organization_id = ${organizationId}
      and id = ${id}
      and status = any(${[...CANCELLABLE]}::text[])
    returning ${columns(sql)}, attempt`
  return cancelled
}

/** Location of a batch's recipients, and the meaning of a row that is still `queued`. */
export interface Ledger {
  id: Uuid
  bucket: Uuid | null
  cancelled: boolean
  total: number
}

export async function findLedger(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Ledger | undefined> {
  const [ledger] = await sql<Ledger[]>`
    select id, bucket, status = 'cancelled' as cancelled, total_recipients as total
    from batches
    where organization_id = ${organizationId} and id = ${id}`
  return ledger
}

/** `queued` under a cancelled batch is cancelled: no million rows are rewritten for it. */
const shown = (sql: Executor, cancelled: boolean) => sql`
  case
    when state in ('claimed', 'unknown') then 'pending'
    when state = 'queued' and ${cancelled} then 'cancelled'
    else status
  end`

/** The name of a mail's variant. */
const variantName = (sql: Executor) => sql`
  case when variant is not null then (
    select b.ab_test -> 'variants' -> messages.variant::int ->> 'name'
    from batches b
    where b.organization_id = messages.organization_id and b.id = messages.batch_id
  ) end`

interface RecipientPage {
  bucket: Uuid
  cancelled: boolean
  status?: string | undefined
  /** Reason for which a mail failed or was skipped. */
  reason?: string | undefined
  after?: Uuid | undefined
  limit: number
  offset: number
}

/**
 * The end of a batch's range of ids: with it a count reads the batch, not all of the organization's
 * day.
 */
export const lastRow = (bucket: Uuid): Uuid => batchRowId(bucket, 0xff_ff_ff_ff)

/** Recipients in the order in which they are mailed. */
export const listRecipients = (sql: Executor, organizationId: Uuid, page: RecipientPage) => sql<
  Recipient[]
>`
  select id, contact_id, recipient as email, ${variantName(sql)} as variant, ${shown(sql, page.cancelled)} as status, message_id,
    reason, error, sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at
  from messages
  where organization_id = ${organizationId}
    and bucket = ${page.bucket}
    and id between ${page.bucket} and ${lastRow(page.bucket)}
    ${page.after === undefined ? sql`` : sql`and id > ${page.after}`}
    ${page.status === undefined ? sql`` : sql`and ${shown(sql, page.cancelled)} = ${page.status}`}
    ${page.reason === undefined ? sql`` : sql`and reason = ${page.reason}`}
  order by id
  limit ${page.limit}
  offset ${page.offset}`

export async function countRecipients(
  sql: Executor,
  organizationId: Uuid,
  { bucket, cancelled, status, reason }: Omit<RecipientPage, 'after' | 'limit' | 'offset'>,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from messages
    where organization_id = ${organizationId}
      and bucket = ${bucket}
      and id between ${bucket} and ${lastRow(bucket)}
      ${status === undefined ? sql`` : sql`and ${shown(sql, cancelled)} = ${status}`}
      ${reason === undefined ? sql`` : sql`and reason = ${reason}`}`
  return row?.total ?? 0
}

/**
 * Counts the reasons of mails that were not sent, most frequent first. Mails in doubt have no
 * reason, and the batch knows their number. Refused mails are read by their index, not the whole
 * batch: a page asks every few seconds.
 */
export const countReasons = (
  sql: Executor,
  organizationId: Uuid,
  { id, bucket, most }: { id: Uuid; bucket: Uuid; most: number },
) => sql<BatchReason[]>`
  with refused as (
    select ${shown(sql, false)} as status, reason, count(*) as count
    from messages
    where organization_id = ${organizationId}
      and bucket = ${bucket}
      and id between ${bucket} and ${lastRow(bucket)}
      and is_refused
      and state in ('failed', 'skipped')
    group by 1, 2
  )
  select status, reason, count
  from refused
  union all
  select 'pending', null, unknown
  from batches
  where organization_id = ${organizationId} and id = ${id} and unknown > 0
  order by 3 desc, 1, 2
  limit ${most}`
