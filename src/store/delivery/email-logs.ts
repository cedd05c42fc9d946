import { SUPPRESSED } from '../../domain/delivery/delivery.ts'
import { CANCELLED } from '../../domain/mails/single-mail.ts'
import {
  bucketOfBatchRow,
  bucketStart,
  dayBucket,
  isUuid,
  lowestId,
  type Uuid,
} from '../../runtime/ids.ts'
import type { EmailLog } from '../../schemas/delivery/email-log.ts'
import type { Executor, Part } from '../db/sql.ts'

/** A mail that is claimed or in doubt shows as pending: the provider may or may not have it. */
const shownStatus = (sql: Executor) => sql`
  case when messages.state in ('claimed', 'unknown') then 'pending' else messages.status end`

/**
 * Selects the mails that logs show. They leave out text messages, recipients of a cancelled batch
 * who were never mailed, mail of an execution that had ended, and cancelled single mail.
 */
const listed = (sql: Executor) => sql`
  messages.channel = 'email'
  and not (messages.state = 'queued' and batches.status is not distinct from 'cancelled')
  and not (messages.state = 'skipped'
    and coalesce(messages.reason in ('execution_ended', ${CANCELLED}), false))`

const withBatch = (sql: Executor) => sql`
  messages
  left join batches on batches.organization_id = messages.organization_id
    and batches.id = messages.batch_id`

/** Selects the logs of `page`, a relation of (organization_id, bucket, id), and `more` columns. */
const items = (sql: Executor, more = sql``) => sql`
  select ${more} messages.id, messages.message_id, ${shownStatus(sql)} as status, messages.recipient,
    messages.subject, coalesce(batches.from_address, message_bodies.from_address) as "from",
    messages.source as source_type, messages.batch_id, messages.execution_id,
    coalesce(variants.template_id, batches.template_id, messages.template_id) as template_id,
    messages.connection_id as cloud_account_id, connections.region, messages.created_at,
    messages.sent_at, messages.delivered_at, messages.opened_at, messages.human_opened_at,
    messages.clicked_at, messages.human_clicked_at, messages.unsubscribed_at,
    case when messages.variant is not null
      then batches.ab_test -> 'variants' -> messages.variant::int ->> 'name' end as variant,
    messages.bounced_at, messages.bounce_type, messages.bounce_sub_type, messages.complained_at,
    coalesce(messages.error, messages.reason) as error
  from page
  join messages on messages.organization_id = page.organization_id
    and messages.bucket = page.bucket and messages.id = page.id
  left join batches on batches.organization_id = messages.organization_id
    and batches.id = messages.batch_id
  left join batch_variants variants on variants.organization_id = messages.organization_id
    and variants.batch_id = messages.batch_id and variants.position = messages.variant
  left join message_bodies on message_bodies.organization_id = messages.organization_id
    and message_bodies.bucket = messages.bucket and message_bodies.id = messages.id
  left join connections on connections.organization_id = messages.organization_id
    and connections.id = messages.connection_id`

type Reached = 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'suppressed' | 'complained'

export interface LogPage {
  limit: number
  /** Lowest bucket that is shown. */
  oldest: Uuid
  /** Id. Only mails before it are listed. */
  before?: Uuid | undefined
  status?: string | undefined
  recipient?: string | undefined
  batchId?: Uuid | undefined
  /** Bucket of the batch, which is its only partition. */
  bucket?: Uuid | undefined
  executionId?: Uuid | undefined
  /** Contact of the execution. */
  contactId?: Uuid | undefined
  templateId?: Uuid | undefined
  sourceType?: string | undefined
  /** Range of the time of creation in ISO 8601, `from` included, `to` not. */
  from?: string | undefined
  to?: string | undefined
  reached?: Reached | undefined
}

/** Returns null if there is no such batch or its audience is not frozen. */
export async function findBatchBucket(
  sql: Executor,
  organizationId: Uuid,
  batchId: Uuid,
): Promise<Uuid | null> {
  const [batch] = await sql<{ bucket: Uuid | null }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  return batch?.bucket ?? null
}

