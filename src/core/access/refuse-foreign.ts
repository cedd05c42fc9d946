import { refusalOf } from '../../domain/access/ownership.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * Throws a 403 when another organization has what a body names. Called when this one has not; the
 * caller refuses the field where it returns.
 */
export async function refuseForeign(
  sql: Executor,
  kind: 'connection' | 'contact' | 'segment' | 'template' | 'topic',
  organizationId: Uuid,
  id: string,
): Promise<void> {
  if (await isElsewhere(sql, kind, organizationId, id)) throw refusalOf(kind, true)
}
