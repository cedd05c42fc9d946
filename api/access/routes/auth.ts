import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { AppError, badRequest, conflict, forbidden } from '../../../src/domain/errors.ts'
import { SESSION_MOST_MS, SESSION_IDLE_MS } from '../../../src/domain/access/login.ts'
import { type Uuid, uuidv7 } from '../../../src/ids.ts'
import { Success } from '../../../src/schemas/common.ts'
import {
  Login,
  LoginInput,
  PasswordInput,
  SwitchedSession,
  SwitchInput,
} from '../../../src/schemas/access/session.ts'
import * as auditEvents from '../../../src/store/access/audit-events.ts'
import * as members from '../../../src/store/access/members.ts'
import * as sessions from '../../../src/store/access/sessions.ts'
import { type Transaction, transact, within } from '../../../src/store/db/sql.ts'
import { newSessionToken } from '../../../src/tokens.ts'
import { audit } from '../audit.ts'
import { personOf } from '../../caller.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { keepPrivate } from '../../http/html-pages.ts'
import type { LoginGuard } from '../login.ts'

const tags = ['auth']
const config = { scope: 'session' } as const

/** Getting, changing and giving up a session. */
export const authRoutes: FastifyPluginAsyncTypebox<Deps & { guard: LoginGuard }> = async (
  app,
  deps,
) => {
  const { sql, now, guard } = deps
  const timeIn = (ms: number) => new Date(now() + ms).toISOString()

  app.post(
    '/auth/login',
    {
      // It has a limit of its own.
      onRequest: guard.countTry,
      config: { public: true, unlimited: true },
      schema: {
        tags,
        operationId: 'logIn',
        summary: 'Get a session for an address and its password',
        description:
          'A wrong address, a wrong password and a person without one get the same answer, after the same time. Five tries of an account from one address in 15 minutes, twenty of all accounts; after failures an account answers more slowly and never refuses.',
        body: LoginInput,
        response: { 200: Login, ...failures(401, 403) },
      },
    },
    async (request, reply) => {
      const person = await guard.verify(request, reply, request.body)
      if (!person) throw wrongLogin()
      const { userId, name, email, passwordHash, account } = person
      const organizations = await sessions.listOrganizations(sql, userId)
      const wanted = request.body.organizationId ?? organizations[0]?.id
      const organizationId = organizations.find(({ id }) => id === wanted?.toLowerCase())?.id
      if (organizationId === undefined) throw notAMember()
      const { token, hash } = newSessionToken()
      const opening = {
        userId,
        organizationId,
        passwordHash,
        id: uuidv7(),
        hash,
        at: timeIn(0),
        expiresAt: timeIn(SESSION_MOST_MS),
        idleSince: timeIn(-SESSION_IDLE_MS),
      }
      const isOpen = await transact(within(sql, organizationId), async (tx) => {
        if (!(await sessions.open(tx, opening))) return false
        await sessions.forgetFailures(tx, account)
        await noteLogin(tx, request, opening)
        return true
      })
      // Somebody changed the password, or took the person out, while we looked at it.
      if (!isOpen) throw wrongLogin()
      keepPrivate(reply)
      const user = { id: userId, email, name }
      const { expiresAt } = opening
      return { token, expiresAt, organizationId, user, organizations: [...organizations] }
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'logOut',
        summary: 'End this session',
        description: 'The token stops working within a second everywhere.',
        response: { 200: Success },
      },
    },
    async (request) => {
      const { userId, sessionId } = personOf(request.caller)
      await transact(request.caller.sql, async (tx) => {
        const ended = await sessions.end(tx, userId, { at: timeIn(0), only: sessionId })
        if (ended === 0) return
        const subject = { kind: 'session', id: sessionId }
        await audit(tx, request, now, { action: 'session.ended', subject })
      })
      return { success: true as const }
    },
  )

  app.post(
    '/auth/switch',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'switchOrganization',
        summary: 'Get a session for another organization of yours; this one ends',
        description: 'The new token ends when the old one would have.',
        body: SwitchInput,
        response: { 200: SwitchedSession, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { userId, sessionId } = personOf(request.caller)
      const organizationId = request.body.organizationId.toLowerCase()
      const organizations = await sessions.listOrganizations(sql, userId)
      if (!organizations.some(({ id }) => id === organizationId)) throw notAMember()
      const { token, hash } = newSessionToken()
      const id = uuidv7()
      const expiresAt = await transact(within(sql, organizationId), async (tx) => {
        const change = { from: sessionId, organizationId, id, hash, at: timeIn(0) }
        const until = await sessions.switchTo(tx, change)
        if (until === undefined) throw conflict('This session has ended meanwhile')
        // As a login with a password: it must not tell that the person comes from elsewhere.
        await noteLogin(tx, request, { organizationId, userId, id, at: change.at })
        return until
      })
      keepPrivate(reply)
      return { token, expiresAt, organizationId }
    },
  )

  app.post(
    '/auth/password',
    {
      onRequest: guard.countTry,
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change your password; your other sessions end',
        description:
          'All your other sessions end, in every organization. Wrong tries count as tries to log in.',
        body: PasswordInput,
        response: { 200: Success, ...failures(409) },
      },
    },
    async (request, reply) => {
      const { userId, sessionId } = personOf(request.caller)
      const { currentPassword, newPassword } = request.body
      const email = await emailOf(request.caller, userId)
      const person = await guard.verify(request, reply, { email, password: currentPassword })
      if (!person) throw wrongPassword()
      const newHash = await guard.passwords.hash(newPassword)
      await transact(request.caller.sql, async (tx) => {
        const verifiedHash = person.passwordHash
        const change = { userId, verifiedHash, newHash, keep: sessionId, at: timeIn(0) }
        if (!(await sessions.changePassword(tx, change))) {
          throw conflict('The password was changed meanwhile')
        }
        const subject = { kind: 'user', id: userId }
        await audit(tx, request, now, { action: 'password.changed', subject })
      })
      return { success: true as const }
    },
  )
}

/** Notes in the organization of a session that it was opened. */
const noteLogin = (
  tx: Transaction,
  { id: requestId }: FastifyRequest,
  session: { organizationId: Uuid; userId: Uuid; id: Uuid; at: string },
) =>
  auditEvents.record(tx, {
    organizationId: session.organizationId,
    actor: { kind: 'user', id: session.userId },
    action: 'login.succeeded',
    subject: { kind: 'session', id: session.id },
    requestId,
    at: session.at,
  })

async function emailOf(
  { organizationId, sql }: { organizationId: Uuid; sql: Deps['sql'] },
  userId: Uuid,
): Promise<string> {
  const member = await members.find(sql, organizationId, userId)
  if (!member) throw notAMember()
  return member.email
}

/** The same whether the address is known or not. */
const wrongLogin = () =>
  new AppError('UNAUTHORIZED', 'The address or the password is wrong', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** No 401: the session is good, and a client would log the person out. */
const wrongPassword = () =>
  badRequest(
    'currentPassword is not your password',
    [{ path: 'currentPassword', message: 'is not your password' }],
    'wrong_password',
  )

/** The same for an organization that does not exist. */
const notAMember = () =>
  forbidden('You are not a member of this organization', { reason: 'not_a_member' })
