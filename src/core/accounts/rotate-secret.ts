import type { Uuid } from '../../runtime/ids.ts'
import * as secrets from '../../store/accounts/connection-secrets.ts'
import type { Transaction } from '../../store/db/sql.ts'

interface Rotation {
  organizationId: Uuid
  connectionId: Uuid
  /** SHA-256 of the new secret. */
  hash: Buffer
  /** Secrets that may be valid at once. */
  most: number
}

/**
 * Makes `hash` the present secret of a webhook; those before it stay valid for 24 hours from the
 * rotation that replaced them. False, and nothing changes: as many as may be are valid already. The
 * caller holds the connection's row.
 */
export async function rotateSecret(
  tx: Transaction,
  { organizationId, connectionId, hash, most }: Rotation,
): Promise<boolean> {
  await secrets.deleteExpired(tx, organizationId, connectionId)
  if ((await secrets.count(tx, organizationId, connectionId)) >= most) return false
  await secrets.expirePresent(tx, organizationId, connectionId)
  await secrets.insert(tx, organizationId, connectionId, hash)
  return true
}
