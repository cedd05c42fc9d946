import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { batchView } from '../../../src/core/batches/batch-view.ts'
import { cancelBatch } from '../../../src/core/batches/cancel-batch.ts'
import { maySeeContacts } from '../../../src/domain/access/access.ts'
import { previewBatch } from '../../../src/core/batches/preview-batch.ts'
import { createBatch } from '../../../src/core/batches/create-batch.ts'
import { badRequest, conflict } from '../../../src/domain/errors.ts'
import { statusesOf } from '../../../src/domain/batches/batch.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import {
  Batch,
  BatchInput,
  BatchList,
  BatchListQuery,
  CancelledBatch,
  CreatedBatch,
} from '../../../src/schemas/batches/batch.ts'
import { RecipientList, RecipientListQuery } from '../../../src/schemas/batches/batch-recipients.ts'
import { BatchPreview, BatchPreviewInput } from '../../../src/schemas/batches/batch-preview.ts'
import { transact } from '../../../src/store/db/sql.ts'
import * as batches from '../../../src/store/batches/batches.ts'
import type { Caller } from '../../caller.ts'
import { warned } from '../../accounts/sender-check.ts'
import { createBatchChecks } from '../batch-checks.ts'
import type { TenantDeps } from '../../deps.ts'
import { REQUEST_LIMITS } from '../../http/request-limits.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { MOST_COUNTED, pageFigures, pageOf, requireOneOf } from '../../http/pages.ts'

const tags = ['batch']
const reading = { scope: ['read', 'send'] } as const
const sending = { scope: 'send' } as const

