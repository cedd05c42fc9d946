import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../../src/domain/errors.ts'
import {
  EmailLogDetail,
  EmailLogList,
  EmailLogListQuery,
  EmailLogParams,
} from '../../../src/schemas/sending/email-log.ts'
import { listEmailLogs } from '../../../src/core/sending/email-logs.ts'
import * as logs from '../../../src/store/sending/email-logs.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'
import { endParameter, timeParameter } from '../../http/times.ts'

const tags = ['email-logs']
const config = { scope: 'read' } as const

export const emailLogRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
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
        ...filters,
        recipient: filters.recipient?.trim().toLowerCase(),
        from: timeParameter('from', filters.from),
        to: endParameter('to', filters.to),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { logs: page, nextCursor }
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
      const log = await logs.find(sql, organizationId, messageId)
      if (!log) throw notFound('Email log')
      return { ...log, events: await logs.listEvents(sql, organizationId, log.id) }
    },
  )
}