/** Returns null if there is no such execution. */
export async function findExecutionContact(
  sql: Executor,
  organizationId: Uuid,
  executionId: Uuid,
): Promise<Uuid | null> {
  const [execution] = await sql<{ contactId: Uuid }[]>`
    select contact_id
    from executions
    where organization_id = ${organizationId} and id = ${executionId}`
  return execution?.contactId ?? null
}

/**
 * Lists logs, newest first. An id is never less than its bucket, so that a cursor prunes the
 * partitions after it. A filter by execution needs its `contactId`.
 */
export const list = (sql: Executor, organizationId: Uuid, page: LogPage) => sql<EmailLog[]>`
  with page as materialized (${pageOf(sql, organizationId, page)})
  ${items(sql)}
  order by messages.id desc`

/** Selects a page of the ledger, newest first. Each filter has an index in that order. */
function pageOf(sql: Executor, organizationId: Uuid, page: LogPage): Part {
  const { templateId, sourceType, limit } = page
  const pageConditions = sql`${parts(sql, conditions(sql, page))}`
  const keys = sql`select messages.organization_id, messages.bucket, messages.id`
  const plain = (condition: Part) => sql`
    ${keys}
    from ${withBatch(sql)}
    where messages.organization_id = ${organizationId} ${condition} and ${listed(sql)} ${pageConditions}
    order by messages.id desc
    limit ${limit}`
  /** Reads batch by batch: ids of a batch's rows begin with its bucket, so that is newest first. */
  const ofBatches = (batches: Part, condition: Part) => sql`
    select row.*
    from ${batches}
    cross join lateral (
      ${keys}
      from messages
      where messages.organization_id = ${organizationId} and messages.bucket = batches.bucket
        and ${listed(sql)} ${pageConditions} ${condition}
      order by messages.id desc
      limit ${limit}
    ) row
    where batches.organization_id = ${organizationId} and batches.bucket >= ${page.oldest}
      ${page.before === undefined ? sql`` : sql`and batches.bucket < ${page.before}`}
    order by batches.bucket desc, row.id desc
    limit ${limit}`
  /** Reads mails that other tables name, one by one: a join might walk the whole log. */
  const ofPlaces = (places: Part) => sql`
    select row.*
    from (${places} order by id desc offset 0) place
    cross join lateral (
      ${keys}
      from ${withBatch(sql)}
      where messages.organization_id = ${organizationId} and messages.bucket = place.bucket
        and messages.id = place.id and ${listed(sql)} ${pageConditions}
      limit 1
    ) row
    order by place.id desc
    limit ${limit}`
  const isPlain = NARROWING.every((name) => page[name] === undefined)
  if (isPlain && page.status === 'pending')
    return ofPlaces(claimedPlaces(sql, organizationId, page))
  if (isPlain && page.status === 'queued') {
    return sql`
      select *
      from (
        (${ofPlaces(queuedPlaces(sql, organizationId, page))})
        union all
        (${ofBatches(openBatches(sql, organizationId), sql``)})
      ) found
      order by id desc
      limit ${limit}`
  }
  if (sourceType === 'batch' && templateId === undefined) return ofBatches(sql`batches`, sql``)
  if (templateId === undefined) return plain(sql``)
  return sql`
    select *
    from (
      (${plain(sql`and messages.template_id = ${templateId} and messages.source <> 'batch'`)})
      union all
      (${ofBatches(
        withTemplate(sql, organizationId, templateId),
        sql`and ${templateOfRow(sql)} = ${templateId}`,
      )})
    ) found
    order by id desc
    limit ${limit}`
}

/** Filters by which fewer mails are found than are queued or on their way. */
const NARROWING = ['batchId', 'executionId', 'recipient', 'templateId'] as const

