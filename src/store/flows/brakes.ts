import { bucketStart, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface CountedStarts {
  contactId: Uuid
  isBraked: boolean
  /** Starts in the last hour of the day (UTC), and in the whole day. */
  lastHour: number
  today: number
}

const DAY_MS = 86_400_000

const today = (sql: Executor) =>
  sql`(date_trunc('day', statement_timestamp() at time zone 'UTC') at time zone 'UTC')`

/**
 * Counts starts of contacts that entered a flow often, or that are to enter it several times at
 * once. `times`: how often each is to enter it now.
 */
export const listCounted = (
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  times: ReadonlyMap<Uuid, number>,
  manyEntries: number,
) => tx<CountedStarts[]>`
  select e.contact_id, coalesce(e.braked_until > statement_timestamp(), false) as is_braked,
    counted.last_hour, counted.today
  from unnest(${[...times.keys()]}::uuid[], ${[...times.values()]}::integer[])
    as given (contact_id, times)
  join flow_entries e on e.organization_id = ${organizationId} and e.flow_id = ${flowId}
    and e.contact_id = given.contact_id and (e.entries >= ${manyEntries} or given.times > 1)
  cross join lateral (
    select count(*)::integer as today,
      count(*) filter (where x.created_at > statement_timestamp() - interval '1 hour')::integer
        as last_hour
    from executions x
    where x.organization_id = ${organizationId} and x.contact_id = e.contact_id
      and x.id >= ${bucketStart(Date.now() - 2 * DAY_MS)} and x.flow_id = ${flowId}
      and x.created_at >= ${today(tx)} and x.reason is distinct from 'dropped'
  ) counted`

/**
 * Stops starts of contacts until the day is over. Returns the name of the flow, and the end of the
 * day.
 */
export async function stop(
  tx: Transaction,
  organizationId: Uuid,
  flowId: Uuid,
  contactIds: readonly Uuid[],
): Promise<{ name: string; until: string; now: string }> {
  await tx`
    update flow_entries
    set braked_until = ${today(tx)} + interval '1 day'
    where organization_id = ${organizationId} and flow_id = ${flowId}
      and contact_id = any(${[...contactIds]}::uuid[])`
  const [flow] = await tx<{ name: string; until: string; now: string }[]>`
    select name, (${today(tx)} + interval '1 day')::timestamptz(3) as until,
      statement_timestamp()::timestamptz(3) as now
    from flows
    where organization_id = ${organizationId} and id = ${flowId}`
  if (!flow) throw new Error('a flow that starts is gone')
  return flow
}
