import { refusalOf } from '../../domain/access/ownership.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * Throws a 403 if another organization has the resource that a body names. Called if this one does
 * not have it. The caller refuses the field if this returns.
 */
export async function refuseForeign(
  sql: Executor,
  kind: 'connection' | 'contact' | 'segment' | 'template' | 'topic',
  organizationId: Uuid,
  id: string,
): Promise<void> {
  if (await isElsewhere(sql, kind, organizationId, id)) throw refusalOf(kind, true)
}
