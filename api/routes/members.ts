import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { mayManage, type Role } from '../../src/domain/access.ts'
import { conflict, forbidden, notFound } from '../../src/domain/errors.ts'
import { isUuid, type Uuid, uuidv7 } from '../../src/ids.ts'
import { IdParams, Success } from '../../src/schemas/common.ts'
import {
  Member,
  MemberInput,
  MemberList,
  MemberListQuery,
  MemberPatch,
} from '../../src/schemas/member.ts'
import { LONGEST_NAME } from '../../src/domain/text.ts'
import * as members from '../../src/store/members.ts'
import * as organizations from '../../src/store/organizations.ts'
import { type Transaction, transact } from '../../src/store/sql.ts'
import { audit } from '../audit.ts'
import { type Caller, personOf } from '../auth.ts'
import { decodeTimedCursor, encodeTimedCursor } from '../cursor.ts'
import type { TenantDeps } from '../deps.ts'
import { failures } from '../failures.ts'

const tags = ['account']
const config = { scope: 'members' } as const

/** Who works in the organization. Admins manage those below them; an owner always stays. */
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

  app.post(
    '/v1/members',
    {
      config,
      schema: {
        tags,
        operationId: 'addMember',
        summary: 'Make a person a member, known here or new',
        description:
          'Admins add viewers and members, owners anybody. A new person gets a password from the operator: `letterloom user set-password`.',
        body: MemberInput,
        response: { 201: Member, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { tx, caller, body } = request
      const { organizationId } = caller
      const { role } = body
      const email = body.email.trim().toLowerCase()
      mustManage(await lockedRole(tx, caller), role)
      const name = body.name ?? email.slice(0, LONGEST_NAME)
      const userId = await members.findOrAddPerson(tx, { id: uuidv7(), email, name })
      const isNew = await members.add(tx, { organizationId, userId, role, givenName: name })
      if (!isNew) throw conflict('This person is a member already', { reason: 'already_member' })
      const subject = { kind: 'user', id: userId }
      await audit(tx, request, now, { action: 'member.added', subject, detail: { role } })
      reply.code(201)
      return load(tx, organizationId, userId)
    },
  )

  app.patch(
    '/v1/members/:id',
    {
      config,
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
        return { ...member, role }
      })
    },
  )

  app.delete(
    '/v1/members/:id',
    {
      config,
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
      })
      return { success: true as const }
    },
  )
}

/**
 * The caller's role as it is now that nobody else can change members: it may have been taken from
 * them since their session was looked at.
 */
async function lockedRole(tx: Transaction, caller: Caller): Promise<Role | undefined> {
  await organizations.lock(tx, caller.organizationId)
  const own = await members.find(tx, caller.organizationId, personOf(caller).userId)
  return own?.role
}

function mustManage(own: Role | undefined, other: Role): void {
  if (own !== undefined && mayManage(own, other)) return
  throw forbidden(`Your role may not manage members who are ${other}`, {
    reason: 'insufficient_role',
  })
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
