import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { missing } from '../../../src/core/access/ownership.ts'
import { isUuid } from '../../../src/runtime/ids.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { BatchReasonList } from '../../../src/schemas/batches/batch-recipients.ts'
import * as batches from '../../../src/store/batches/batches.ts'
import type { TenantDeps } from '../../deps.ts'

/** Limit of listed reasons. They are our words and the provider's: there are few. */
const MOST_REASONS = 100

/** Numbers of recipients who did not get a batch, by reason. */
export const batchReasonRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/batch/:id/reasons',
    {
      config: { scope: ['read', 'send'] },
      schema: {
        tags: ['batch'],
        operationId: 'listBatchReasons',
        summary: 'Count the recipients who were not mailed, by reason',
        description:
          'The most frequent reasons first, up to 100. Mails in doubt are included. Filter the recipients by `status` and `reason` to see who they are. Empty until the audience is frozen.',
        params: IdParams,
        response: { 200: BatchReasonList },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id } }) => {
      const ledger = isUuid(id) ? await batches.findLedger(sql, organizationId, id) : undefined
      if (!ledger) throw await missing(sql, 'batch', organizationId, id)
      const { bucket } = ledger
      if (bucket === null) return { data: [] }
      const data = await batches.countReasons(sql, organizationId, {
        id: ledger.id,
        bucket,
        most: MOST_REASONS,
      })
      return { data: [...data] }
    },
  )
}
