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
  'Each link has its clicks and the number of mails in which it was clicked. Clicks by programs count too. The order is stable while more clicks arrive, and not by their number. Links to unsubscribe, to choose topics or to confirm are left out, since each recipient has their own.'

/** Clicks in the mails of a batch or a template. */
export const linkClickRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/batch/:id/clicks',
    {
      config,
      schema: {
        tags: ['batch'],
        operationId: 'listBatchClicks',
        summary: 'List the clicked links of a batch',
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
        summary: 'List the clicked links in mails of a template',
        description: `The template is named by id or slug. Mails of batches, workflows and single mail count. ${ORDER}`,
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
