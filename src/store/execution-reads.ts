import type { Definition } from '../domain/flow.ts'
import { hashedId, type Uuid } from '../ids.ts'
import type { Execution, ExecutionStep } from '../schemas/execution.ts'
import { live } from './executions.ts'
import type { Executor } from './sql.ts'

const columns = (sql: Executor) => sql`
  e.id, e.flow_id as workflow_id, f.name as workflow_name, e.version as workflow_version,
  e.contact_id, e.status, e.reason, e.error, e.attempt, e.step_id as current_step_id, e.topic_id,
  e.event_id, e.created_at, e.started_at, e.finished_at`

/** Whose executions. Both: those of the contact in the flow. */
interface Of {
  flowId?: Uuid | undefined
  contactId?: Uuid | undefined
}

/** From when on what is over is shown. */
export interface Kept {
  /** ISO. */
  since: string
  /** The lowest id of that day. */
  lowest: Uuid
}

interface Page extends Of {
  status?: string | undefined
  before?: Uuid | undefined
  limit: number
  kept: Kept
}

/**
 * Newest first. What is over is hidden when its plan no longer keeps it; what is not over is always
 * shown. Two looks into an index instead of one: the older part of a flow's executions may be a
 * million that are over and hidden, between which a few are not. So of a flow's it is the day they
 * were created that counts; of a contact's, who has few, when they ended.
 */
export function list(
  sql: Executor,
  organizationId: Uuid,
  { flowId, contactId, status, before, limit, kept: { since, lowest } }: Page,
) {
  const part = (kept: ReturnType<typeof live>) => sql`
    (
      select ${columns(sql)}
      from executions e
      join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
      where e.organization_id = ${organizationId}
        ${flowId === undefined ? sql`` : sql`and e.flow_id = ${flowId}`}
        ${contactId === undefined ? sql`` : sql`and e.contact_id = ${contactId}`}
        ${status === undefined ? sql`` : sql`and e.status = ${status}`}
        ${before === undefined ? sql`` : sql`and e.id < ${before}`}
        and ${kept}
      order by e.id desc
      limit ${limit}
    )`
  const ended = contactId === undefined ? sql`` : sql`or e.finished_at >= ${since}`
  return sql<Execution[]>`
    ${part(sql`e.id >= ${lowest}`)}
    union all
    ${part(sql`e.id < ${lowest} and (e.status in ${live(sql)} ${ended})`)}
    order by id desc
    limit ${limit}`
}

export type Found = Execution & { data: Record<string, unknown>; definition: Definition }

/** With the version of the flow that it runs; one that ended before what is kept is not there. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { since, lowest }: Kept,
): Promise<Found | undefined> {
  const [execution] = await sql<Found[]>`
    select ${columns(sql)}, e.data, v.definition
    from executions e
    join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
    join flow_versions v on v.organization_id = e.organization_id and v.flow_id = e.flow_id
      and v.version = e.version
    where e.organization_id = ${organizationId} and e.id = ${id}
      and (e.id >= ${lowest} or e.status in ${live(sql)} or e.finished_at >= ${since})`
  return execution
}

interface StepRow extends Omit<ExecutionStep, 'id' | 'name'> {
  position: number
}

/** Visits of steps in the order they were come to: the last `most`, and how many there are. */
export async function listSteps(
  sql: Executor,
  organizationId: Uuid,
  { id: executionId, definition }: Pick<Found, 'id' | 'definition'>,
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
  const steps = rows.toReversed().map(({ position: _position, ...row }) => ({
    ...row,
    id: hashedId(executionId, row.stepId, row.visit),
    name: names.get(row.stepId) ?? row.stepId,
  }))
  return { steps, stepCount: rows[0]?.position ?? 0 }
}
