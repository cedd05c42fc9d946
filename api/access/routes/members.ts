import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Role } from '../../../src/domain/access/access.ts'
import { rolesBeyond } from '../../../src/domain/access/invitation.ts'
import { conflict, notFound } from '../../../src/domain/errors.ts'
import { isUuid, type Uuid } from '../../../src/ids.ts'
import { IdParams, Success } from '../../../src/schemas/common.ts'
import {
  Member,
  MemberList,
  MemberListQuery,
  MemberPatch,
} from '../../../src/schemas/access/member.ts'
import * as invitations from '../../../src/store/access/invitations.ts'
import * as members from '../../../src/store/access/members.ts'
import { type Transaction, transact } from '../../../src/store/db/sql.ts'
import { audit } from '../audit.ts'
import { decodeTimedCursor, encodeTimedCursor } from '../../http/cursor.ts'
import type { TenantDeps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { lockedRole, mustManage } from '../managing.ts'

const tags = ['account']
const config = { scope: 'members' } as const

/**
 * The members of the organization; new ones are invited. Admins manage those below them; an owner
 * always stays.
 */
export const memberRoutes: FastifyPluginAsyncTypebox<TenantDeps> = async (app, { now }) => {
  app.get(
    '/v1/members',
    {
      config: { scope: 'session' },
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List the organization’s members, who joined last first',
        description: 'For signed-in people of any role.',
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
        summary: 'Give a member another role; their sessions here end',
        description: 'Admins change viewers and members, owners anybody. The last owner stays one.',
        params: IdParams,
        body: MemberPatch,
        response: { 200: Member, ...failures(409) },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId } = caller
      const { role } = request.body
      return transact(caller.sql, async (tx) => {
        const own = await lockedRole(tx, caller)
        const member = await load(tx, organizationId, params.id)
        if (member.role === role) return member
        mustManage(own, member.role)
        mustManage(own, role)
        if (member.role === 'owner') await keepAnOwner(tx, organizationId)
        const at = new Date(now()).toISOString()
        await members.setRole(tx, { organizationId, userId: member.id, role, at })
        await audit(tx, request, now, {
          action: 'member.role_changed',
          subject: { kind: 'user', id: member.id },
          detail: { from: member.role, to: role },
        })
        await revokeInvitations(tx, request, now, { userId: member.id, role })
        return { ...member, role }
      })
    },
  )

  app.delete(
    '/v1/members/:id',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Take a member out; their sessions here end',
        description: 'Admins remove viewers and members, owners anybody but the last owner.',
        params: IdParams,
        response: { 200: Success, ...failures(409) },
      },
    },
    async (request) => {
      const { caller, params } = request
      const { organizationId } = caller
      await transact(caller.sql, async (tx) => {
        const own = await lockedRole(tx, caller)
        const member = await load(tx, organizationId, params.id)
        mustManage(own, member.role)
        if (member.role === 'owner') await keepAnOwner(tx, organizationId)
        await members.remove(tx, organizationId, member.id)
        await audit(tx, request, now, {
          action: 'member.removed',
          subject: { kind: 'user', id: member.id },
          detail: { role: member.role },
        })
        await revokeInvitations(tx, request, now, { userId: member.id, role: undefined })
      })
      return { success: true as const }
    },
  )
}

/**
 * Revokes the open invitations that a member made and could not make with this role; undefined: no
 * member any more. They could come back by one of them.
 */
async function revokeInvitations(
  tx: Transaction,
  request: FastifyRequest,
  now: TenantDeps['now'],
  { userId, role }: { userId: Uuid; role: Role | undefined },
): Promise<void> {
  const { organizationId } = request.caller
  const at = new Date(now()).toISOString()
  const roles = rolesBeyond(role)
  for (const id of await invitations.revokeMadeBy(tx, { organizationId, userId, roles, at })) {
    const subject = { kind: 'invitation', id }
    await audit(tx, request, now, { action: 'invitation.revoked', subject })
  }
}

async function keepAnOwner(tx: Transaction, organizationId: Uuid): Promise<void> {
  if ((await members.countOwners(tx, organizationId)) > 1) return
  throw conflict('The last owner cannot go; make somebody else an owner first', {
    reason: 'last_owner',
  })
}

async function load(tx: Transaction, organizationId: Uuid, id: string): Promise<Member> {
  const member = isUuid(id) ? await members.find(tx, organizationId, id) : undefined
  if (!member) throw notFound('Member')
  return member
}
