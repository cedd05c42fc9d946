import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type AppError, conflict } from '../../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../../src/runtime/ids.ts'
import { Batch } from '../../../src/schemas/batches/batch.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import * as batches from '../../../src/store/batches/batches.ts'
import { discardBatch } from '../../../src/core/batches/discard-batch.ts'
import { resumeBatch } from '../../../src/core/batches/resume-batch.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { missing } from '../../../src/core/access/ownership.ts'

const tags = ['batch']
const sending = { scope: 'send' } as const

/** Refusals for batches in another state, and their messages. */
const RESUME = {
  refused: 'resumed, only a failed or paused one',
  reason: 'batch_not_resumable',
}
const DISCARD = { refused: 'discarded, only a failed one', reason: 'batch_not_discardable' }

/** Resumes a failed batch, or discards the rest of it. */
export const failedBatchRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/batch/:id/resume',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'resumeBatch',
        summary: 'Resume a batch that is paused, or that failed, once its cause is gone',
        description:
          'A paused batch goes on, or waits for its time. Of a failed one sending goes on where it stopped: who was mailed is not mailed again, who was refused for the sender’s sake is mailed now, and so is who failed with `render_timeout` where that is why the batch failed. A batch that failed before its audience was frozen starts from the beginning, at its time. While the cause is still there it fails again. A batch that is neither `paused` nor `failed` is 409 (`batch_not_resumable`), and so is one whose topic was deleted, or a topic that it was to leave out (`topic_deleted`), and one that failed so long ago that its recipients are not kept any more (`recipients_deleted`).',
        params: IdParams,
        response: { 200: Batch, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params: { id } }) => {
      const resumed = isUuid(id) ? await resumeBatch(tx, organizationId, id, requestId) : undefined
      if (!resumed) throw await refusal(tx, organizationId, id, RESUME)
      if (resumed.outcome === 'topic_deleted') {
        throw conflict('The topic of this batch is deleted; it can be discarded', {
          reason: 'topic_deleted',
        })
      }
      if (resumed.outcome === 'recipients_deleted') {
        throw conflict('The recipients of this batch are not kept any more; it can be discarded', {
          reason: 'recipients_deleted',
        })
      }
      return resumed.batch
    },
  )

  app.post(
    '/v1/batch/:id/discard',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'discardBatch',
        summary: 'Give up what is left of a batch that failed',
        description:
          'Recipients who are still queued are not mailed any more, and the batch is `cancelled` for good; what was sent stays sent. A batch that is not `failed` is 409 (`batch_not_discardable`).',
        params: IdParams,
        response: { 200: Batch, ...failures(409) },
      },
    },
    async ({ tx, caller: { organizationId }, params: { id } }) => {
      const discarded = isUuid(id) ? await discardBatch(tx, organizationId, id) : undefined
      if (!discarded) throw await refusal(tx, organizationId, id, DISCARD)
      return discarded
    },
  )
}

/** Returns the error for a batch that does not exist or has another status. */
async function refusal(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  { refused, reason }: { refused: string; reason: string },
): Promise<AppError> {
  const batch = isUuid(id) ? await batches.find(tx, organizationId, id) : undefined
  if (!batch) return missing(tx, 'batch', organizationId, id)
  return conflict(`A ${batch.status} batch cannot be ${refused}`, { reason })
}
