import { type EventUsage, hardLimit } from '../domain/event-quota.ts'
import type { Uuid } from '../ids.ts'
import * as plans from './plans.ts'
import type { Executor, Transaction } from './sql.ts'

interface Wanted {
  organizationId: Uuid
  /** First day, UTC. */
  month: string
  count: number
  limit: number | null
}

/**
 * Counts events as used; answers the usage afterwards, undefined when it would pass 125 % of the
 * limit. Exact however many count at once: the row is locked until the transaction ends, so ask
 * for it last.
 */
export async function take(
  tx: Transaction,
  { organizationId, month, count, limit }: Wanted,
): Promise<EventUsage | undefined> {
  const most = limit === null ? null : hardLimit(limit)
  const [row] = await tx<{ current: number }[]>`
    insert into event_usage (organization_id, month, events)
    select ${organizationId}, ${month}::date, ${count}::bigint
    where ${most}::bigint is null or ${count}::bigint <= ${most}::bigint
    on conflict (organization_id, month) do update
    set events = event_usage.events + excluded.events
    where ${most}::bigint is null or event_usage.events + excluded.events <= ${most}::bigint
    returning events as current`
  return row && { limit, current: row.current }
}

/** How much of a month's events is used, by the plan as it is now. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  month: string,
): Promise<EventUsage | undefined> {
  const plan = await plans.find(sql, organizationId)
  if (!plan) return undefined
  const current = await count(sql, organizationId, month)
  return { limit: plan.eventsPerMonth, current }
}

/** Events accepted in a month. */
export async function count(sql: Executor, organizationId: Uuid, month: string): Promise<number> {
  const [row] = await sql<{ events: number }[]>`
    select events
    from event_usage
    where organization_id = ${organizationId} and month = ${month}::date`
  return row?.events ?? 0
}
