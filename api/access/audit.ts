import type { FastifyRequest } from 'fastify'
import * as auditEvents from '../../src/store/access/audit-events.ts'
import type { Executor } from '../../src/store/db/sql.ts'
import type { Caller } from '../caller.ts'
import type { Deps } from '../deps.ts'

interface Noted {
  /** `noun.participle`. */
  action: string
  subject: { kind: string; id: string }
  /** A few words; no secrets, no addresses. */
  detail?: Record<string, unknown>
}

/** Notes who did what, in the transaction that does it. */
export async function audit(
  tx: Executor,
  { caller, id }: FastifyRequest,
  now: Deps['now'],
  noted: Noted,
): Promise<void> {
  const { organizationId, actor } = caller
  await auditEvents.record(tx, {
    organizationId,
    actor: noteActor(actor),
    requestId: id,
    at: new Date(now()).toISOString(),
    ...noted,
  })
}

const noteActor = (actor: Caller['actor']) =>
  actor.kind === 'key'
    ? ({ kind: 'key', id: actor.keyId } as const)
    : ({ kind: 'user', id: actor.userId } as const)
