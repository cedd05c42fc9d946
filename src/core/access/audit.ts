import type { Uuid } from '../../runtime/ids.ts'
import * as auditEvents from '../../store/access/audit-events.ts'
import type { Executor } from '../../store/db/sql.ts'

export interface Actor {
  /** `unknown`: a person who only proved that they received an email. */
  identity: { kind: 'key' | 'user'; id: Uuid } | { kind: 'operator' | 'unknown' }
  /** Absent at the operator's command line. */
  requestId?: string | undefined
  now: number
}

export interface AuditedChange {
  /** `noun.participle`, as in `api_key.created`. */
  action: string
  subject: { kind: string; id: string }
  /** A few words without secrets and addresses. */
  detail?: Record<string, unknown> | undefined
}

export const operator = (): Actor => ({ identity: { kind: 'operator' }, now: Date.now() })

export const timeOf = ({ now }: Actor): string => new Date(now).toISOString()

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
