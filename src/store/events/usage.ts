import { type EventUsage, GRACE_DIVISOR } from '../../domain/events/event-quota.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as plans from '../access/plans.ts'
import type { Executor, Transaction } from '../db/sql.ts'

interface UsageQuestion {
  organizationId: Uuid
  /** First day, UTC. */
  month: string
  count: number
}

export interface CountedUsage {
  count: number
  limit: number | null
  /** Usage afterwards. Null: nothing was counted. */
  current: number | null
}

/**
 * Counts events as used, unless that would exceed 125 % of the plan's limit, or `hindered` (a
 * condition in the same statement) holds. Exact however many count at once: the row is locked until
 * the transaction ends, so call it last.
 */
export async function record(
  tx: Transaction,
  { organizationId, month, count }: UsageQuestion,
  hindered = tx`false`,
): Promise<CountedUsage & { isHindered: boolean }> {
  const [row] = await tx<(Omit<CountedUsage, 'count'> & { isHindered: boolean })[]>`
    with plan as materialized (
      select events_per_month as most,
        events_per_month + events_per_month / ${GRACE_DIVISOR}::integer as hard,
        ${hindered} as is_hindered
      from (${plans.figures(tx, organizationId)}) figures
    ), counted as (
      insert into event_usage (organization_id, month, events)
      select ${organizationId}, ${month}::date, ${count}::bigint
      from plan
      where not is_hindered and (hard is null or ${count}::bigint <= hard)
      on conflict (organization_id, month) do update
      set events = event_usage.events + excluded.events
      where (select hard is null or event_usage.events + excluded.events <= hard from plan)
      returning events
    )
    select most as "limit", events as current, is_hindered
    from plan
    left join counted on true`
  if (!row) throw new Error('an organization has no plan')
  return { ...row, count }
}

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

export async function count(sql: Executor, organizationId: Uuid, month: string): Promise<number> {
  const [row] = await sql<{ events: number }[]>`
    select events
    from event_usage
    where organization_id = ${organizationId} and month = ${month}::date`
  return row?.events ?? 0
}
