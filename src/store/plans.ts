import type { Plan } from '../domain/plan.ts'
import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

/** The figures that hold for the organization; `undefined`: there is no such organization. */
export async function find(sql: Executor, organizationId: Uuid): Promise<Plan | undefined> {
  const [plan] = await sql<Plan[]>`
    select p.name,
      coalesce(o.requests_per_minute, p.requests_per_minute) as requests_per_minute,
      coalesce(o.requests_per_day, p.requests_per_day) as requests_per_day,
      coalesce(o.events_per_month, p.events_per_month) as events_per_month,
      coalesce(o.connections, p.connections) as connections,
      coalesce(o.workflows, p.workflows) as workflows,
      coalesce(o.segments, p.segments) as segments,
      coalesce(o.retention_days, p.retention_days) as retention_days
    from organizations
    join plans p on p.name = organizations.plan
    left join plan_overrides o on o.organization_id = organizations.id
    where organizations.id = ${organizationId}`
  return plan
}

/** All plans, the smallest first. */
export const list = (sql: Executor) => sql<Plan[]>`
  select name, requests_per_minute, requests_per_day, events_per_month, connections, workflows,
    segments, retention_days
  from plans
  order by rank`
