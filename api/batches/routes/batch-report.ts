import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { batchReport } from '../../../src/core/batches/batch-report.ts'
import { IdParams } from '../../../src/schemas/common.ts'
import { BatchReport } from '../../../src/schemas/batches/batch-report.ts'
import type { TenantDeps } from '../../deps.ts'
import { wantsHtml } from '../../http/html-pages.ts'
import { PAGE_CONTENT } from '../../http/link-pages.ts'
import { sendReportPage } from '../report-page.ts'

export const batchReportRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/batch/:id/report',
    {
      config: { scope: ['read', 'send'] },
      schema: {
        tags: ['batch'],
        operationId: 'getBatchReport',
        summary: 'Report what a batch came to',
        description:
          'The figures of the batch, its opens and clicks over time, its links, recipients’ domains and reasons of bounces, all of one moment. They stay when the logs are gone. HTML when `Accept` names it, else JSON: a page with charts that needs no script and prints well.',
        params: IdParams,
        response: {
          200: {
            description: 'The report',
            content: { 'application/json': { schema: BatchReport }, ...PAGE_CONTENT },
          },
        },
      },
    },
    async ({ caller: { organizationId, sql }, params: { id }, headers }, reply) => {
      const report = await batchReport(sql, organizationId, id)
      void reply.header('vary', 'Accept')
      return wantsHtml(headers.accept) ? sendReportPage(reply, report) : report
    },
  )
}
