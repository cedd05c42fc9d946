import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  inviteByMail,
  requireInvitation,
  resendInvitation,
  revokeInvitation,
} from '../../../src/core/access/invitations.ts'
import {
  Invitation,
  InvitationList,
  InvitationListQuery,
} from '../../../src/schemas/access/invitation.ts'
import { MemberInput } from '../../../src/schemas/access/member.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import * as invitations from '../../../src/store/access/invitations.ts'
import { transact } from '../../../src/store/db/sql.ts'
import type { TenantDeps } from '../../deps.ts'
import { decodeCursor } from '../../http/cursor.ts'
import { failures } from '../../http/failures.ts'
import { pageOf } from '../../http/pages.ts'
import { actorOf } from '../audit.ts'

const tags = ['account']
const config = { scope: 'members' } as const

export const invitationRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { now, sendsNotices } = deps

  app.post(
    '/v1/members',
    {
      config,
      schema: {
        tags,
        operationId: 'inviteMember',
        summary: 'Invite a person by email',
        description:
          'The person becomes a member when they accept. Admins can invite viewers and members, owners can invite anybody. The link works once, for seven days. The response is the same whether or not the address has an account. Fails with 409 if a member has the address (`already_member`), if it was invited already (`already_invited`), or if this installation does not send invitations (`no_notice_sender`): the operator then adds people with `letterloom user invite`. Fails with 429 `too_many_invitations` after 50 invitations in 24 hours, or 3 to one address.',
        body: MemberInput,
        response: { 202: Invitation, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, caller, body } = request
      reply.code(202)
      return inviteByMail(tx, caller.organizationId, body, actorOf(request, now), { sendsNotices })
    },
  )

  app.get(
    '/v1/invitations',
    {
      config,
      schema: {
        tags,
        operationId: 'listInvitations',
        summary: 'List open invitations, newest first',
        description: 'Expired invitations are listed for another week and can be sent again.',
        querystring: InvitationListQuery,
        response: { 200: InvitationList },
      },
    },
    async ({ caller: { organizationId, sql }, query: { limit, cursor } }) => {
      const scope = { list: 'invitations', organizationId, filters: {} }
      const before = decodeCursor(scope, cursor)
      const rows = await invitations.list(sql, organizationId, { before, limit: limit + 1 })
      const { page, nextCursor } = pageOf(rows, limit, scope)
      return { data: page, nextCursor }
    },
  )

  app.get(
    '/v1/invitations/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getInvitation',
        summary: 'Get an open invitation',
        description: 'Fails with 404 after the invitation was accepted or revoked.',
        params: IdParams,
        response: { 200: Invitation },
      },
    },
    ({ caller: { organizationId, sql }, params: { id } }) =>
      requireInvitation(sql, organizationId, id),
  )

  app.delete(
    '/v1/invitations/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation',
        description:
          'Links of the invitation stop working. Admins can revoke invitations of viewers and members, owners can revoke any.',
        params: IdParams,
        response: { 200: Success },
      },
    },
    async (request) => {
      const { caller, params } = request
      await transact(caller.sql, (tx) =>
        revokeInvitation(tx, caller.organizationId, params.id, actorOf(request, now)),
      )
      return { success: true as const }
    },
  )

  app.post(
    '/v1/invitations/:id/resend',
    {
      config,
      schema: {
        tags,
        operationId: 'resendInvitation',
        summary: 'Resend an invitation',
        description:
          'Sends a new link that works for seven days. Earlier links stop working. Fails with 429 `too_many_invitations` after 50 invitations in 24 hours, or 3 to one address.',
        params: IdParams,
        response: { 202: Invitation, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, caller, params } = request
      const actor = actorOf(request, now)
      reply.code(202)
      return resendInvitation(tx, caller.organizationId, params.id, actor, { sendsNotices })
    },
  )
}
