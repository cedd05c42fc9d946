import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  allows,
  isKeyScope,
  isPersonal,
  type Role,
  SCOPES_OF_ROLE,
  type Scope,
} from '../src/domain/access.ts'
import { AppError, forbidden } from '../src/domain/errors.ts'
import { SESSION_IDLE_MS } from '../src/domain/login.ts'
import type { Uuid } from '../src/ids.ts'
import * as apiKeys from '../src/store/api-keys.ts'
import * as sessions from '../src/store/sessions.ts'
import { type Executor, type Sql, within } from '../src/store/sql.ts'
import { apiKeyHash, sessionTokenHash } from '../src/tokens.ts'
import type { Deps } from './deps.ts'
import { rateLimits } from './rate-limit.ts'
import { remembering } from './remembering.ts'
import { configOf } from './route-config.ts'

type KeyActor = { kind: 'key'; keyId: Uuid }
export type SessionActor = { kind: 'session'; sessionId: Uuid; userId: Uuid; role: Role }

/** Who asks. Everything a route reads or writes belongs to `organizationId`. */
export interface Caller {
  readonly organizationId: Uuid
  /** Sees and writes this organization's rows only. */
  readonly sql: Sql
  readonly actor: KeyActor | SessionActor
  readonly scopes: readonly string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the caller must hold, or several of which one is enough: see src/domain/access.ts. */
    scope?: Scope | readonly [Scope, ...Scope[]]
    /** Needs no credentials. */
    public?: boolean
  }
  interface FastifyRequest {
    /** Only on routes with a scope. */
    readonly caller: Caller
    [CALLER]: Caller | undefined
  }
}

const MOST_TOUCHED = 10_000
const MINUTE_MS = 60_000

/** What a token was good for when storage was asked. */
interface Credential {
  id: Uuid
  caller: Caller
  isOver: (now: number) => boolean
  /** Notes that it was used, to the minute. */
  touch: (sql: Executor, at: string) => PromiseLike<unknown>
}

/** Its place on the request: a WeakMap would cost every garbage collection. */
const CALLER = Symbol('caller')

/** Asks every route who may call it, and every caller who they are. */
export function authenticate(app: FastifyInstance, deps: Deps): void {
  const { sql, now } = deps
  const limits = rateLimits(deps)
  const find = remembering((token) => credential(sql, token))
  const touched = new Map<Uuid, number>()

  app.decorateRequest(CALLER, undefined)
  app.decorateRequest('caller', {
    getter() {
      const caller = this[CALLER]
      if (!caller) throw new Error('this route has no caller: it declares no scope')
      return caller
    },
  })

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.public !== true && config?.scope === undefined) {
      throw new Error(`${String(method)} ${url} declares neither a scope nor that it is public`)
    }
  })

  // Nearly always everything is known, and then nothing waits: promises were a tenth of the work of
  // a request.
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = admit(request, reply)
    if (admitted === undefined) done()
    else admitted.then(() => done(), done)
  })

  function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    if (configOf(request).public === true) return limits.takePublic(request, reply)
    const found = find(bearer(request.headers.authorization) ?? '')
    return found instanceof Promise
      ? found.then((each) => enter(request, reply, each))
      : enter(request, reply, found)
  }

  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: Credential | undefined,
  ): Promise<void> | undefined {
    if (!credential || credential.isOver(now())) {
      return limits.refuseCredentials(request, reply, unauthorized())
    }
    const { caller } = credential
    request[CALLER] = caller
    noteUse(credential)
    const taken = limits.takeOrganization(caller, reply)
    if (taken) return taken.then(() => requireScope(request, caller))
    requireScope(request, caller)
    return undefined
  }

  /** Once a minute and process; the request does not wait for it. */
  function noteUse({ id, caller, touch }: Credential): void {
    const minute = Math.floor(now() / MINUTE_MS)
    if (touched.get(id) === minute) return
    if (touched.size >= MOST_TOUCHED) touched.clear()
    touched.set(id, minute)
    touch(caller.sql, new Date(minute * MINUTE_MS).toISOString()).then(
      undefined,
      (error: unknown) => {
        app.log.warn({ err: error }, 'could not note the use of credentials')
      },
    )
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

/** Undefined at once, without asking storage, of what is no token of ours. */
function credential(sql: Sql, token: string): Promise<Credential | undefined> | undefined {
  const key = apiKeyHash(token)
  if (key) return keyCredential(sql, key)
  const session = sessionTokenHash(token)
  return session && sessionCredential(sql, session)
}

async function keyCredential(sql: Sql, hash: Buffer): Promise<Credential | undefined> {
  const key = await apiKeys.findLive(sql, hash)
  if (!key) return undefined
  const { id, organizationId, scopes, expiresAt } = key
  return {
    id,
    caller: {
      organizationId,
      sql: within(sql, organizationId),
      actor: { kind: 'key', keyId: id },
      scopes,
    },
    isOver: (now) => expiresAt !== null && Date.parse(expiresAt) <= now,
    touch: (tenant) => apiKeys.touch(tenant, key),
  }
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
      actor: { kind: 'session', sessionId: id, userId, role },
      scopes: SCOPES_OF_ROLE[role],
    },
    isOver: (now) =>
      Date.parse(expiresAt) <= now || Date.parse(lastSeenAt) + SESSION_IDLE_MS <= now,
    touch: (tenant, at) => sessions.touch(tenant, session, at),
  }
}

/** Who asks; undefined as long as nobody knows, also where credentials are refused. */
export const callerOf = (request: FastifyRequest): Caller | undefined => request[CALLER]

/** Of a route that only signed-in people reach. */
export function personOf({ actor }: Caller): SessionActor {
  if (actor.kind === 'session') return actor
  throw new Error('this route lets keys in: its scope is not personal')
}

const BEARER = /^Bearer +([^\s]+) *$/i

const bearer = (header: string | undefined): string | undefined => BEARER.exec(header ?? '')?.[1]

/** One answer for every reason: it must not tell which keys and sessions exist. */
const unauthorized = () =>
  new AppError('UNAUTHORIZED', 'Credentials are missing or not valid', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** Says which scope would do, of those that this kind of credentials can have. */
export function insufficient({ kind }: Caller['actor'], wanted: Scope): AppError {
  if (kind === 'key' && isPersonal(wanted)) {
    return forbidden('Only a signed-in person may do this, no key', {
      reason: 'session_required',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    })
  }
  const scope = kind === 'key' && !isKeyScope(wanted) ? 'full' : wanted
  const message =
    kind === 'key' ? `This key lacks the scope "${scope}"` : `Your role lacks "${scope}"`
  return forbidden(message, {
    reason: 'insufficient_scope',
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}
