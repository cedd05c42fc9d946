import { LIVE_STATUSES } from '../../domain/flows/execution.ts'
import type { Definition } from '../../domain/flows/flow.ts'
import { hashedId, type Uuid, webhookCallId } from '../../runtime/ids.ts'
import type { Execution, ExecutionStep } from '../../schemas/flows/execution.ts'
import { live } from './executions.ts'
import type { Executor } from '../db/sql.ts'
import * as webhookCalls from './webhook-calls.ts'

const columns = (sql: Executor) => sql`
  e.id, e.flow_id as workflow_id, f.name as workflow_name, e.version as workflow_version,
  e.contact_id, e.status, e.reason, e.error, e.attempt, e.step_id as current_step_id, e.topic_id,
  e.event_id, e.created_at, e.started_at, e.finished_at`

/** Flow or contact of the executions. Both: executions of the contact in the flow. */
interface Of {
  flowId?: Uuid | undefined
  contactId?: Uuid | undefined
}

export interface ShownPeriod {
  /** ISO 8601. */
  since: string
  /** The lowest id of that day. */
  lowest: Uuid
}

interface Page extends Of {
  status?: string | undefined
  before?: Uuid | undefined
  limit: number
  kept: ShownPeriod
}

/**
 * Lists executions newest first. Finished ones are hidden after the plan's retention; live ones are
 * always shown. Executions that are over are hidden when the plan no longer keeps them; live ones
 * are always shown. Two looks into an index instead of one: the older part of a flow's executions
 * may be a million hidden ones with a few live ones among them. So for a flow the day of creation
 * counts; for a contact, which has few, the time of the end.
 */
export function list(
  sql: Executor,
  organizationId: Uuid,
  { flowId, contactId, status, before, limit, kept: { since, lowest } }: Page,
) {
  const part = (range: ReturnType<typeof live>) => sql`
    (
      select ${columns(sql)}
      from executions e
      join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
      where e.organization_id = ${organizationId}
        ${flowId === undefined ? sql`` : sql`and e.flow_id = ${flowId}`}
        ${contactId === undefined ? sql`` : sql`and e.contact_id = ${contactId}`}
        ${status === undefined ? sql`` : sql`and e.status = ${status}`}
        ${before === undefined ? sql`` : sql`and e.id < ${before}`}
        and ${range}
      order by e.id desc
      limit ${limit}
    )`
  const recentlyEnded = contactId === undefined ? sql`` : sql`or e.finished_at >= ${since}`
  return sql<Execution[]>`
    ${part(sql`e.id >= ${lowest}`)}
    union all
    ${part(sql`e.id < ${lowest} and (e.status in ${live(sql)} ${recentlyEnded})`)}
    order by id desc
    limit ${limit}`
}

/** Executions of any organizations. */
export const listEach = (sql: Executor, keys: readonly { organizationId: Uuid; id: Uuid }[]) => sql<
  (Execution & { organizationId: Uuid })[]
>`
  select e.organization_id, ${columns(sql)}
  from executions e
  join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
  where (e.organization_id, e.id) in (
    select *
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ id }) => id)}::uuid[]
    )
  )`

export type FoundExecution = Execution & { data: Record<string, unknown>; definition: Definition }

/**
 * Finds an execution with the version of its flow. One that ended before the plan's retention is
 * not found.
 */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { since, lowest }: ShownPeriod,
): Promise<FoundExecution | undefined> {
  const [execution] = await sql<FoundExecution[]>`
    select ${columns(sql)}, e.data, v.definition
    from executions e
    join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
    join flow_versions v on v.organization_id = e.organization_id and v.flow_id = e.flow_id
      and v.version = e.version
    where e.organization_id = ${organizationId} and e.id = ${id}
      and (e.id >= ${lowest} or e.status in ${live(sql)} or e.finished_at >= ${since})`
  return execution
}

interface StepRow extends Omit<ExecutionStep, 'id' | 'name' | keyof webhookCalls.Progress> {
  position: number
}

/**
 * Returns the last `most` visits of steps in the order of their positions, and the number of all.
 */
export async function listSteps(
  sql: Executor,
  organizationId: Uuid,
  { id: executionId, definition }: Pick<FoundExecution, 'id' | 'definition'>,
  most: number,
): Promise<{ steps: ExecutionStep[]; stepCount: number }> {
  const rows = await sql<StepRow[]>`
    select step_id, position, type, status, visit, try, branch, result, reason, error,
      case when status = 'executing' then due_at end as due_at, started_at, finished_at
    from execution_steps
    where organization_id = ${organizationId} and execution_id = ${executionId}
    order by position desc
    limit ${most}`
  const names = new Map(definition.steps.map(({ id, name }) => [id, name]))
  // An execution stands at one step.
  const calling = rows.find(({ type, status }) => type === 'webhook' && status === 'executing')
  const id = calling && webhookCallId({ ...calling, executionId })
  const call = id && (await webhookCalls.find(sql, { organizationId, id }))
  const steps = rows.toReversed().map(({ position: _position, ...row }) => ({
    ...row,
    ...((row.stepId === calling?.stepId && row.visit === calling.visit && call) || NO_CALL),
    id: hashedId(executionId, row.stepId, row.visit),
    name: names.get(row.stepId) ?? row.stepId,
    // A step that its version does not have any more is of no account.
    result: names.has(row.stepId) ? row.result : null,
  }))
  return { steps, stepCount: rows[0]?.position ?? 0 }
}

const NO_CALL: webhookCalls.Progress = { calls: 0, lastError: null, nextTryAt: null }

export interface StepCount {
  stepId: string | null
  live: number
  failed: number
}

/**
 * Counts the executions at each step, unfinished and failed ones. At most `most` of each status are
 * read, by the index of statuses, so that a flow with a million waiting executions stays cheap.
 */
export async function countBySteps(
  sql: Executor,
  organizationId: Uuid,
  { flowId, most }: { flowId: Uuid; most: number },
): Promise<{ data: StepCount[]; countsAreExact: boolean }> {
  const rows = await sql<(StepCount & { most: number })[]>`
    with counted as (
      select s.status, e.step_id
      from unnest(${COUNTED}::text[]) as s (status)
      cross join lateral (
        select step_id
        from executions
        where organization_id = ${organizationId} and flow_id = ${flowId} and status = s.status
        order by id desc
        limit ${most + 1}
      ) e
    )
    select step_id, (count(*) filter (where status <> 'failed'))::int as live,
      (count(*) filter (where status = 'failed'))::int as failed,
      (select coalesce(max(n), 0)::int
        from (select count(*) as n from counted group by status) by_status) as most
    from counted
    group by step_id
    order by step_id nulls first`
  return {
    data: rows.map(({ stepId, live, failed }) => ({ stepId, live, failed })),
    countsAreExact: rows.every((row) => row.most <= most),
  }
}

const COUNTED = [...LIVE_STATUSES, 'failed']
