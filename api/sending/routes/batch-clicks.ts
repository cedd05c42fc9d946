import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { isUuid } from '../../../src/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { BatchClickList, BatchClickListQuery } from '../../../src/schemas/sending/batch-clicks.ts'
import * as batchClicks from '../../../src/store/sending/batch-clicks.ts'
import * as batches from '../../../src/store/sending/batches.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { pageOf } from '../../http/pages.ts'

/** Where the links lead that each recipient has one of. */
const PERSONAL = ['/unsubscribe/', '/preferences/']

/** What was clicked in the mails of a batch. */
export const batchClickRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (
  app,
  { publicUrl },
) => {
  const personal = PERSONAL.map((path) => `${publicUrl}${path}`)

  app.get(
    '/v1/batch/:id/clicks',
    {
      config: { scope: ['read', 'send'] },
      schema: {
        tags: ['batch'],
        operationId: 'listBatchClicks',
        summary: 'List the links of a batch that were clicked',
        description:
          'With how often, and by how many. In an order that stays while more clicks arrive, not by their number. Links to unsubscribe or to choose topics are left out: they are each recipient’s own.',
        params: IdParams,
        querystring: BatchClickListQuery,
        response: { 200: BatchClickList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { limit, cursor } }) => {
      const ledger = isUuid(id) ? await batches.findLedger(sql, organizationId, id) : undefined
      if (!ledger) throw await missing(sql, 'batch', organizationId, id)
      const scope = { list: 'batchClicks', organizationId, filters: { batch: id } }
      const after = decodeCursor(scope, cursor)
      const { bucket } = ledger
      if (bucket === null) return { data: [], nextCursor: null }
      const page = { bucket, personal, after, limit: limit + 1 }
      const { page: data, nextCursor } = pageOf(
        await batchClicks.list(sql, organizationId, page),
        limit,
        scope,
      )
      return { data, nextCursor }
    },
  )
}
