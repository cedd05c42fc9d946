import { batchAudience } from '../../domain/audience/audience.ts'
import { refuse } from '../../domain/errors.ts'
import { type Uuid, uuidv7 } from '../../ids.ts'
import type { Warning } from '../../schemas/common.ts'
import type { Batch, BatchInput } from '../../schemas/sending/batch.ts'
import * as audiences from '../../store/audience/audience.ts'
import * as contents from '../../store/content/contents.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import * as batches from '../../store/sending/batches.ts'
import { requireSender } from '../accounts/resolve-sender.ts'
import {
  type CheckedSenders,
  notChecked,
  notVerified,
  SENDER_NOT_VERIFIED,
} from '../accounts/sender-check.ts'
import { type Compile, findContent } from './batch-content.ts'
import { findContacts, findSegment, findTopic } from './batch-references.ts'
import { applyBatchRules } from './batch-rules.ts'
import { batchView } from './batch-view.ts'

/** An audience is estimated by counting up to this. */
const MOST_ESTIMATED = 10_001

interface Context {
  /** What accounts said of the sender, before the transaction began. */
  senders: CheckedSenders
  compile: Compile
  /** Milliseconds since 1970. */
  now: number
  /** Of the API call that creates it. */
  requestId: string
}

/**
 * Creates a batch that starts at once or at its time. Throws a 400 that names the field for what
 * cannot be sent. A sender about which its account said nothing in time is a warning.
 */
export async function createBatch(
  tx: Transaction,
  organizationId: Uuid,
  input: BatchInput,
  { senders, compile, now, requestId }: Context,
): Promise<{ batch: Batch; warnings: Warning[] }> {
  const scheduledFor = applyBatchRules(input, now)
  const sender = await requireSender(tx, organizationId, input)
  const senderState = senders.stateOf(sender)
  if (senderState === 'not_verified') {
    refuse('from', notVerified(sender.address), SENDER_NOT_VERIFIED)
  }
  if (input.unknownOutcome === 'retry' && !sender.receivesEvents) {
    refuse(
      'unknownOutcome',
      'cannot be retry: no delivery event of the account arrived in the last 24 hours',
    )
  }
  const content = await findContent(tx, organizationId, input, compile)
  const topicId = await findTopic(tx, organizationId, input.topicId)
  const contactIds = await findContacts(tx, organizationId, input.contactIds)
  const segment = await findSegment(tx, organizationId, input.segmentId)
  const audience = { audienceType: input.audienceType, contactIds, topicId }
  // Members of a segment are not counted here: that may take longer than a transaction should.
  const totalRecipients = segment
    ? (segment.memberCount ?? 0)
    : await audiences.count(tx, organizationId, batchAudience(audience), MOST_ESTIMATED)
  if (content.inline) {
    await contents.create(tx, { organizationId, id: content.id, ...content.inline })
  }
  const batch = await startBatch(
    tx,
    {
      organizationId,
      id: uuidv7(),
      status: scheduledFor === null ? 'queued' : 'scheduled',
      name: input.name ?? null,
      ...audience,
      segmentId: segment?.id ?? null,
      connectionId: sender.connectionId,
      contentId: content.id,
      templateId: content.templateId,
      subject: content.subject,
      previewText: content.previewText,
      fromAddress: sender.address,
      fromName: sender.name,
      replyTo: sender.replyTo,
      variableMappings: input.variableMappings ?? [],
      scheduledFor,
      unknownOutcome: input.unknownOutcome ?? 'fail',
      totalRecipients,
    },
    requestId,
  )
  return {
    batch,
    warnings: senderState === 'not_known' ? [notChecked('from', sender.address)] : [],
  }
}

/** Writes the batch and the outbox message that starts its workflow. */
export async function startBatch(
  tx: Transaction,
  batch: batches.NewBatch,
  requestId?: string,
): Promise<Batch> {
  const created = await batches.insert(tx, batch)
  const payload = { batchId: batch.id, attempt: 1 }
  await outbox.put(tx, batch.organizationId, { kind: 'start_batch', payload }, requestId)
  return batchView(created)
}
