import { refusalOf } from '../../domain/access/ownership.ts'
import type { AppError } from '../../domain/errors.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { isElsewhere } from '../../store/access/organizations.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * The refusal for a resource that this organization does not have: 403 when another one has it, 404
 * when nobody has. Asked on a miss only. The kind is what the migration of its table calls it
 * (`make_resource`).
 */
export const missing = async (
  sql: Executor,
  kind: string,
  organizationId: Uuid,
  id: string,
): Promise<AppError> => refusalOf(kind, await isElsewhere(sql, kind, organizationId, id))
