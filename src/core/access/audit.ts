import type { Uuid } from '../../runtime/ids.ts'
import * as auditEvents from '../../store/access/audit-events.ts'
import type { Executor } from '../../store/db/sql.ts'

/** The author of a change, as audit events name them. */
export interface Actor {
  /** `unknown`: a person who proved no more than that a mail reached them. */
  identity: { kind: 'key' | 'user'; id: Uuid } | { kind: 'operator' | 'unknown' }
  /** Absent at the operator's command line. */
  requestId?: string | undefined
  /** Time of the change, milliseconds since 1970. */
  now: number
}

export interface AuditedChange {
  /** `noun.participle`, as in `api_key.created`. */
  action: string
  subject: { kind: string; id: string }
  /** A few words; no secrets, no addresses. */
  detail?: Record<string, unknown> | undefined
}

/** Returns the operator of this installation, who acts now. */
export const operator = (): Actor => ({ identity: { kind: 'operator' }, now: Date.now() })

/** Returns the time of a change as ISO 8601. */
export const timeOf = ({ now }: Actor): string => new Date(now).toISOString()

/** Records a change and its author, in the transaction that makes it. */
export async function recordAudit(
  tx: Executor,
  organizationId: Uuid,
  actor: Actor,
  change: AuditedChange,
): Promise<void> {
  const { identity, requestId } = actor
  const at = timeOf(actor)
  await auditEvents.record(tx, { organizationId, actor: identity, requestId, at, ...change })
}
