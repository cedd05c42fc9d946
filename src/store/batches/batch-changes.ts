import type { Uuid } from '../../runtime/ids.ts'
import type { BatchStatus } from '../../domain/batches/batch.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import { columns, type NewBatch, type WholeBatch } from './batches.ts'

type Changed = WholeBatch & { attempt: number }

/** A batch with the fields that answers leave out, from which another batch can be made. */
export type BatchSource = WholeBatch &
  Pick<NewBatch, 'audienceType' | 'contactIds' | 'contentId' | 'unknownOutcome'> & {
    status: BatchStatus
    attempt: number
    askedTest: NewBatch['abTest']
  }

/** Finds a batch from which another one is made. `lock`: nobody changes it meanwhile. */
export async function findSource(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { lock }: { lock: boolean },
): Promise<BatchSource | undefined> {
  const [source] = await sql<BatchSource[]>`
    select ${columns(sql)}, audience_type, contact_ids, content_id, unknown_outcome,
      ab_test as asked_test, attempt
    from batches
    where organization_id = ${organizationId} and id = ${id}
    ${lock ? sql`for update` : sql``}`
  return source
}

/** Fields of a batch that callers may change before its time. */
export type BatchValues = Omit<NewBatch, 'organizationId' | 'id' | 'status' | 'pausedReason'>

/** Changes a scheduled batch, whose row is locked. */
export async function update(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  batch: BatchValues,
): Promise<Changed> {
  const [changed] = await tx<Changed[]>`
    update batches
    set name = ${batch.name}, audience_type = ${batch.audienceType},
      contact_ids = ${batch.contactIds === null ? null : [...batch.contactIds]}::uuid[],
      topic_id = ${batch.topicId}, segment_id = ${batch.segmentId},
      excluded_topic_ids = ${[...batch.excludedTopicIds]}::uuid[],
      excluded_segment_ids = ${[...batch.excludedSegmentIds]}::uuid[],
      connection_id = ${batch.connectionId}, content_id = ${batch.contentId},
      template_id = ${batch.templateId}, subject = ${batch.subject},
      preview_text = ${batch.previewText}, from_address = ${batch.fromAddress},
      from_name = ${batch.fromName}, reply_to = ${batch.replyTo},
      variable_mappings = ${tx.json(batch.variableMappings)},
      scheduled_for = ${batch.scheduledFor}, timezone_aware = ${batch.timezone !== null},
      timezone = ${batch.timezone}, throttle_per_second = ${batch.throttlePerSecond},
      ab_test = ${batch.abTest === null ? null : tx.json(batch.abTest)},
      unknown_outcome = ${batch.unknownOutcome}, total_recipients = ${batch.totalRecipients},
      updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
    where organization_id = ${organizationId} and id = ${id} and status = 'scheduled'
    returning ${columns(tx)}, attempt`
  if (!changed) throw new Error('a locked batch is gone')
  return changed
}

/** Pauses a live batch: none of its mails is claimed any more. Undefined: it is over, or paused. */
export async function pause(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Changed | undefined> {
  const [paused] = await tx<Changed[]>`
    update batches
    set paused_reason = 'requested', updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
      and status in ('queued', 'scheduled', 'processing') and paused_reason is null
    returning ${columns(tx)}, attempt`
  return paused
}

/** Resumes a paused batch. Undefined: there is no such batch. */
export async function unpause(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<Changed | undefined> {
  const [resumed] = await tx<Changed[]>`
    update batches
    set paused_reason = null, updated_at = greatest(updated_at, clock_timestamp()),
      progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${id} and paused_reason is not null
    returning ${columns(tx)}, attempt`
  return resumed
}
