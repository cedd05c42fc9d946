import { refusalOf } from '../../domain/access/ownership.ts'
import type { AppError } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * Returns the refusal for a resource that this organization does not have: a 403 if another one has
 * it, else a 404. Called on a miss only. The kind is the name in the table's migration
 * (`make_resource`).
 */
export const missing = async (
  sql: Executor,
  kind: string,
  organizationId: Uuid,
  id: string,
): Promise<AppError> => refusalOf(kind, await isElsewhere(sql, kind, organizationId, id))
