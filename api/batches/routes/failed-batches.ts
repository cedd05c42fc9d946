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
        summary: 'Resume a paused or failed batch',
        description:
          'A paused batch continues, or waits for its time. A failed batch continues where it stopped, and nobody is mailed twice: recipients who were refused because of the sender are mailed now, and so are those with `render_timeout` if the batch failed for that reason. A batch that failed before its audience was frozen starts again, at its time. Remove the cause of the failure first, or the batch fails again. The answer is a 409 if the batch is neither `paused` nor `failed` (`batch_not_resumable`), if a topic of its audience or its exclusions was deleted (`topic_deleted`), or if its recipients are no longer stored (`recipients_deleted`).',
        params: IdParams,
        response: { 200: Batch, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params: { id } }) => {
      const resumed = isUuid(id) ? await resumeBatch(tx, organizationId, id, requestId) : undefined
      if (!resumed) throw await refusal(tx, organizationId, id, RESUME)
      if (resumed.outcome === 'topic_deleted') {
        throw conflict('A topic of this batch was deleted. Discard the batch', {
          reason: 'topic_deleted',
        })
      }
      if (resumed.outcome === 'recipients_deleted') {
        throw conflict('The recipients of this batch are no longer stored. Discard the batch', {
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
        summary: 'Discard the rest of a failed batch',
        description:
          'The batch becomes `cancelled` for good, and its queued recipients are not mailed. Mails that were sent stay sent. A batch that is not `failed` is a 409 (`batch_not_discardable`).',
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
