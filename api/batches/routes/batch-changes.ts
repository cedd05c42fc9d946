import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { missing } from '../../../src/core/access/ownership.ts'
import { chooseWinner } from '../../../src/core/batches/ab-test.ts'
import { changeOf } from '../../../src/core/batches/batch-patch.ts'
import { changeBatch, duplicateBatch, pauseBatch } from '../../../src/core/batches/change-batch.ts'
import { retryFailed } from '../../../src/core/batches/retry-failed.ts'
import { conflict } from '../../../src/domain/errors.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { Batch, CreatedBatch } from '../../../src/schemas/batches/batch.ts'
import {
  BatchDuplicate,
  BatchPatch,
  WinnerInput,
} from '../../../src/schemas/batches/batch-patch.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { findSource } from '../../../src/store/batches/batch-changes.ts'
import * as batches from '../../../src/store/batches/batches.ts'
import { warned } from '../../accounts/sender-check.ts'
import { createBatchChecks } from '../batch-checks.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'

const tags = ['batch']
const sending = { scope: 'send' } as const
const bodyLimit = REQUEST_LIMITS.largeBodyBytes

/** Pausing, changing and duplicating of created batches. */
export const batchChangeRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { asker, searchSql, now },
) => {
  const checks = createBatchChecks(app, { asker, searchSql, now })

  /** Checks what would be sent, before a transaction is open. */
  const check = async (request: FastifyRequest, id: string, patch: BatchPatch): Promise<void> => {
    const { organizationId, sql } = request.caller
    const source = isUuid(id)
      ? await findSource(sql, organizationId, id, { lock: false })
      : undefined
    if (!source) return
    const { input, kept } = changeOf(source, patch)
    await checks.check(request, input, { isCompiled: kept !== undefined })
  }

  app.post(
    '/v1/batch/:id/pause',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'pauseBatch',
        summary: 'Pause a batch that has not ended',
        description:
          'The batch keeps its status and is `paused`: within two seconds none of its mails is sent any more, until you resume it. A scheduled batch whose time comes while it is paused waits. A batch that has ended or is paused already is a 409 (`batch_not_pausable`).',
        params: IdParams,
        response: { 200: Batch, ...failures(409) },
      },
    },
    async ({ tx, caller: { organizationId }, params: { id } }) => {
      const paused = isUuid(id) ? await pauseBatch(tx, organizationId, id) : undefined
      if (paused) return paused
      const batch = isUuid(id) ? await batches.find(tx, organizationId, id) : undefined
      if (!batch) throw await missing(tx, 'batch', organizationId, id)
      const state = batch.paused ? 'paused' : batch.status
      throw conflict(`A ${state} batch cannot be paused`, { reason: 'batch_not_pausable' })
    },
  )

  app.post(
    '/v1/batch/:id/choose-winner',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'chooseWinner',
        summary: 'Choose the winner of an A/B test',
        description:
          'The rest of the audience gets this variant. You can choose it at any time before the test is decided, whatever `winnerBy` is. The answer is a 409 if the batch has no test or is not being sent (`batch_not_testing`), or if there is a winner already (`winner_chosen`).',
        params: IdParams,
        body: WinnerInput,
        response: { 200: Batch, ...failures(409) },
      },
    },
    async ({ tx, id: requestId, caller: { organizationId }, params: { id }, body }) => {
      const chosen = { id, name: body.variant }
      const batch = isUuid(id)
        ? await chooseWinner(tx, organizationId, chosen, requestId)
        : undefined
      if (!batch) throw await missing(tx, 'batch', organizationId, id)
      return batch
    },
  )

  app.patch(
    '/v1/batch/:id',
    {
      config: sending,
      bodyLimit,
      schema: {
        tags,
        operationId: 'updateBatch',
        summary: 'Change or reschedule a scheduled batch',
        description:
          'Send only the fields that change, with the names of creation. Null clears a field: without `scheduledFor` the batch is sent at once. The content stays as it was compiled unless the subject, preview text, content, template or variables change. A batch that is not `scheduled` is a 409 (`batch_not_changeable`).',
        params: IdParams,
        body: BatchPatch,
        response: { 200: CreatedBatch, ...failures(402, 409) },
      },
      preHandler: (request) => check(request, request.params.id, request.body),
    },
    async (request) => {
      const { caller, body: patch, params } = request
      const { organizationId, sql } = caller
      const { id } = params
      const changed = isUuid(id)
        ? await transact(sql, (tx) =>
            changeBatch(tx, organizationId, { id, patch }, checks.of(request)),
          )
        : undefined
      if (!changed) throw await missing(sql, 'batch', organizationId, id)
      return warned(changed.batch, changed.warnings)
    },
  )

  app.post(
    '/v1/batch/:id/duplicate',
    {
      config: sending,
      bodyLimit,
      schema: {
        tags,
        operationId: 'duplicateBatch',
        summary: 'Duplicate a batch',
        description:
          'The copy has the same audience, sender and content, with the changes of the request and without the sending time. It is `scheduled` and `paused`, so that nothing is sent before you have looked at it: change it, then resume it. It is sent at its time, or at once if it has none.',
        params: IdParams,
        body: BatchDuplicate,
        response: { 201: CreatedBatch, ...failures(402) },
      },
      preHandler: (request) => check(request, request.params.id, request.body ?? {}),
    },
    async (request, reply) => {
      const { tx, caller, body, params } = request
      const { organizationId } = caller
      const patch = body ?? {}
      const copy = isUuid(params.id)
        ? await duplicateBatch(tx, organizationId, { id: params.id, patch }, checks.of(request))
        : undefined
      if (!copy) throw await missing(tx, 'batch', organizationId, params.id)
      reply.code(201)
      return warned(copy.batch, copy.warnings)
    },
  )

  app.post(
    '/v1/batch/:id/retry-failed',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'retryFailedBatch',
        summary: 'Send a batch again to the recipients who failed',
        description:
          'Creates a batch that starts at once: the same mail to up to 100,000 recipients who failed and were certainly not mailed. Recipients who bounced, are suppressed or whose outcome is unknown are left out. The answer is a 409 if the batch has not ended (`batch_not_retryable`), or if nobody is left to mail (`nothing_to_retry`).',
        params: IdParams,
        response: { 201: CreatedBatch, ...failures(402, 409) },
      },
      preHandler: (request) => check(request, request.params.id, {}),
    },
    async (request, reply) => {
      const { tx, caller, params } = request
      const { organizationId } = caller
      const made = isUuid(params.id)
        ? await retryFailed(tx, organizationId, params.id, checks.of(request))
        : undefined
      if (!made) throw await missing(tx, 'batch', organizationId, params.id)
      reply.code(201)
      return warned(made.batch, made.warnings)
    },
  )
}
