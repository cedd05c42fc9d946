import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { changePassword, endSession } from '../../../src/core/access/sessions.ts'
import { badRequest } from '../../../src/domain/errors.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import { Success } from '../../../src/schemas/common.ts'
import {
  Login,
  LoginInput,
  PasswordInput,
  SwitchedSession,
  SwitchInput,
} from '../../../src/schemas/access/session.ts'
import * as members from '../../../src/store/access/members.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { personalActorOf } from '../audit.ts'
import { personOf } from '../../caller.ts'
import type { Deps } from '../../deps.ts'
import { failures } from '../../http/failures.ts'
import { keepPrivate } from '../../http/html-pages.ts'
import type { LoginGuard } from '../login.ts'
import { notAMember, signIn, switchTo } from '../sign-in.ts'

const tags = ['auth']
const config = { scope: 'session' } as const

export const authRoutes: FastifyPluginAsyncTypebox<Deps & { guard: LoginGuard }> = async (
  app,
  deps,
) => {
  const { now, guard } = deps

  app.post(
    '/auth/login',
    {
      // The route has its own limit.
      onRequest: guard.countTry,
      config: { public: true, unlimited: true },
      schema: {
        tags,
        operationId: 'logIn',
        summary: 'Log in',
        description:
          'Returns a session for an email address and its password. A wrong address, a wrong password and a person without a password get the same response after the same time. An IP address has five attempts for one account and twenty for all accounts in 15 minutes. After failed attempts, responses for an account get slower, but the account is never locked.',
        body: LoginInput,
        response: { 200: Login, ...failures(401, 403) },
      },
    },
    async (request, reply) => {
      const session = await signIn(deps, request, reply, request.body)
      keepPrivate(reply)
      return session
    },
  )

  app.post(
    '/auth/logout',
    {
      config: { ...config, endsCredentials: true },
      schema: {
        tags,
        operationId: 'logOut',
        summary: 'Log out',
        description: 'Ends this session. Its token stops working everywhere within a second.',
        response: { 200: Success },
      },
    },
    async (request) => {
      const { organizationId, sql: tenant } = request.caller
      const { sessionId } = personOf(request.caller)
      const actor = personalActorOf(request, now)
      await transact(tenant, (tx) => endSession(tx, organizationId, sessionId, actor))
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
        summary: 'Switch to another organization',
        description:
          'Returns a session for another organization of yours and ends this one. The new session expires when the old one would have expired.',
        body: SwitchInput,
        response: { 200: SwitchedSession, ...failures(409) },
      },
    },
    async (request, reply) => {
      const session = await switchTo(deps, request, request.body)
      keepPrivate(reply)
      return session
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
        summary: 'Change your password',
        description:
          'All your other sessions end, in every organization. Wrong passwords count as failed login attempts.',
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
      const { organizationId, sql: tenant } = request.caller
      const change = { verifiedHash: person.passwordHash, newHash, keep: sessionId }
      const actor = personalActorOf(request, now)
      await transact(tenant, (tx) => changePassword(tx, organizationId, change, actor))
      return { success: true as const }
    },
  )
}

async function emailOf(
  { organizationId, sql }: { organizationId: Uuid; sql: Deps['sql'] },
  userId: Uuid,
): Promise<string> {
  const member = await members.find(sql, organizationId, userId)
  if (!member) throw notAMember()
  return member.email
}

/** No 401: the session is good, and a client would log the person out. */
const wrongPassword = () =>
  badRequest(
    'currentPassword is not your password',
    [{ path: 'currentPassword', message: 'is not your password' }],
    'wrong_password',
  )
