import type { Uuid } from '../../ids.ts'
import * as secrets from '../../store/accounts/connection-secrets.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Transaction } from '../../store/db/sql.ts'

/**
 * Stops everything that goes through the account and keeps its record. False: no such connection.
 * Its secrets are deleted in a statement of their own: it sees what was committed while the first
 * one waited for a rotation.
 */
export async function disconnect(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean> {
  const { count } = await connections.markDisconnected(tx, organizationId, id)
  if (count > 0) await secrets.forget(tx, organizationId, id)
  return count > 0
}