/** Every mail without an outcome has a claim, which is deleted when all outcomes are known. */
const claimedPlaces = (sql: Executor, organizationId: Uuid, { before }: LogPage) => sql`
  select claims.bucket, mail.id
  from claims
  cross join unnest(claims.message_ids) as mail (id)
  where claims.organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and mail.id < ${before}`}`

const queuedPlaces = (sql: Executor, organizationId: Uuid, { before }: LogPage) => sql`
  select bucket, id
  from mail_queue
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}`

/** Batches with rows without an outcome. Their rows are sent in order. */
const openBatches = (sql: Executor, organizationId: Uuid) => sql`
  (
    select organization_id, id, bucket, status
    from batches
    where organization_id = ${organizationId} and bucket is not null
      and status not in ('completed', 'cancelled')
      and sent + failed + skipped + unknown < total_recipients
  ) batches`

/** Batches that use a template, or one of whose variants does, newest first. */
const withTemplate = (sql: Executor, organizationId: Uuid, templateId: Uuid) => sql`
  (
    select organization_id, id, bucket, status, template_id
    from batches
    where organization_id = ${organizationId} and template_id = ${templateId}
      and bucket is not null
    union
    select b.organization_id, b.id, b.bucket, b.status, b.template_id
    from batch_variants v
    join batches b on b.organization_id = v.organization_id and b.id = v.batch_id
    where v.organization_id = ${organizationId} and v.template_id = ${templateId}
      and b.bucket is not null
    order by bucket desc
  ) batches`

/** Template of a batch's row: its variant's, else the batch's. */
const templateOfRow = (sql: Executor) => sql`
  coalesce((
    select v.template_id
    from batch_variants v
    where v.organization_id = batches.organization_id and v.batch_id = batches.id
      and v.position = messages.variant
  ), batches.template_id)`

const parts = (sql: Executor, list: Part[]) => (list.length === 0 ? sql`` : list)

/** Statuses that imply a time. The other ones do not. */
const REACHED_BY_STATUS: Record<string, string> = {
  opened: 'openedAt',
  clicked: 'clickedAt',
  bounced: 'bouncedAt',
  complained: 'complainedAt',
}
/** Columns with the time of each stage. A refusal by the provider's list comes as a bounce. */
const REACHED_AT: Record<Reached, string> = {
  sent: 'sentAt',
  delivered: 'deliveredAt',
  opened: 'openedAt',
  clicked: 'clickedAt',
  bounced: 'bouncedAt',
  suppressed: 'bouncedAt',
  complained: 'complainedAt',
}
/** Statuses of few mails, which have an index. */
const REFUSED = ['failed', 'suppressed', 'opted_out']
/** A row is created at the time of its id or later, since freezing takes time. */
const EARLIER_ID_MS = 86_400_000
/** Rows of other programs' mails are created when their events are applied. */
const LATER_ID_MS = 3_600_000

function conditions(sql: Executor, page: LogPage): Part[] {
  const { before, status, recipient, executionId, sourceType, from, to, reached, bucket } = page
  const { contactId, oldest } = page
  const column = reached === undefined ? REACHED_BY_STATUS[status ?? ''] : REACHED_AT[reached]
  const isByList = sql`coalesce(messages.bounce_sub_type = any(${[...SUPPRESSED]}::text[]), false)`
  const possibleConditions: [boolean, () => Part][] = [
    [true, () => sql`and messages.bucket >= ${oldest}`],
    [bucket !== undefined, () => sql`and messages.bucket = ${bucket ?? ''}`],
    [
      before !== undefined,
      () => sql`and messages.id < ${before ?? ''} and messages.bucket < ${before ?? ''}`,
    ],
    [status !== undefined, () => sql`and ${shownStatus(sql)} = ${status ?? ''}`],
    [REFUSED.includes(status ?? ''), () => sql`and messages.is_refused`],
    [column !== undefined, () => sql`and messages.${sql(column ?? '')} is not null`],
    [reached === 'bounced', () => sql`and ${hasBounced(sql)} and not ${isByList}`],
    [reached === 'suppressed', () => sql`and ${isByList}`],
    [recipient !== undefined, () => sql`and messages.recipient = ${recipient ?? ''}`],
    [
      executionId !== undefined && contactId !== undefined,
      () => sql`and ${ofExecution(sql, contactId ?? '', executionId ?? '')}`,
    ],
    [sourceType !== undefined, () => sql`and messages.source = ${sourceType ?? ''}`],
    [sourceType !== undefined && sourceType !== 'batch', () => sql`and messages.source <> 'batch'`],
    [from !== undefined, () => sql`and ${madeSince(sql, from ?? '')}`],
    [to !== undefined, () => sql`and ${madeBefore(sql, to ?? '')}`],
  ]
  return possibleConditions.flatMap(([is, part]) => (is ? [part()] : []))
}

/** A transient bounce of a mail that arrived is an automatic reply. */
const hasBounced = (sql: Executor) => sql`(
  messages.bounce_type is distinct from 'Transient'
  or coalesce(messages.delivered_at, messages.opened_at, messages.clicked_at,
    messages.complained_at) is null)`

const madeSince = (sql: Executor, from: string) => sql`
  messages.created_at >= ${from}
  and messages.bucket >= ${bucketStart(Math.max(0, Date.parse(from) - EARLIER_ID_MS))}`

const madeBefore = (sql: Executor, to: string) => sql`
  messages.created_at < ${to}
  and messages.id < ${lowestId(Date.parse(to) + LATER_ID_MS)}
  and messages.bucket < ${lowestId(Date.parse(to) + LATER_ID_MS)}`

/** Uses the index of a contact's single mails, which has all mails of an execution. */
const ofExecution = (sql: Executor, contactId: Uuid, executionId: Uuid) => sql`
  messages.contact_id = ${contactId} and messages.source <> 'batch'
  and messages.execution_id = ${executionId} and messages.bucket >= ${dayBucket(executionId)}`

/**
 * Finds a mail by the provider's message id, or by ours, which names its possible buckets. Of
 * another program's mail to several recipients it returns the first.
 */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  wanted: string,
  oldest: Uuid,
): Promise<EmailLog | undefined> {
  const [mailKey] = await sql<{ bucket: Uuid; id: Uuid }[]>`
    select bucket, id
    from message_ids
    where organization_id = ${organizationId} and message_id = ${wanted}
    union all (
      select bucket, id
      from external_mails
      where organization_id = ${organizationId} and message_id = ${wanted}
      order by id
      limit 1
    )
    limit 1`
  if (!mailKey && !isUuid(wanted)) return undefined
  const id = mailKey?.id ?? wanted.toLowerCase()
  const buckets = mailKey ? [mailKey.bucket] : [dayBucket(id), bucketOfBatchRow(id)]
  const [log] = await sql<EmailLog[]>`
    with page as materialized (
      select messages.organization_id, messages.bucket, messages.id
      from ${withBatch(sql)}
      where messages.organization_id = ${organizationId}
        and messages.bucket = any(${buckets}::uuid[])
        and messages.id = ${id} and messages.bucket >= ${oldest}
        and ${listed(sql)}
    )
    ${items(sql)}`
  return log
}

/**
 * Returns whether another organization has a mail with this id of ours. Like `isElsewhere` of other
 * resources it is only asked if `find` found nothing. Message ids of others are never confirmed.
 */
export async function isElsewhere(
  sql: Executor,
  organizationId: Uuid,
  wanted: string,
): Promise<boolean> {
  if (!isUuid(wanted)) return false
  const id = wanted.toLowerCase()
  const buckets = [dayBucket(id), bucketOfBatchRow(id)]
  const [row] = await sql<{ owner: Uuid | null }[]>`
    select owner_of_log(${id}::uuid, ${buckets}::uuid[]) as owner`
  return row !== undefined && row.owner !== null && row.owner !== organizationId
}

export interface MailPlace {
  organizationId: Uuid
  bucket: Uuid
  id: Uuid
}

/** Returns logs of any organizations by their places, with the tags that callers gave them. */
export const listEach = (sql: Executor, places: readonly MailPlace[]) => sql<
  (EmailLog & { organizationId: Uuid; tags: { name: string; value: string }[] | null })[]
>`
  with page as materialized (
    select *
    from unnest(
      ${places.map(({ organizationId }) => organizationId)}::uuid[],
      ${places.map(({ bucket }) => bucket)}::uuid[],
      ${places.map(({ id }) => id)}::uuid[]
    ) as page (organization_id, bucket, id)
  )
  select item.*, t.tags
  from (${items(sql, sql`messages.organization_id,`)}) item
  left join transactional_mails t on t.organization_id = item.organization_id and t.id = item.id`
