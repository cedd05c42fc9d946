import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { endOtherSessions, endSession } from '../../../src/core/access/sessions.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { SESSION_IDLE_MS } from '../../../src/domain/access/login.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  CurrentSession,
  EndedSessions,
  SessionList,
  SessionListQuery,
} from '../../../src/schemas/access/session.ts'
import * as sessions from '../../../src/store/access/sessions.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { personalActorOf } from '../audit.ts'
import { describeSession } from '../sign-in.ts'
import { personOf } from '../../caller.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { Deps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['auth']
const config = { scope: 'session' } as const

export const sessionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { sql, now }) => {
  const timeIn = (ms: number) => new Date(now() + ms).toISOString()

  app.get(
    '/auth/session',
    {
      config,
      schema: {
        tags,
        operationId: 'getSession',
        summary: 'Show who is signed in, and where',
        description:
          'The person, the organization that the session works in, what they may do there, and their other organizations.',
        response: { 200: CurrentSession },
      },
    },
    ({ caller }) => describeSession({ sql }, caller),
  )

  app.get(
    '/auth/sessions',
    {
      config,
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List your sessions, newest first',
        description: 'Returns your active sessions in all organizations.',
        querystring: SessionListQuery,
        response: { 200: SessionList },
      },
    },
    async ({ caller, query: { limit, cursor } }) => {
      const { userId, sessionId } = personOf(caller)
      const scope = {
        list: 'sessions',
        organizationId: caller.organizationId,
        filters: { userId },
      }
      const rows = await sessions.list(sql, userId, {
        at: timeIn(0),
        idleSince: timeIn(-SESSION_IDLE_MS),
        before: decodeCursor(scope, cursor),
        limit: limit + 1,
      })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return {
        data: page.map((session) => ({ ...session, current: session.id === sessionId })),
        nextCursor,
      }
    },
  )

  app.delete(
    '/auth/sessions',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'endOtherSessions',
        summary: 'End all your other sessions',
        description: 'Logs you out everywhere else, in every organization.',
        response: { 200: EndedSessions },
      },
    },
    async (request) => {
      const { organizationId, sql: tenant } = request.caller
      const { sessionId } = personOf(request.caller)
      const actor = personalActorOf(request, now)
      const endedCount = await transact(tenant, (tx) =>
        endOtherSessions(tx, organizationId, sessionId, actor),
      )
      return { success: true as const, ended: endedCount }
    },
  )

  app.delete(
    '/auth/sessions/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'End one of your sessions',
        description: 'The token of the session stops working everywhere within a second.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { organizationId, sql: tenant } = request.caller
      const actor = personalActorOf(request, now)
      const { id } = request.params
      const isEnded = await transact(tenant, (tx) => endSession(tx, organizationId, id, actor))
      if (!isEnded) throw notFound('Session')
      return { success: true as const }
    },
  )
}
