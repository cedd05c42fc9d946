import type { ScheduleFailure, Settings, Trigger } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

type ScheduleTrigger = Extract<Trigger, { type: 'schedule' }>

export interface ScheduledFlow {
  organizationId: Uuid
  flowId: Uuid
  version: number
  trigger: ScheduleTrigger
  settings: Settings
}

interface Moment {
  organizationId: Uuid
  flowId: Uuid
  /** ISO 8601. */
  firedFor: string
}

const columns = (sql: Executor) => sql`
  f.organization_id, f.id as flow_id, f.version, v.definition -> 'trigger' as trigger,
  v.definition -> 'settings' as settings`

/** Selects by the newest version, which is the one that starts. */
const scheduled = (sql: Executor) => sql`
  flows f
  join flow_versions v
    on v.organization_id = f.organization_id and v.flow_id = f.id and v.version = f.version`

/** Finds a flow that needs a schedule. Undefined: it needs none, or does not exist. */
export async function find(sql: Executor, flowId: Uuid): Promise<ScheduledFlow | undefined> {
  const [row] = await sql<ScheduledFlow[]>`
    select ${columns(sql)}
    from ${scheduled(sql)}
    where f.id = ${flowId} and f.trigger_type = 'schedule' and f.enabled and f.deleted_at is null`
  return row
}

/** Lists a page of all organizations' flows that need a schedule, by id. */
export const list = (sql: Executor, after: Uuid | null, limit: number) => sql<ScheduledFlow[]>`
  select ${columns(sql)}
  from ${scheduled(sql)}
  where f.trigger_type = 'schedule' and f.enabled and f.deleted_at is null
    and (${after}::uuid is null or f.id > ${after})
  order by f.id
  limit ${limit}`

export async function filter(sql: Executor, flowIds: readonly Uuid[]): Promise<Set<Uuid>> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from flows
    where id = any(${[...flowIds]}::uuid[]) and trigger_type = 'schedule' and enabled
      and deleted_at is null`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Records that a moment is starting executions, and the last contact, after which a lost run
 * continues. Writes nothing for an unchanged or older moment.
 */
export const recordProgress = (
  sql: Executor,
  { organizationId, flowId, firedFor, after }: Moment & { after: Uuid | null },
) => sql`
  update flows
  set firing_for = ${firedFor}, firing_after = ${after}
  where organization_id = ${organizationId} and id = ${flowId}
    and (firing_for is null or firing_for < ${firedFor}
      or (firing_for = ${firedFor} and firing_after is distinct from ${after}::uuid))`

/** Lists unfinished moments by flow: a page of all organizations. */
export const listFiring = (sql: Executor, after: Uuid | undefined, limit: number) => sql<
  (Moment & { after: Uuid | null })[]
>`
  select organization_id, id as flow_id, firing_for as fired_for, firing_after as after
  from flows
  where firing_for is not null ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

/** Ends the moment, since the flow no longer uses this schedule. */
export const giveUp = (sql: Executor, { organizationId, flowId, firedFor }: Moment) => sql`
  update flows
  set firing_for = null, firing_after = null
  where organization_id = ${organizationId} and id = ${flowId} and firing_for = ${firedFor}`

const ending = (sql: Executor, firedFor: string) => sql`
  firing_after = case when firing_for <> ${firedFor} then firing_after end,
  firing_for = nullif(firing_for, ${firedFor})`

/** Records why a moment could not start its contacts, unless a later one has failed. */
export const recordFailure = (
  sql: Executor,
  { organizationId, flowId, firedFor }: Moment,
  failure: ScheduleFailure,
) => sql`
  update flows
  set schedule_failed_for = ${firedFor}, schedule_failure = ${failure},
    ${ending(sql, firedFor)}
  where organization_id = ${organizationId} and id = ${flowId}
    and (schedule_failed_for is null or schedule_failed_for <= ${firedFor})`

export const recordSuccess = (sql: Executor, { organizationId, flowId, firedFor }: Moment) => sql`
  update flows
  set schedule_failed_for = case when schedule_failed_for > ${firedFor} then schedule_failed_for end,
    schedule_failure = case when schedule_failed_for > ${firedFor} then schedule_failure end,
    ${ending(sql, firedFor)}
  where organization_id = ${organizationId} and id = ${flowId}
    and (schedule_failed_for <= ${firedFor} or firing_for = ${firedFor})`
