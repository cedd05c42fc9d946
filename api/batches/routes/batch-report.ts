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
        summary: 'Get the report of a batch',
        description:
          'Figures, opens and clicks over time, links, recipients’ domains and bounce reasons, all of one moment. Reports are kept when the logs are deleted. With `Accept: text/html` the answer is a page with charts, without scripts and ready to print. Otherwise it is JSON.',
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
