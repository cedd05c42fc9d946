import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { changeRole, removeMember } from '../../../src/core/access/members.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  Member,
  MemberList,
  MemberListQuery,
  MemberPatch,
} from '../../../src/schemas/access/member.ts'
import * as members from '../../../src/store/access/members.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { actorOf } from '../audit.ts'
import { decodeTimedCursor, encodeTimedCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'

const tags = ['account']
const config = { scope: 'members' } as const

export const memberRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/members',
    {
      config: { scope: 'session' },
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List the members of the organization, newest first',
        description: 'Available to signed-in people of any role.',
        querystring: MemberListQuery,
        response: { 200: MemberList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'members', organizationId, filters: {} }
      const before = decodeTimedCursor(scope, cursor)
      const rows = await members.list(sql, organizationId, { before, limit: limit + 1 })
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return { data: page, nextCursor: last === undefined ? null : encodeTimedCursor(scope, last) }
    },
  )

  app.patch(
    '/v1/members/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'changeMember',
        summary: 'Change the role of a member',
        description:
          'The member’s sessions in this organization end. Admins can change viewers and members, owners can change anybody. The last owner cannot be changed.',
        params: IdParams,
        body: MemberPatch,
        response: { 200: Member, ...failures(409) },
      },
    },
    async (request) => {
      const { caller, params, body } = request
      const change = { userId: params.id, role: body.role }
      return transact(caller.sql, (tx) =>
        changeRole(tx, caller.organizationId, change, actorOf(request, now)),
      )
    },
  )

  app.delete(
    '/v1/members/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Remove a member',
        description:
          'The member’s sessions in this organization end. Admins can remove viewers and members, owners can remove anybody except the last owner.',
        params: IdParams,
        response: { 200: Success, ...failures(409) },
      },
    },
    async (request) => {
      const { caller, params } = request
      await transact(caller.sql, (tx) =>
        removeMember(tx, caller.organizationId, params.id, actorOf(request, now)),
      )
      return { success: true as const }
    },
  )
}
