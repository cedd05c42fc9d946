import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { normalAddress } from '../../../src/domain/text.ts'
import {
  type EmailLog,
  EmailLogDetail,
  EmailLogList,
  EmailLogListQuery,
  EmailLogParams,
  EmailLogExportQuery,
  LOG_COLUMNS,
  MOST_EVENTS,
} from '../../../src/schemas/delivery/email-log.ts'
import { shownSince } from '../../../src/core/access/plan.ts'
import { exportEmailLogs, listEmailLogs } from '../../../src/core/delivery/email-logs.ts'
import { logContent } from '../../../src/core/delivery/log-content.ts'
import { allows } from '../../../src/domain/access/access.ts'
import { refusalOf } from '../../../src/domain/access/ownership.ts'
import { bucketStart } from '../../../src/runtime/ids.ts'
import { withDeadLinksIn } from '../../../src/domain/mails/dead-links.ts'
import { audit } from '../../access/audit.ts'
import { csvFile, csvLines } from '../../http/csv-answers.ts'
import * as logs from '../../../src/store/delivery/email-logs.ts'
import * as deliveryEvents from '../../../src/store/delivery/delivery-events.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'
import { rangeParameters } from '../../http/times.ts'

const tags = ['email-logs']
const config = { scope: 'read' } as const

export const emailLogRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { now } = deps

  app.get(
    '/v1/email/logs',
    {
      config,
      schema: {
        tags,
        operationId: 'listEmailLogs',
        summary: 'List mails with their status, newest first',
        description:
          '`status` is the present status of a mail. `reached` finds mails that ever had a status. A day without a time in `to` is included, in UTC.',
        querystring: EmailLogListQuery,
        response: { 200: EmailLogList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, ...filters } }) => {
      const scope = { list: 'email-logs', organizationId, filters }
      const rows = await listEmailLogs(sql, organizationId, {
        ...read(filters),
        oldest: bucketStart(await shownSince(sql, organizationId, now())),
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
        summary: 'Download mails with their status as CSV',
        description:
          'Newest first, with the filters of the list. Cells that a spreadsheet would execute begin with an apostrophe. If the download fails, the connection is closed before the file is complete.',
        querystring: EmailLogExportQuery,
        response: { 200: csvFile('The mails') },
      },
    },
    async (request, reply) => {
      const { organizationId, sql } = request.caller
      const filters = {
        ...read(request.query),
        oldest: bucketStart(await shownSince(sql, organizationId, now())),
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
        summary: 'Get a mail with its timeline and its content',
        description:
          'The mail is named by the provider’s message id or by ours. `events` is the timeline, oldest first. `content` requires an owner, an admin or a key of scope `full`, and each read is audited. Links to unsubscribe, confirm or choose topics are disabled in both.',
        params: EmailLogParams,
        response: { 200: EmailLogDetail },
      },
    },
    async (request) => {
      const { organizationId, sql, scopes } = request.caller
      const { messageId } = request.params
      const oldest = bucketStart(await shownSince(sql, organizationId, now()))
      const log = await logs.find(sql, organizationId, messageId, oldest)
      if (!log) {
        throw refusalOf('email_log', await logs.isElsewhere(sql, organizationId, messageId))
      }
      const events = await deliveryEvents.list(sql, organizationId, log, MOST_EVENTS + 1)
      const timeline = {
        events: withDeadLinksIn(events.slice(0, MOST_EVENTS)),
        eventsTruncated: events.length > MOST_EVENTS,
      }
      if (!allows(scopes, 'full')) {
        return { ...log, ...timeline, content: null, contentMissing: 'scope' as const }
      }
      const shownContent = await logContent(deps, sql, organizationId, log)
      if (shownContent.content) {
        const subject = { kind: 'email', id: log.id }
        await audit(sql, request, now, { action: 'email.read', subject })
      }
      return { ...log, ...timeline, ...shownContent }
    },
  )
}

/** Returns the filters in the store's form. */
const read = (filters: EmailLogExportQuery) => ({
  ...filters,
  recipient: filters.recipient && normalAddress(filters.recipient),
  ...rangeParameters(filters),
})

async function* cellsOf(pages: AsyncIterable<EmailLog[]>) {
  for await (const page of pages) {
    yield page.map((log) => LOG_COLUMNS.map((column) => log[column] ?? ''))
  }
}
