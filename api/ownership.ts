import { type AppError, forbidden, notFound } from '../src/domain/errors.ts'
import { isUuid, type Uuid } from '../src/ids.ts'
import { type Owned, ownerOf } from '../src/store/organizations.ts'
import type { Executor } from '../src/store/sql.ts'

const NAMES: Record<Owned, string> = {
  api_key: 'API key',
  batch: 'Batch',
  connection: 'Connection',
  contact: 'Contact',
  erasure: 'Erasure',
  execution: 'Execution',
  flow: 'Workflow',
  import: 'Import',
  template: 'Template',
  topic: 'Topic',
}

/**
 * The refusal for a resource that this organization does not have: 403 when another one has it, 404
 * when nobody has. Asked on a miss only.
 */
export async function missing(
  sql: Executor,
  kind: Owned,
  organizationId: Uuid,
  id: string,
): Promise<AppError> {
  const owner = isUuid(id) ? await ownerOf(sql, kind, id) : undefined
  if (owner === undefined || owner === organizationId) return notFound(NAMES[kind])
  return forbidden(`This ${NAMES[kind].toLowerCase()} belongs to another organization`)
}
