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

/** Invited people become members when they accept. Until then no data about them is shown. */
export const invitationRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, deps) => {
  const { now, sendsNotices } = deps

  app.post(
    '/v1/members',
    {
      config,
      schema: {
        tags,
        operationId: 'inviteMember',
        summary: 'Invite a person by mail; they become a member when they accept',
        description:
          'Admins invite viewers and members, owners anybody. The link works once, for seven days. The answer is the same whether the address has an account or not. 409: a member has the address (`already_member`), it is invited already (`already_invited`), or this installation sends no such mail (`no_notice_sender`): then the operator adds people (`letterloom user invite`). 429 `too_many_invitations`: 50 invitations are mailed in 24 hours, 3 to one address.',
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
        summary: 'List the invitations that nobody accepted yet, newest first',
        description: 'One that has expired is listed for a week more and can be sent again.',
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
        summary: 'Get an invitation that nobody accepted yet',
        description: '404 once it was accepted or revoked.',
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
        summary: 'Revoke an invitation: its links stop working',
        description: 'Admins revoke those of viewers and members, owners any.',
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
        summary: 'Mail an invitation again, with a new link for seven days',
        description:
          'Links that were mailed before stop working. 429 `too_many_invitations`: 50 invitations are mailed in 24 hours, 3 to one address.',
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
