import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { notFound } from '../../../src/domain/errors.ts'
import { SESSION_IDLE_MS } from '../../../src/domain/access/login.ts'
import { isUuid } from '../../../src/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  EndedSessions,
  SessionList,
  SessionListQuery,
} from '../../../src/schemas/access/session.ts'
import * as sessions from '../../../src/store/access/sessions.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { audit } from '../audit.ts'
import { personOf } from '../../caller.ts'
import { decodeCursor } from '../../http/cursor.ts'
import type { Deps } from '../../deps.ts'
import { pageOf } from '../../http/pages.ts'

const tags = ['auth']
const config = { scope: 'session' } as const

/** A person's own sessions, in whatever organization. */
export const sessionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { sql, now }) => {
  const timeIn = (ms: number) => new Date(now() + ms).toISOString()

  app.get(
    '/auth/sessions',
    {
      config,
      schema: {
        tags,
        operationId: 'listSessions',
        summary: 'List your sessions in all organizations, newest first',
        description: 'Those that still work, wherever you logged in.',
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
        summary: 'End all your sessions but this one',
        description: 'Logs you out everywhere else, in every organization.',
        response: { 200: EndedSessions },
      },
    },
    async (request) => {
      const { userId, sessionId } = personOf(request.caller)
      const ended = await transact(request.caller.sql, async (tx) => {
        const at = timeIn(0)
        const count = await sessions.end(tx, userId, { at, keep: sessionId })
        const { organizationId } = request.caller
        const here = await sessions.countEnded(tx, { organizationId, userId, at })
        if (here > 0) {
          const subject = { kind: 'user', id: userId }
          const detail = { count: here }
          await audit(tx, request, now, { action: 'session.ended', subject, detail })
        }
        return count
      })
      return { success: true as const, ended }
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
        description: 'Its token stops working within a second everywhere.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { userId } = personOf(request.caller)
      const { id } = request.params
      if (!isUuid(id)) throw notFound('Session')
      await transact(request.caller.sql, async (tx) => {
        const at = timeIn(0)
        const ended = await sessions.end(tx, userId, { at, only: id })
        if (ended === 0) throw notFound('Session')
        const { organizationId } = request.caller
        // One of another organization is none of this one's business.
        if ((await sessions.countEnded(tx, { organizationId, userId, at, only: id })) === 0) return
        await audit(tx, request, now, { action: 'session.ended', subject: { kind: 'session', id } })
      })
      return { success: true as const }
    },
  )
}
