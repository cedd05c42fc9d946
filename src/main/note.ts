import type { Uuid } from '../ids.ts'
import * as auditEvents from '../store/access/audit-events.ts'
import type { Executor } from '../store/db/sql.ts'

/** Notes what the operator did to an organization, in the transaction that does it. */
export const note = (
  tx: Executor,
  organizationId: Uuid,
  action: string,
  subject: { kind: string; id: string },
  detail: Record<string, unknown> = {},
) =>
  auditEvents.record(tx, {
    organizationId,
    actor: { kind: 'operator' },
    action,
    subject,
    detail,
    at: new Date().toISOString(),
  })