/** Creation, progress and cancellation. The sending itself is the `sendBatch` workflow. */
export const batchRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { asker, now, searchSql, renderer, publicUrl },
) => {
  const checks = createBatchChecks(app, { asker, searchSql, now })

  app.post(
    '/v1/batch',
    {
      config: sending,
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'createBatch',
        summary: 'Send a mail to many contacts, now or later',
        description:
          'The content is a published template or part of the request. Without `scheduledFor`, or with a time that has passed, sending starts at once. The audience is frozen when sending starts. Contacts who unsubscribe or may no longer be mailed before their mail is sent are skipped. `from` must belong to a verified identity of the account (400, `sender_not_verified`). If the account does not answer within two seconds, the batch is accepted with a warning.',
        body: BatchInput,
        response: { 201: CreatedBatch, ...failures(402) },
      },
      preHandler: (request) => checks.check(request, request.body),
    },
    async (request, reply) => {
      const { tx, caller, body } = request
      const context = checks.of(request)
      const { batch, warnings } = await createBatch(tx, caller.organizationId, body, context)
      reply.code(201)
      return warned(batch, warnings)
    },
  )

  app.post(
    '/v1/batch/preview',
    {
      // Contacts are counted outside of a transaction.
      config: { ...sending, leased: true },
      bodyLimit: REQUEST_LIMITS.largeBodyBytes,
      schema: {
        tags,
        operationId: 'previewBatch',
        summary: 'Preview a batch: its recipients, content, duration and cost',
        description:
          'Takes the body of creating a batch and returns the same errors. Nothing is stored or sent. Keys without the scopes `read` and `contacts` get masked addresses and phone numbers.',
        body: BatchPreviewInput,
        response: { 200: BatchPreview, ...failures(402) },
      },
      preHandler: (request) => checks.check(request, request.body),
    },
    (request) => {
      const { caller, body } = request
      const { organizationId, sql, scopes } = caller
      const isSeeing = maySeeContacts(scopes)
      const deps = { sql, searchSql, renderer, publicUrl, maySeeContacts: isSeeing }
      return previewBatch(deps, organizationId, body, checks.of(request))
    },
  )

  app.get(
    '/v1/batch',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listBatches',
        summary: 'List batches, newest first',
        description:
          'By page, from 1, or by cursor. A cursor neither skips nor repeats a batch while others are created. `search` finds a part of a name or subject. The list leaves out `htmlContent`, `textContent` and `variableMappings`: get a batch by its id to see them.',
        querystring: BatchListQuery,
        response: { 200: BatchList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { page, pageSize, cursor, ...filters } }) => {
      requireOneOf(page, cursor)
      const scope = { list: 'batches', organizationId, filters }
      const before = decodeCursor(scope, cursor)
      const window = { before, limit: pageSize + 1, offset: (page - 1) * pageSize }
      const { status, ...otherFilters } = filters
      const listFilters = { ...otherFilters, statuses: statusesOf(status) }
      const [rows, counted] = await Promise.all([
        batches.list(sql, organizationId, { ...listFilters, ...window }),
        batches.count(sql, organizationId, listFilters, MOST_COUNTED + 1),
      ])
      const figures = pageFigures({ page, pageSize, hasMore: rows.length > pageSize, counted })
      const { total, totalPages } = figures
      const { page: data, nextCursor } = pageOf(rows, pageSize, scope)
      return { data, page, pageSize, total, totalPages, nextCursor }
    },
  )

  app.get(
    '/v1/batch/:id',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'getBatch',
        summary: 'Get a batch with its progress',
        description:
          '`totalRecipients` is an estimate until `audienceFrozenAt` is set. The delivery counters keep growing after `completedAt`, as events arrive.',
        params: IdParams,
        response: { 200: Batch },
      },
    },
    ({ caller, params: { id } }) => load(caller, id),
  )

  app.get(
    '/v1/batch/:id/recipients',
    {
      config: reading,
      schema: {
        tags,
        operationId: 'listBatchRecipients',
        summary: 'List the recipients of a batch in sending order',
        description:
          'Empty until the audience is frozen. Use `cursor` for long lists. `offset` and `cursor` cannot be combined.',
        params: IdParams,
        querystring: RecipientListQuery,
        response: { 200: RecipientList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query }) => {
      const { limit, offset, cursor, status, reason } = query
      if (cursor !== undefined && offset > 0) {
        throw badRequest('The query parameters offset and cursor cannot be combined', [
          { path: 'offset', message: 'cannot go with a cursor' },
        ])
      }
      const ledger = isUuid(id) ? await batches.findLedger(sql, organizationId, id) : undefined
      if (!ledger) throw await missing(sql, 'batch', organizationId, id)
      const scope = { list: 'recipients', organizationId, filters: { batch: id, status, reason } }
      const after = decodeCursor(scope, cursor)
      const { bucket, cancelled } = ledger
      if (bucket === null) return { data: [], limit, offset, total: 0, nextCursor: null }
      const recipientFilters = { bucket, cancelled, status, reason }
      const isAll = status === undefined && reason === undefined
      const [rows, total] = await Promise.all([
        batches.listRecipients(sql, organizationId, {
          ...recipientFilters,
          after,
          limit: limit + 1,
          offset,
        }),
        isAll ? ledger.total : batches.countRecipients(sql, organizationId, recipientFilters),
      ])
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, limit, offset, total, nextCursor }
    },
  )

  app.delete(
    '/v1/batch/:id',
    {
      config: sending,
      schema: {
        tags,
        operationId: 'cancelBatch',
        summary: 'Cancel a batch that has not ended',
        description:
          'Cancels a batch that is `scheduled`, `queued` or `processing`. Any other status is a 409. Sending stops within two seconds. Mails that were sent stay sent.',
        params: IdParams,
        response: { 200: CancelledBatch, ...failures(409) },
      },
    },
    async ({ id: requestId, caller, params: { id } }) => {
      const { organizationId, sql } = caller
      const cancelled = isUuid(id)
        ? await transact(sql, (tx) => cancelBatch(tx, organizationId, id, requestId))
        : undefined
      if (cancelled) return { ...cancelled, success: true as const }
      const batch = await load(caller, id)
      throw conflict(`A ${batch.status} batch cannot be cancelled`, {
        reason: 'batch_not_cancellable',
      })
    },
  )

  async function load({ organizationId, sql }: Caller, id: string): Promise<Batch> {
    const batch = isUuid(id) ? await batches.find(sql, organizationId, id) : undefined
    if (!batch) throw await missing(sql, 'batch', organizationId, id)
    return batchView(batch)
  }
}
