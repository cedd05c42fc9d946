import type { Uuid } from '../../runtime/ids.ts'
import * as secrets from '../../store/accounts/connection-secrets.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Transaction } from '../../store/db/sql.ts'

/**
 * Stops all use of the account and keeps its record. Returns false if it was disconnected before.
 * Undefined: no such connection. Its secrets are deleted in a separate statement, which sees what
 * was committed while the first one waited for a rotation.
 */
export async function disconnect(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean | undefined> {
  const isNew = await connections.markDisconnected(tx, organizationId, id)
  if (isNew !== undefined) await secrets.forget(tx, organizationId, id)
  return isNew
}
