import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  changeDraft,
  createDraft,
  MOST_DRAFTS,
  removeDraft,
  requireDraft,
} from '../../../src/core/batches/batch-drafts.ts'
import { uuidv7 } from '../../../src/runtime/ids.ts'
import {
  BatchDraft,
  BatchDraftInput,
  BatchDraftList,
  BatchDraftListQuery,
  BatchDraftPatch,
} from '../../../src/schemas/batches/batch-draft.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import * as batchDrafts from '../../../src/store/batches/batch-drafts.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import type { TenantDeps } from '../../deps.ts'

const tags = ['batch']
/** A draft is what somebody is about to send: who may not send needs none. */
const config = { scope: 'send' } as const

/** Batches that are being written: nothing is lost, whichever browser or program goes on. */
export const batchDraftRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.post(
    '/v1/batch-drafts',
    {
      config,
      schema: {
        tags,
        operationId: 'createBatchDraft',
        summary: 'Store a draft of a batch',
        description: `Nothing is sent, and nothing of the input is checked. An organization can have up to ${MOST_DRAFTS} drafts. To send one, use its input as the body of \`POST /v1/batch\`, then delete it.`,
        body: BatchDraftInput,
        response: { 201: BatchDraft, ...failures(409) },
      },
    },
    async ({ tx, caller: { organizationId }, body: { input } }, reply) => {
      reply.code(201)
      return createDraft(tx, organizationId, { id: uuidv7(), input })
    },
  )

  app.get(
    '/v1/batch-drafts',
    {
      config,
      schema: {
        tags,
        operationId: 'listBatchDrafts',
        summary: 'List drafts of batches, newest first',
        description: 'Without their inputs.',
        querystring: BatchDraftListQuery,
        response: { 200: BatchDraftList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'batch drafts', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await batchDrafts.list(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/batch-drafts/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getBatchDraft',
        summary: 'Get a draft of a batch',
        description: 'With its input as it was stored.',
        params: IdParams,
        response: { 200: BatchDraft },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) => requireDraft(sql, organizationId, id),
  )

  app.patch(
    '/v1/batch-drafts/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateBatchDraft',
        summary: 'Replace the input of a draft of a batch',
        description:
          'The whole input is replaced. With `ifUnmodifiedSince` a draft that somebody else changed is not overwritten.',
        params: IdParams,
        body: BatchDraftPatch,
        response: { 200: BatchDraft, ...failures(409) },
      },
    },
    ({ caller: { organizationId, sql }, params: { id }, body: { input, ifUnmodifiedSince } }) =>
      transact(sql, (tx) =>
        changeDraft(tx, organizationId, { id, input, since: ifUnmodifiedSince }),
      ),
  )

  app.delete(
    '/v1/batch-drafts/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteBatchDraft',
        summary: 'Delete a draft of a batch',
        description: 'Batches that were created from it are not affected.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      await removeDraft(sql, organizationId, id)
      return { success: true as const }
    },
  )
}
