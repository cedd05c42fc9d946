import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { endSession } from '../../../src/core/access/sessions.ts'
import { Success } from '../../../src/schemas/common.ts'
import {
  ConsoleLoginInput,
  CurrentSession,
  SwitchInput,
} from '../../../src/schemas/access/session.ts'
import { transact } from '../../../src/store/db/sql.ts'
import { personalActorOf } from '../../access/audit.ts'
import type { LoginGuard } from '../../access/login.ts'
import { describeNewSession, signIn, switchTo } from '../../access/sign-in.ts'
import { personOf } from '../../caller.ts'
import type { Deps } from '../../deps.ts'
import { NOBODY, requireConsoleCall } from '../../http/console-calls.ts'
import { setSession } from '../../http/session-cookie.ts'

const SET_COOKIE = 'set-cookie'
/** The routes serve the console alone, so the document leaves them out. */
const schema = { hide: true } as const
const config = { scope: 'session', endsCredentials: true } as const

/**
 * Signs people in and out of the console. The session is one of `/auth/login`; its token is in a
 * cookie that no script can read. The page asks `GET /auth/session` who is signed in: see
 * `consoleRewriter`.
 */
export const consoleSessionRoutes: FastifyPluginAsyncTypebox<Deps & { guard: LoginGuard }> = async (
  app,
  deps,
) => {
  const { now, guard, publicUrl } = deps
  if (!deps.console) return

  // An address that is spelled in another way than the rewrite knows leads here, too.
  app.addHook('onRequest', (request, _reply, done) => {
    requireConsoleCall(request)
    done()
  })

  app.get(NOBODY, { config: { public: true, unlimited: true }, schema }, (_request, reply) =>
    reply.code(204).send(),
  )

  app.post(
    '/console/session',
    {
      onRequest: guard.countTry,
      config: { public: true, unlimited: true },
      schema: { ...schema, body: ConsoleLoginInput, response: { 200: CurrentSession } },
    },
    async (request, reply) => {
      const { keep: isKept = false, ...input } = request.body
      const session = await signIn(deps, request, reply, input)
      const { token, expiresAt } = session
      reply.header(SET_COOKIE, setSession(publicUrl, { token, isKept, expiresAt }))
      return describeNewSession(session)
    },
  )

  app.delete(
    '/console/session',
    {
      config,
      schema: { ...schema, response: { 200: Success } },
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
    '/console/session/switch',
    { config, schema: { ...schema, body: SwitchInput, response: { 200: Success } } },
    async (request, reply) => {
      const { token, expiresAt } = await switchTo(deps, request, request.body)
      const isKept = requireConsoleCall(request).cookie?.isKept ?? false
      reply.header(SET_COOKIE, setSession(publicUrl, { token, isKept, expiresAt }))
      return { success: true as const }
    },
  )
}
