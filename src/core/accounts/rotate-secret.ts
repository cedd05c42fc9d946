import type { Uuid } from '../../runtime/ids.ts'
import * as secrets from '../../store/accounts/connection-secrets.ts'
import type { Transaction } from '../../store/db/sql.ts'

interface Rotation {
  organizationId: Uuid
  connectionId: Uuid
  /** SHA-256 of the new secret. */
  hash: Buffer
  most: number
}

/**
 * Makes `hash` the current secret of a webhook. Earlier secrets stay valid for 24 hours after the
 * rotation that replaced them. Returns false and changes nothing if the limit of valid secrets is
 * reached. The caller holds the connection's row.
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
