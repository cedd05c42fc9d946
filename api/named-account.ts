import { isUuid, type Uuid } from '../src/ids.ts'
import * as connections from '../src/store/connections.ts'
import type { Executor } from '../src/store/sql.ts'

/** The account that is named, or the only one there is. Undefined: there is none, or several. */
export async function nameAccount(
  sql: Executor,
  organizationId: Uuid,
  id: string | undefined,
): Promise<connections.Sender | undefined> {
  if (id !== undefined) {
    return isUuid(id) ? connections.findSender(sql, organizationId, id) : undefined
  }
  const [only, other] = await connections.listSenders(sql, organizationId)
  return other ? undefined : only
}
