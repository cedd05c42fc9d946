import { CALL_TIMEOUT_MS, LEASE_MS } from '../../domain/hooks/hook-retries.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as hookQueue from '../../store/hooks/hook-queue.ts'

/** Longest time between the first failed call of an outage and its stored result. */
const FIRST_CALL_MS = 2 * CALL_TIMEOUT_MS

/** Makes everything due that could not be delivered since `failingSinceMs`. */
export const endOutage = async (
  tx: Transaction,
  organizationId: Uuid,
  endpointId: Uuid,
  failingSinceMs: number,
): Promise<void> => {
  const sinceMs = failingSinceMs - FIRST_CALL_MS
  await hookQueue.hastenAfterOutage(tx, { organizationId, endpointId, sinceMs, leaseMs: LEASE_MS })
}
