import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { refuse } from '../../../src/domain/errors.ts'
import { type Dimension, KEYS } from '../../../src/domain/metrics/metrics-query.ts'
import {
  EmailMetrics,
  EmailMetricsQuery,
  type MetricsRow,
  MOST_VALUES,
} from '../../../src/schemas/metrics/email-metrics.ts'
import { emailMetrics } from '../../../src/core/metrics/email-metrics.ts'
import type { TenantDeps } from '../../deps.ts'
import { csvLines, TEXT, wantsCsv } from '../../http/csv-answers.ts'

export const emailMetricsRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/email/metrics',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['metrics'],
        operationId: 'getEmailMetrics',
        summary: 'Get email metrics',
        description:
          'Counts the mails sent in the range by their outcome, whenever they were delivered or opened. Send `Accept: text/csv` to get the rows as a file. Without dimensions the file has one row, the totals. Queries with more than 10,000 rows are refused.',
        querystring: EmailMetricsQuery,
        response: {
          200: {
            description: 'The metrics',
            content: {
              'application/json': { schema: EmailMetrics },
              'text/csv': { schema: TEXT },
            },
          },
        },
      },
    },
    async ({ caller: { organizationId, sql }, query, headers }, reply) => {
      const { start_date: start, end_date: end, timezone, granularity, dimensions } = query
      const request = {
        start,
        end,
        timezone,
        granularity,
        dimensions,
        broadcastIds: listOf('broadcast_id', query.broadcast_id),
        templateIds: listOf('template_id', query.template_id),
        connectionIds: listOf('cloud_account_id', query.cloud_account_id),
        domains: listOf('domain', query.domain),
      }
      const metrics = await emailMetrics(sql, organizationId, request, now())
      void reply.header('vary', 'Accept')
      if (!wantsCsv(headers.accept)) return metrics
      const { data, totals, meta } = metrics
      const columns = columnsOf(meta.dimensions)
      const rows = meta.dimensions.length === 0 ? [totals] : data
      void reply.header('content-disposition', 'attachment; filename="metrics.csv"')
      return reply.type('text/csv; charset=utf-8').send(csvLines(columns, pages(rows, columns)))
    },
  )
}

function listOf(path: string, text: string | undefined): string[] | undefined {
  const values = text?.toLowerCase().split(',')
  if (values && values.length > MOST_VALUES) refuse(path, `must have at most ${MOST_VALUES} values`)
  return values
}

const columnsOf = (dimensions: readonly Dimension[]): (keyof MetricsRow)[] => [
  ...dimensions.map((name) => KEYS[name]),
  'sent',
  'delivered',
  'bounced',
  'bouncedPermanent',
  'bouncedTransient',
  'bouncedUndetermined',
  'complained',
  'suppressed',
  'opened',
  'openedRaw',
  'clicked',
  'unsubscribed',
  'failed',
  'costUsd',
]

const PAGE = 1_000

async function* pages(rows: readonly MetricsRow[], columns: readonly (keyof MetricsRow)[]) {
  for (let from = 0; from < rows.length; from += PAGE) {
    yield rows
      .slice(from, from + PAGE)
      .map((row) => columns.map((column) => String(row[column] ?? '')))
  }
}
