import type { Limit, Plan } from '../../domain/access/plan.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Returns the effective limits of the organization. Undefined: it does not exist. */
export async function find(sql: Executor, organizationId: Uuid): Promise<Plan | undefined> {
  const [plan] = await sql<Plan[]>`${figures(sql, organizationId)}`
  return plan
}

export const figures = (sql: Executor, organizationId: Uuid) => sql`
  select p.name,
    coalesce(o.requests_per_minute, p.requests_per_minute) as requests_per_minute,
    coalesce(o.requests_per_day, p.requests_per_day) as requests_per_day,
    coalesce(o.events_per_month, p.events_per_month) as events_per_month,
    coalesce(o.connections, p.connections) as connections,
    coalesce(o.workflows, p.workflows) as workflows,
    coalesce(o.segments, p.segments) as segments,
    coalesce(o.stored_bytes, p.stored_bytes) as stored_bytes,
    coalesce(o.retention_days, p.retention_days) as retention_days
  from organizations
  join plans p on p.name = organizations.plan
  left join plan_overrides o on o.organization_id = organizations.id
  where organizations.id = ${organizationId}`

type OwnLimits = Record<Limit, number | null>

export async function findOwn(sql: Executor, organizationId: Uuid): Promise<OwnLimits | undefined> {
  const [own] = await sql<OwnLimits[]>`
    select o.requests_per_minute, o.requests_per_day, o.events_per_month, o.connections, o.workflows,
      o.stored_bytes
    from organizations
    left join plan_overrides o on o.organization_id = organizations.id
    where organizations.id = ${organizationId}`
  return own
}

/** Replaces all own limits. Only operators may: the API's role cannot write them. */
export const setOwn = (sql: Executor, organizationId: Uuid, own: OwnLimits) => sql`
  insert into plan_overrides (organization_id, requests_per_minute, requests_per_day,
    events_per_month, connections, workflows, stored_bytes)
  values (${organizationId}, ${own.requestsPerMinute}, ${own.requestsPerDay},
    ${own.eventsPerMonth}, ${own.connections}, ${own.workflows}, ${own.storedBytes})
  on conflict (organization_id) do update
  set requests_per_minute = excluded.requests_per_minute,
    requests_per_day = excluded.requests_per_day,
    events_per_month = excluded.events_per_month,
    connections = excluded.connections,
    workflows = excluded.workflows,
    stored_bytes = excluded.stored_bytes`

export async function findLongestRetention(sql: Executor): Promise<number> {
  const [longest] = await sql<{ days: number }[]>`
    select greatest((select max(retention_days) from plans),
      (select max(retention_days) from plan_overrides)) as days`
  if (!longest) throw new Error('there are no plans')
  return longest.days
}

export const list = (sql: Executor) => sql<Plan[]>`
  select name, requests_per_minute, requests_per_day, events_per_month, connections, workflows,
    segments, stored_bytes, retention_days
  from plans
  order by rank`
