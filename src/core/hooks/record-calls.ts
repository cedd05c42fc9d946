import {
  type DisablingReason,
  disablingReason,
  type EndedCalls,
  healthAfter,
} from '../../domain/hooks/endpoint-health.ts'
import { TELL_AFTER_MS } from '../../domain/hooks/hook-retries.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as notices from '../../store/accounts/notices.ts'
import { type Sql, type Transaction, transact } from '../../store/db/sql.ts'
import * as hookQueue from '../../store/hooks/hook-queue.ts'
import { endOutage } from './end-outage.ts'

/**
 * Stores the results of calls and their effects on endpoints: a gate that closes or opens, an
 * endpoint that is disabled, and the notices to its owners. A gate that opens makes everything due
 * that could not be delivered while it was closed.
 */
export const recordCalls = (sql: Sql, results: readonly hookQueue.CallResult[]): Promise<void> =>
  transact(sql, async (tx) => {
    await hookQueue.recordResults(tx, results)
    const callsByEndpoint = countCalls(results)
    if (callsByEndpoint.size === 0) return
    const keys = [...callsByEndpoint].map(([id, { organizationId }]) => ({ organizationId, id }))
    const changed: hookQueue.ChangedHealth[] = []
    for (const stored of await hookQueue.lockHealth(tx, keys)) {
      const calls = callsByEndpoint.get(stored.id)
      if (!calls) continue
      const after = { ...stored, ...healthAfter(stored, calls, stored.nowMs) }
      const disabledFor = stored.isEnabled
        ? (disablingReason(after, calls, stored.nowMs) ?? null)
        : null
      const { succeeded, failed } = calls
      const { organizationId, id, failingSinceMs, gateStep } = stored
      const isBack = succeeded > 0 && gateStep > 0
      if (isBack && failingSinceMs !== null) await endOutage(tx, organizationId, id, failingSinceMs)
      changed.push({ ...after, succeeded, failed, disabledFor })
      await tell(tx, after, disabledFor)
    }
    if (changed.length > 0) await hookQueue.writeHealth(tx, changed)
  })

type Calls = EndedCalls & { organizationId: Uuid }

/** Sums the calls of each endpoint. Failed test calls do not count. */
function countCalls(results: readonly hookQueue.CallResult[]): Map<Uuid, Calls> {
  const byEndpoint = new Map<Uuid, Calls>()
  for (const { organizationId, endpointId, state, isCall, isTest, ...answer } of results) {
    const hasSucceeded = state === 'delivered'
    if (!isCall || (isTest && !hasSucceeded)) continue
    const former = byEndpoint.get(endpointId)
    byEndpoint.set(endpointId, {
      organizationId,
      succeeded: (former?.succeeded ?? 0) + Number(hasSucceeded),
      failed: (former?.failed ?? 0) + Number(!hasSucceeded),
      isGone: (former?.isGone ?? false) || answer.isGone,
      retryAfterMs: Math.max(former?.retryAfterMs ?? 0, answer.retryAfterMs),
    })
  }
  return byEndpoint
}

/** Notifies the owners once when an endpoint has failed for a day, and when it is disabled. */
async function tell(
  tx: Transaction,
  endpoint: hookQueue.StoredHealth,
  disabledFor: DisablingReason | null,
): Promise<void> {
  const { organizationId, id, url, failingSinceMs, nowMs } = endpoint
  const at = new Date(nowMs).toISOString()
  const since = new Date(failingSinceMs ?? nowMs).toISOString()
  const about = { organizationId, subject: id, at }
  const host = new URL(url).host
  if (disabledFor !== null) {
    await notices.put(tx, {
      ...about,
      kind: 'webhook_disabled',
      period: at,
      data: { endpointId: id, host, reason: disabledFor, since },
    })
  } else if (failingSinceMs !== null && nowMs - failingSinceMs >= TELL_AFTER_MS) {
    await notices.put(tx, {
      ...about,
      kind: 'webhook_failing',
      period: since,
      data: { endpointId: id, host, since },
    })
  }
}
