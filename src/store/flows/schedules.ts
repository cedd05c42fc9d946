import type { Settings, Trigger } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../ids.ts'
import type { Executor } from '../db/sql.ts'

type ScheduleTrigger = Extract<Trigger, { type: 'schedule' }>

/** A flow that is to run by the clock. */
export interface ScheduledFlow {
  organizationId: Uuid
  flowId: Uuid
  version: number
  trigger: ScheduleTrigger
  settings: Settings
}

const columns = (sql: Executor) => sql`
  f.organization_id, f.id as flow_id, f.version, v.definition -> 'trigger' as trigger,
  v.definition -> 'settings' as settings`

/** Of the newest version: that is what starts. */
const scheduled = (sql: Executor) => sql`
  flows f
  join flow_versions v
    on v.organization_id = f.organization_id and v.flow_id = f.id and v.version = f.version`

/** A flow that is to have a schedule; undefined: it is to have none, or there is no such flow. */
export async function find(sql: Executor, flowId: Uuid): Promise<ScheduledFlow | undefined> {
  const [row] = await sql<ScheduledFlow[]>`
    select ${columns(sql)}
    from ${scheduled(sql)}
    where f.id = ${flowId} and f.trigger_type = 'schedule' and f.enabled and f.deleted_at is null`
  return row
}

/** A page of all flows of all organizations that are to have a schedule, by id. */
export const list = (sql: Executor, after: Uuid | null, limit: number) => sql<ScheduledFlow[]>`
  select ${columns(sql)}
  from ${scheduled(sql)}
  where f.trigger_type = 'schedule' and f.enabled and f.deleted_at is null
    and (${after}::uuid is null or f.id > ${after})
  order by f.id
  limit ${limit}`

/** Which of these flows are to have a schedule. */
export async function filter(sql: Executor, flowIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from flows
    where id = any(${[...flowIds]}::uuid[]) and trigger_type = 'schedule' and enabled
      and deleted_at is null`
  return new Set(rows.map(({ id }) => id))
}
