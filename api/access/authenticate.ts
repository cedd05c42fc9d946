import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../http/http-error.ts'
import { allows, SCOPES_OF_ROLE, type Scope } from '../../src/domain/access/access.ts'
import { SESSION_IDLE_MS } from '../../src/domain/access/login.ts'
import * as sessions from '../../src/store/access/sessions.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { apiKeyHash, sessionTokenHash } from '../../src/keys/tokens.ts'
import type { Deps } from '../deps.ts'
import { type Caller, CALLER, callerOf, insufficient } from '../caller.ts'
import { rateLimits } from '../limits/rate-limit.ts'
import { cachedCredential } from './cached-credential.ts'
import { type Credential, keyCredential, useNoter } from './credentials.ts'
import { requireOrganizationOfPage } from '../http/console-calls.ts'
import { configOf } from '../http/route-config.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The required scope, or several of which one suffices, see src/domain/access/access.ts. */
    scope?: Scope | readonly [Scope, ...Scope[]]
    public?: boolean
    /**
     * The route ends or changes credentials of the caller's organization or person, which this
     * process applies at once.
     */
    endsCredentials?: true
  }
}

export function authenticate(app: FastifyInstance, deps: Deps): void {
  const { sql, now } = deps
  const limits = rateLimits(deps)
  const credentials = cachedCredential((token) => credential(sql, token))
  const noteUse = useNoter(app.log, now)

  app.decorateRequest(CALLER, undefined)
  app.decorateRequest('caller', {
    getter() {
      const caller = this[CALLER]
      if (!caller) throw new Error('this route has no caller: it declares no scope')
      return caller
    },
  })

  app.addHook('onRoute', (route) => {
    const { method, url, config } = route
    if (config?.endsCredentials) route.onSend = [forgetCredentials, ...[route.onSend ?? []].flat()]
    if (config?.public !== true && config?.scope === undefined) {
      throw new Error(`${String(method)} ${url} declares neither a scope nor that it is public`)
    }
  })

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) return countUnknown(request, reply)
    if (configOf(request).public === true) return limits.takePublic(request, reply)
    const credential = await credentials.find(bearer(request.headers.authorization) ?? '')
    if (!credential || credential.isExpired(now())) {
      await limits.countGuess(request, reply)
      throw unauthorized()
    }
    request[CALLER] = credential.caller
    noteUse(credential)
    await limits.takeCaller(credential.caller, reply)
    requireOrganizationOfPage(request, credential.caller.organizationId)
    requireScope(request, credential.caller)
  })

  /**
   * An unknown path needs no credentials. Valid credentials count for their caller, others as a
   * guess, since the headers of the answer would reveal valid keys.
   */
  async function countUnknown(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authorization } = request.headers
    if (authorization === undefined) return
    const foundCredential = await credentials.find(bearer(authorization) ?? '')
    if (foundCredential && !foundCredential.isExpired(now()))
      await limits.takeCaller(foundCredential.caller, reply)
    else await limits.countGuess(request, reply)
  }

  /** Runs before the response is sent, so that the credentials have ended when it arrives. */
  function forgetCredentials(
    request: FastifyRequest,
    _reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void {
    const caller = callerOf(request)
    if (caller) credentials.forget((each) => isOfSame(each.caller, caller))
    done(null, payload)
  }
}

function requireScope(request: FastifyRequest, { actor, scopes }: Caller): void {
  const { scope = 'full' } = configOf(request)
  if (typeof scope === 'string') {
    if (!allows(scopes, scope)) throw insufficient(actor, scope)
    return
  }
  if (!scope.some((each) => allows(scopes, each))) throw insufficient(actor, scope[0])
}

const isOfSame = (one: Caller, other: Caller): boolean =>
  one.organizationId === other.organizationId ||
  (one.actor.kind === 'session' &&
    other.actor.kind === 'session' &&
    one.actor.userId === other.actor.userId)

/** Tokens of another form cause no query. */
async function credential(sql: Sql, token: string): Promise<Credential | undefined> {
  const key = apiKeyHash(token)
  if (key) return keyCredential(sql, key)
  const session = sessionTokenHash(token)
  return session && sessionCredential(sql, session)
}

async function sessionCredential(sql: Sql, hash: Buffer): Promise<Credential | undefined> {
  const session = await sessions.findLive(sql, hash)
  if (!session) return undefined
  const { id, organizationId, userId, role, lastSeenAt, expiresAt } = session
  return {
    id,
    caller: {
      organizationId,
      sql: within(sql, organizationId),
      actor: { kind: 'session', sessionId: id, userId, role, expiresAt },
      scopes: SCOPES_OF_ROLE[role],
    },
    isExpired: (now) =>
      Date.parse(expiresAt) <= now || Date.parse(lastSeenAt) + SESSION_IDLE_MS <= now,
    touch: (tenant, at) => sessions.touch(tenant, session, at),
  }
}

const BEARER = /^Bearer +([^\s]+) *$/i

const bearer = (header: string | undefined): string | undefined => BEARER.exec(header ?? '')?.[1]

/**
 * The error is the same for every reason, so that it does not reveal which keys and sessions exist.
 */
const unauthorized = () =>
  new HttpError('UNAUTHORIZED', 'Credentials are missing or invalid', {
    headers: { 'www-authenticate': 'Bearer' },
  })
