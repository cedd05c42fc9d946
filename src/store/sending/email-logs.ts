import { bucketOfBatchRow, dayBucket, isUuid, type Uuid } from '../../ids.ts'
import type { EmailLog, EmailLogEvent } from '../../schemas/sending/email-log.ts'
import type { Executor } from '../db/sql.ts'

/** A mail that is claimed or in doubt shows as pending: the provider may or may not have it. */
const shown = (sql: Executor) => sql`
  case when messages.state in ('claimed', 'unknown') then 'pending' else messages.status end`

/**
 * The mails of the organization that a log shows. Left out are recipients of a cancelled batch that
 * were never mailed, and mail of an execution that had ended.
 */
const listed = (sql: Executor) => sql`
  not (messages.state = 'queued' and batches.status is not distinct from 'cancelled')
  and not (messages.state = 'skipped' and messages.reason is not distinct from 'execution_ended')`

const withBatch = (sql: Executor) => sql`
  messages
  left join batches on batches.organization_id = messages.organization_id
    and batches.id = messages.batch_id`

/** Columns of `page`, a relation of (organization_id, bucket, id). */
const items = (sql: Executor) => sql`
  select messages.id, messages.message_id, ${shown(sql)} as status, messages.recipient,
    messages.subject, coalesce(batches.from_address, message_bodies.from_address) as "from",
    messages.source as source_type, messages.batch_id, messages.execution_id,
    coalesce(batches.template_id, messages.template_id) as template_id,
    messages.connection_id as cloud_account_id, connections.region, messages.created_at,
    messages.sent_at, messages.delivered_at, messages.opened_at, messages.clicked_at,
    messages.bounced_at, messages.bounce_type, messages.bounce_sub_type, messages.complained_at,
    coalesce(messages.error, messages.reason) as error
  from page
  join messages on messages.organization_id = page.organization_id
    and messages.bucket = page.bucket and messages.id = page.id
  left join batches on batches.organization_id = messages.organization_id
    and batches.id = messages.batch_id
  left join message_bodies on message_bodies.organization_id = messages.organization_id
    and message_bodies.bucket = messages.bucket and message_bodies.id = messages.id
  left join connections on connections.organization_id = messages.organization_id
    and connections.id = messages.connection_id`

export interface LogPage {
  limit: number
  /** Only mails before this one. */
  before?: Uuid | undefined
  status?: string | undefined
  recipient?: string | undefined
  batchId?: Uuid | undefined
  /** Of the batch: its only partition. */
  bucket?: Uuid | undefined
  executionId?: Uuid | undefined
  /** Of the execution. */
  contactId?: Uuid | undefined
  templateId?: Uuid | undefined
  sourceType?: string | undefined
  /** Made at or after, and before: ISO 8601. */
  from?: string | undefined
  to?: string | undefined
  reached?: 'sent' | 'delivered' | 'opened' | 'clicked' | 'bounced' | 'complained' | undefined
}

/** Null: there is no such batch, or its audience is not frozen. */
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

/** Null: there is no such execution. */
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
 * Newest first. An id is never less than its bucket, so that a cursor prunes the partitions after
 * it. Of an execution only with its `contactId`.
 */
export function list(sql: Executor, organizationId: Uuid, page: LogPage) {
  const { before, status, recipient, executionId, templateId, sourceType } = page
  const { from, to, reached, bucket, contactId } = page
  return sql<EmailLog[]>`
    with page as materialized (
      select messages.organization_id, messages.bucket, messages.id
      from ${withBatch(sql)}
      where messages.organization_id = ${organizationId}
        and ${listed(sql)}
        ${bucket === undefined ? sql`` : sql`and messages.bucket = ${bucket}`}
        ${before === undefined ? sql`` : sql`and messages.id < ${before} and messages.bucket < ${before}`}
        ${status === undefined ? sql`` : sql`and ${shown(sql)} = ${status}`}
        ${recipient === undefined ? sql`` : sql`and messages.recipient = ${recipient}`}
        ${executionId === undefined || contactId === undefined ? sql`` : sql`and ${ofExecution(sql, contactId, executionId)}`}
        ${templateId === undefined ? sql`` : sql`and coalesce(batches.template_id, messages.template_id) = ${templateId}`}
        ${sourceType === undefined ? sql`` : sql`and messages.source = ${sourceType}`}
        ${from === undefined ? sql`` : sql`and messages.created_at >= ${from}`}
        ${to === undefined ? sql`` : sql`and messages.created_at < ${to}`}
        ${reached === undefined ? sql`` : sql`and messages.${sql(`${reached}_at`)} is not null`}
      order by messages.id desc
      limit ${page.limit}
    )
    ${items(sql)}
    order by messages.id desc`
}

/** Found by the index of a contact's single mails: those of an execution are all there. */
const ofExecution = (sql: Executor, contactId: Uuid, executionId: Uuid) => sql`
  messages.contact_id = ${contactId} and messages.source <> 'batch'
  and messages.execution_id = ${executionId} and messages.bucket >= ${dayBucket(executionId)}`

/**
 * By the provider's message id, or by ours, which names the buckets it can be in. Of another
 * program's mail to several recipients the first.
 */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  wanted: string,
): Promise<EmailLog | undefined> {
  const [known] = await sql<{ bucket: Uuid; id: Uuid }[]>`
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
  if (!known && !isUuid(wanted)) return undefined
  const id = known?.id ?? wanted.toLowerCase()
  const buckets = known ? [known.bucket] : [dayBucket(id), bucketOfBatchRow(id)]
  const [log] = await sql<EmailLog[]>`
    with page as materialized (
      select messages.organization_id, messages.bucket, messages.id
      from ${withBatch(sql)}
      where messages.organization_id = ${organizationId}
        and messages.bucket = any(${buckets}::uuid[])
        and messages.id = ${id}
        and ${listed(sql)}
    )
    ${items(sql)}`
  return log
}

/** What a mail went through, in the order it happened. */
export function listEvents(sql: Executor, organizationId: Uuid, id: Uuid) {
  const buckets = [dayBucket(id), bucketOfBatchRow(id)]
  return sql<EmailLogEvent[]>`
    select kind as type, occurred_at, data
    from delivery_events
    where organization_id = ${organizationId}
      and bucket = any(${buckets}::uuid[])
      and log_id = ${id}
    order by occurred_at, kind`
}
