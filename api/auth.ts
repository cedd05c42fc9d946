import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError, forbidden } from '../src/domain/errors.ts'
import type { Uuid } from '../src/ids.ts'
import * as apiKeys from '../src/store/api-keys.ts'
import { type Sql, within } from '../src/store/sql.ts'
import { apiKeyHash } from '../src/tokens.ts'
import type { Deps } from './deps.ts'

const SCOPES = ['read', 'contacts', 'events', 'send', 'full'] as const
type Scope = (typeof SCOPES)[number]

/** Who asks. Everything a route reads or writes belongs to `organizationId`. */
export interface Caller {
  organizationId: Uuid
  /** Sees and writes this organization's rows only. */
  sql: Sql
  actor: { kind: 'key'; keyId: Uuid }
  scopes: readonly string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that lets a key in, or several of which one is enough. `full` always is. */
    scope?: Scope | readonly [Scope, ...Scope[]]
    /** Needs no credentials. */
    public?: boolean
  }
  interface FastifyRequest {
    /** Only on routes with a scope. */
    readonly caller: Caller
  }
}

/** Revoking a key works within a second on every process, so nothing is remembered for longer. */
const REMEMBERED_MS = 900
const MOST_REMEMBERED = 10_000
const MINUTE_MS = 60_000

const callers = new WeakMap<FastifyRequest, Caller>()

/** Asks every route who may call it, and every caller who they are. */
export function authenticate(app: FastifyInstance, { sql, now }: Deps): void {
  const findKey = remembering((hash: Buffer) => apiKeys.findLive(sql, hash))
  const touched = new Map<Uuid, number>()

  app.decorateRequest('caller', {
    getter() {
      const caller = callers.get(this)
      if (!caller) throw new Error('this route has no caller: it declares no scope')
      return caller
    },
  })

  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.public !== true && config?.scope === undefined) {
      throw new Error(`${String(method)} ${url} declares neither a scope nor that it is public`)
    }
  })

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.public === true) return
    const hash = apiKeyHash(bearer(request.headers.authorization) ?? '')
    const key = hash && (await findKey(hash))
    if (!key || hasExpired(key.expiresAt, now())) throw unauthorized()
    callers.set(request, {
      organizationId: key.organizationId,
      sql: within(sql, key.organizationId),
      actor: { kind: 'key', keyId: key.id },
      scopes: key.scopes,
    })
    noteUse(key)
  })

  app.addHook('onRequest', async (request) => {
    const { public: isPublic, scope } = request.routeOptions.config
    if (isPublic === true) return
    const wanted = scope === undefined || typeof scope === 'string' ? [scope] : scope
    const { scopes } = request.caller
    if (scopes.includes('full')) return
    if (wanted.some((each) => each !== undefined && scopes.includes(each))) return
    throw insufficientScope(wanted[0] ?? 'full')
  })

  /** To the minute, once a minute and process; the request does not wait for it. */
  function noteUse(key: apiKeys.ApiKey): void {
    const minute = Math.floor(now() / MINUTE_MS)
    if (touched.get(key.id) === minute) return
    if (touched.size >= MOST_REMEMBERED) touched.clear()
    touched.set(key.id, minute)
    apiKeys.touch(within(sql, key.organizationId), key).catch((error: unknown) => {
      app.log.warn({ err: error }, 'could not note the use of a key')
    })
  }
}

const BEARER = /^Bearer +([^\s]+) *$/i

const bearer = (header: string | undefined): string | undefined => BEARER.exec(header ?? '')?.[1]

const hasExpired = (expiresAt: string | null, now: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now

/** One answer for every reason: it must not tell which keys exist. */
const unauthorized = () =>
  new AppError('UNAUTHORIZED', 'Credentials are missing or not valid', {
    headers: { 'www-authenticate': 'Bearer' },
  })

const insufficientScope = (scope: Scope) =>
  forbidden(`This key lacks the scope "${scope}"`, {
    reason: 'insufficient_scope',
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })

/**
 * Remembers what was found for less than a second, and lets those who ask meanwhile wait for the
 * same answer. What was not found is asked again: a new key works at once. By a clock that is never
 * set back: a revoked key must not live on because the time was corrected.
 */
function remembering<T>(find: (hash: Buffer) => Promise<T | undefined>) {
  const found = new Map<string, { at: number; answer: Promise<T | undefined> }>()
  return (hash: Buffer): Promise<T | undefined> => {
    const name = hash.toString('base64')
    const known = found.get(name)
    if (known && performance.now() - known.at < REMEMBERED_MS) return known.answer
    if (found.size >= MOST_REMEMBERED) found.clear()
    const answer = find(hash)
    found.set(name, { at: performance.now(), answer })
    const forget = () => {
      if (found.get(name)?.answer === answer) found.delete(name)
    }
    answer.then((value) => value === undefined && forget(), forget)
    return answer
  }
}
