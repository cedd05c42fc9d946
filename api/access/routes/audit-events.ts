import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEventList, AuditEventListQuery } from '../../../src/schemas/access/audit-event.ts'
import * as auditEvents from '../../../src/store/access/audit-events.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'
import { rangeParameters } from '../../http/times.ts'

export const auditEventRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app) => {
  app.get(
    '/v1/audit-events',
    {
      config: { scope: 'full' },
      schema: {
        tags: ['account'],
        operationId: 'listAuditEvents',
        summary: 'List audit events, newest first',
        description:
          'Returns changes of keys, logins, passwords and roles, with their authors. Audit events cannot be changed or deleted.',
        querystring: AuditEventListQuery,
        response: { 200: AuditEventList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor, ...filters } }) => {
      const scope = { list: 'audit-events', organizationId, filters }
      const rows = await auditEvents.list(sql, organizationId, {
        ...filters,
        ...rangeParameters(filters),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )
}
