import {
  type EventThreshold,
  type EventUsage,
  monthOf,
  nextMonth,
  thresholdsPassed,
} from '../../domain/events/event-quota.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as notices from '../../store/accounts/notices.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as eventUsage from '../../store/events/usage.ts'

/**
 * Returns the usage of the month after events were counted. `isExceeded`: they would have passed
 * 125 % of the limit and were not counted. Owners are notified when usage passes 100 % and when it
 * reaches 125 %. `now` in milliseconds.
 */
export async function checkQuota(
  tx: Transaction,
  organizationId: Uuid,
  { limit, current }: eventUsage.CountedUsage,
  now: number,
): Promise<{ usage: EventUsage; isExceeded: boolean }> {
  if (current === null) {
    const used = await eventUsage.count(tx, organizationId, monthOf(now))
    return { usage: { limit, current: used }, isExceeded: true }
  }
  const usage = { limit, current }
  for (const threshold of thresholdsPassed(usage)) {
    await notifyOwners(tx, organizationId, { threshold, limit, now })
  }
  return { usage, isExceeded: false }
}

/** Notifies owners, once a month for each threshold. */
export async function notifyOwners(
  tx: Transaction,
  organizationId: Uuid,
  { threshold, limit, now }: { threshold: EventThreshold; limit: number | null; now: number },
): Promise<void> {
  if (limit === null) return
  await notices.put(tx, {
    kind: 'event_quota',
    data: { percent: threshold, limit, resetsAt: new Date(nextMonth(now)).toISOString() },
    organizationId,
    subject: threshold,
    period: monthOf(now).slice(0, 'YYYY-MM'.length),
    at: new Date(now).toISOString(),
  })
}
