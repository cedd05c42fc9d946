import type { FastifyRequest } from 'fastify'
import { type Actor, type AuditedChange, recordAudit } from '../../src/core/access/audit.ts'
import type { PersonalActor } from '../../src/core/access/sessions.ts'
import type { Executor } from '../../src/store/db/sql.ts'
import { personOf } from '../caller.ts'
import type { Deps } from '../deps.ts'

export function actorOf({ caller: { actor }, id: requestId }: FastifyRequest, now: Deps['now']) {
  const identity =
    actor.kind === 'key'
      ? ({ kind: 'key', id: actor.keyId } as const)
      : ({ kind: 'user', id: actor.userId } as const)
  return { identity, requestId, now: now() } satisfies Actor
}

export const personalActorOf = (
  { caller, id }: FastifyRequest,
  now: Deps['now'],
): PersonalActor => ({
  identity: { kind: 'user', id: personOf(caller).userId },
  requestId: id,
  now: now(),
})

export const audit = (
  tx: Executor,
  request: FastifyRequest,
  now: Deps['now'],
  change: AuditedChange,
): Promise<void> => recordAudit(tx, request.caller.organizationId, actorOf(request, now), change)
