import type { FastifyReply, FastifyRequest } from 'fastify'
import { openSession, type NewSession, switchSession } from '../../src/core/access/sessions.ts'
import { SCOPES_OF_ROLE } from '../../src/domain/access/access.ts'
import { HttpError } from '../http/http-error.ts'
import { forbidden } from '../../src/domain/errors.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { CurrentSession } from '../../src/schemas/access/session.ts'
import * as members from '../../src/store/access/members.ts'
import * as sessions from '../../src/store/access/sessions.ts'
import { transact, within } from '../../src/store/db/sql.ts'
import { type Caller, personOf } from '../caller.ts'
import type { Deps } from '../deps.ts'
import { personalActorOf } from './audit.ts'
import type { LoginGuard } from './login.ts'

interface Credentials {
  email: string
  password: string
  organizationId?: string
}

export interface SignedIn extends NewSession {
  organizationId: Uuid
  user: { id: Uuid; email: string; name: string }
  organizations: sessions.Membership[]
}

export async function signIn(
  { sql, now, guard }: Pick<Deps, 'sql' | 'now'> & { guard: LoginGuard },
  request: FastifyRequest,
  reply: FastifyReply,
  input: Credentials,
): Promise<SignedIn> {
  const person = await guard.verify(request, reply, input)
  if (!person) throw wrongLogin()
  const { userId, name, email, passwordHash, account } = person
  const organizations = await sessions.listOrganizations(sql, userId)
  const wantedId = input.organizationId ?? organizations[0]?.id
  const organizationId = organizations.find(({ id }) => id === wantedId?.toLowerCase())?.id
  if (organizationId === undefined) throw notAMember()
  const identity = { kind: 'user', id: userId } as const
  const actor = { identity, requestId: request.id, now: now() }
  const session = await transact(within(sql, organizationId), (tx) =>
    openSession(tx, organizationId, { passwordHash, account }, actor),
  )
  // Somebody changed the password, or took the person out, while we looked at it.
  if (!session) throw wrongLogin()
  const user = { id: userId, email, name }
  return { ...session, organizationId, user, organizations: [...organizations] }
}

export async function switchTo(
  { sql, now }: Pick<Deps, 'sql' | 'now'>,
  request: FastifyRequest,
  input: { organizationId: string },
): Promise<NewSession & { organizationId: Uuid }> {
  const { userId, sessionId } = personOf(request.caller)
  const organizationId = input.organizationId.toLowerCase()
  const organizations = await sessions.listOrganizations(sql, userId)
  if (!organizations.some(({ id }) => id === organizationId)) throw notAMember()
  const actor = personalActorOf(request, now)
  const session = await transact(within(sql, organizationId), (tx) =>
    switchSession(tx, organizationId, sessionId, actor),
  )
  return { ...session, organizationId }
}

export async function describeSession(
  { sql }: Pick<Deps, 'sql'>,
  caller: Caller,
): Promise<CurrentSession> {
  const { userId, role, expiresAt } = personOf(caller)
  const [organizations, member] = await Promise.all([
    sessions.listOrganizations(sql, userId),
    members.find(caller.sql, caller.organizationId, userId),
  ])
  const current = organizations.find(({ id }) => id === caller.organizationId)
  if (!current || !member) throw notAMember()
  return {
    user: { id: userId, email: member.email, name: member.name },
    organization: { id: current.id, name: current.name },
    role,
    scopes: [...caller.scopes],
    organizations: [...organizations],
    expiresAt,
  }
}

export function describeNewSession(session: SignedIn): CurrentSession {
  const { user, organizationId, organizations, expiresAt } = session
  const current = organizations.find(({ id }) => id === organizationId)
  if (!current) throw notAMember()
  const { id, name, role } = current
  const scopes = [...SCOPES_OF_ROLE[role]]
  return { user, organization: { id, name }, role, scopes, organizations, expiresAt }
}

/** The error does not reveal whether the address is known. */
const wrongLogin = () =>
  new HttpError('UNAUTHORIZED', 'The address or the password is wrong', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** The error does not reveal whether the organization exists. */
export const notAMember = () =>
  forbidden('You are not a member of this organization', { reason: 'not_a_member' })
