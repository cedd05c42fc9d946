import type { FastifyRequest } from 'fastify'
import { isKeyScope, isPersonal, type Role, type Scope } from '../src/domain/access/access.ts'
import type { AppError } from '../src/domain/errors.ts'
import type { Uuid } from '../src/runtime/ids.ts'
import type { Sql } from '../src/store/db/sql.ts'
import { HttpError } from './http/http-error.ts'

type KeyActor = { kind: 'key'; keyId: Uuid }
export interface SessionActor {
  kind: 'session'
  sessionId: Uuid
  userId: Uuid
  role: Role
  expiresAt: string
}

export interface Caller {
  readonly organizationId: Uuid
  readonly sql: Sql
  readonly actor: KeyActor | SessionActor
  readonly scopes: readonly string[]
}

/** Property of a request that holds its caller. A WeakMap would slow every garbage collection. */
export const CALLER = Symbol('caller')

declare module 'fastify' {
  interface FastifyRequest {
    readonly caller: Caller
    [CALLER]: Caller | undefined
  }
}

/** Returns the caller of a request. Undefined: not known yet, or the credentials were refused. */
export const callerOf = (request: FastifyRequest): Caller | undefined => request[CALLER]

export function personOf({ actor }: Caller): SessionActor {
  if (actor.kind === 'session') return actor
  throw new Error('this route lets keys in: its scope is not personal')
}

export function insufficient({ kind }: Caller['actor'], requiredScope: Scope): AppError {
  if (kind === 'key' && isPersonal(requiredScope)) {
    return new HttpError('FORBIDDEN', 'Only signed-in people can do this, not API keys', {
      reason: 'session_required',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    })
  }
  const scope = kind === 'key' && !isKeyScope(requiredScope) ? 'full' : requiredScope
  const message =
    kind === 'key' ? `This key lacks the scope "${scope}"` : `Your role lacks "${scope}"`
  return new HttpError('FORBIDDEN', message, {
    reason: 'insufficient_scope',
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  })
}
