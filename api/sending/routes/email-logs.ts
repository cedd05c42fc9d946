import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../../src/domain/errors.ts'
import {
  type EmailLog,
  EmailLogDetail,
  EmailLogList,
  EmailLogListQuery,
  EmailLogParams,
  EmailLogExportQuery,
  LOG_COLUMNS,
} from '../../../src/schemas/sending/email-log.ts'
import {
  exportEmailLogs,
  listEmailLogs,
  oldestShown,
} from '../../../src/core/sending/email-logs.ts'
import { audit } from '../../access/audit.ts'
import { csvFile, csvLines } from '../../http/csv-answers.ts'
import * as logs from '../../../src/store/sending/email-logs.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'
import { endParameter, timeParameter } from '../../http/times.ts'

const tags = ['email-logs']
const config = { scope: 'read' } as const

export const emailLogRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/email/logs',
    {
      config,
      schema: {
        tags,
        operationId: 'listEmailLogs',
        summary: 'List mails and what became of them, newest first',
        description:
          '`status` is what a mail is now, `reached` what it ever was. A bare day in `to` includes that day, UTC.',
        querystring: EmailLogListQuery,
        response: { 200: EmailLogList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, ...filters } }) => {
      const scope = { list: 'email-logs', organizationId, filters }
      const rows = await listEmailLogs(sql, organizationId, {
        ...read(filters),
        oldest: await oldestShown(sql, organizationId, now()),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { logs: page, nextCursor }
    },
  )

  app.get(
    '/v1/email/logs/export',
    {
      config: { scope: 'full' },
      schema: {
        tags,
        operationId: 'exportEmailLogs',
        summary: 'Download mails and what became of them as CSV',
        description:
          'Newest first, with the filters of the list. A cell that a spreadsheet would run begins with an apostrophe. A download that breaks off is not complete: its connection is cut.',
        querystring: EmailLogExportQuery,
        response: { 200: csvFile('The mails') },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const filters = {
        ...read(request.query),
        oldest: await oldestShown(sql, organizationId, now()),
      }
      await audit(sql, request, now, {
        action: 'email_logs.exported',
        subject: { kind: 'organization', id: organizationId },
        detail: { filters: Object.keys(request.query) },
      })
      void reply.header('content-disposition', 'attachment; filename="email-logs.csv"')
      const pages = exportEmailLogs(sql, organizationId, filters)
      return reply.type('text/csv; charset=utf-8').send(csvLines(LOG_COLUMNS, cellsOf(pages)))
    },
  )

  app.get(
    '/v1/email/logs/:messageId',
    {
      config,
      schema: {
        tags,
        operationId: 'getEmailLog',
        summary: 'Get a mail with its timeline, by the provider’s message id or ours',
        description: '`events` is the timeline, oldest first.',
        params: EmailLogParams,
        response: { 200: EmailLogDetail },
      },
    },
    async ({ caller: { organizationId, sql }, params: { messageId } }) => {
      const oldest = await oldestShown(sql, organizationId, now())
      const log = await logs.find(sql, organizationId, messageId, oldest)
      if (!log) throw notFound('Email log')
      return { ...log, events: await logs.listEvents(sql, organizationId, log) }
    },
  )
}

/** Filters as the store takes them. */
const read = (filters: EmailLogExportQuery) => ({
  ...filters,
  recipient: filters.recipient?.trim().toLowerCase(),
  from: timeParameter('from', filters.from),
  to: endParameter('to', filters.to),
})

async function* cellsOf(pages: AsyncIterable<EmailLog[]>) {
  for await (const page of pages) {
    yield page.map((log) => LOG_COLUMNS.map((column) => log[column] ?? ''))
  }
}
