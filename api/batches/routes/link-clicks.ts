import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { requireTemplate } from '../../../src/core/content/templates.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { LinkClickList, LinkClickListQuery } from '../../../src/schemas/batches/link-clicks.ts'
import * as batches from '../../../src/store/batches/batches.ts'
import * as linkClicks from '../../../src/store/batches/link-clicks.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { pageOf } from '../../http/pages.ts'

const config = { scope: ['read', 'send'] } as const
const ORDER =
  'With how often, and in how many mails. Every click counts, a program’s too. In an order that stays while more clicks arrive, not by their number. Links to unsubscribe, to choose topics or to confirm are left out: they are each recipient’s own.'

/** Clicks in the mails of a batch or a template. */
export const linkClickRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/batch/:id/clicks',
    {
      config,
      schema: {
        tags: ['batch'],
        operationId: 'listBatchClicks',
        summary: 'List the links of a batch that were clicked',
        description: ORDER,
        params: IdParams,
        querystring: LinkClickListQuery,
        response: { 200: LinkClickList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, query: { limit, cursor } }) => {
      const batch = isUuid(id) ? await batches.findLedger(sql, organizationId, id) : undefined
      if (!batch) throw await missing(sql, 'batch', organizationId, id)
      const scope = { list: 'batchClicks', organizationId, filters: { batch: id } }
      const page = { after: decodeCursor(scope, cursor), limit: limit + 1 }
      const rows = await linkClicks.listOfBatch(sql, organizationId, id, page)
      const { page: data, nextCursor } = pageOf(rows, limit, scope)
      return { data, nextCursor }
    },
  )

  app.get(
    '/v1/templates/:id/clicks',
    {
      config,
      schema: {
        tags: ['templates'],
        operationId: 'listTemplateClicks',
        summary: 'List the links that were clicked in mails of a template, by id or slug',
        description: `Of batches, workflows and single mail. ${ORDER}`,
        params: IdParams,
        querystring: LinkClickListQuery,
        response: { 200: LinkClickList },
      },
    },
    async ({ caller: { organizationId, sql }, params, query: { limit, cursor } }) => {
      const { id } = await requireTemplate(sql, organizationId, params.id)
      const scope = { list: 'templateClicks', organizationId, filters: { template: id } }
      const page = { after: decodeCursor(scope, cursor), limit: limit + 1 }
      const rows = await linkClicks.listOfTemplate(sql, organizationId, id, page)
      const { page: data, nextCursor } = pageOf(rows, limit, scope)
      return { data, nextCursor }
    },
  )
}
