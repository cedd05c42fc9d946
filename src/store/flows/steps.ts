import type { LiveStatus, StepStatus, Visit } from '../../domain/flows/execution.ts'
import type { StepType } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { ExecutionKey } from './runs.ts'
import { live } from './executions.ts'
import type { Executor, Json, Transaction } from '../db/sql.ts'

const LONGEST_ERROR = 1_000

export type VisitKey = ExecutionKey & Visit

export interface StepRow {
  position: number
  try: number
  status: StepStatus
  mailId: Uuid | null
  dueAt: string | null
  enteredAt: string
}

const columns = (sql: Executor) => sql`
  s.position, s.try, s.status, s.mail_id, s.due_at, s.entered_at`

export async function find(
  sql: Executor,
  { organizationId, executionId, stepId, visit }: VisitKey,
): Promise<StepRow | undefined> {
  const [row] = await sql<StepRow[]>`
    select ${columns(sql)}
    from execution_steps s
    where s.organization_id = ${organizationId} and s.execution_id = ${executionId}
      and s.step_id = ${stepId} and s.visit = ${visit}`
  return row
}

/** Returns the next visit or the end after a finished visit. Undefined: nothing yet. */
export async function following(
  sql: Executor,
  { organizationId, executionId }: ExecutionKey,
  { position }: Pick<StepRow, 'position'>,
): Promise<Visit | undefined> {
  const [row] = await sql<Visit[]>`
    select step_id, visit
    from execution_steps
    where organization_id = ${organizationId} and execution_id = ${executionId}
      and position = ${position + 1}`
  return row
}

/** A visit in which an execution rested: a delay, or a wait that matched an event or took time. */
export interface Rest {
  enteredAt: string
  /** Time at which it ends by itself. Null: it was over at once. */
  dueAt: string | null
  /** Null: no event ended it early. */
  matchedAt: string | null
  matchedEventId: Uuid | null
}

export type RestKey = Visit & { executionId: Uuid }

export const listRests = (
  tx: Transaction,
  organizationId: Uuid,
  { executionId, stepId, visit }: RestKey,
  limit: number,
) => tx<Rest[]>`
  select s.entered_at, s.due_at, w.matched_at, w.matched_event_id
  from execution_steps s
  left join waits w on w.organization_id = s.organization_id and w.execution_id = s.execution_id
    and w.step_id = s.step_id and w.visit = s.visit
  where s.organization_id = ${organizationId} and s.execution_id = ${executionId}
    and s.position < (
      select position
      from execution_steps
      where organization_id = ${organizationId} and execution_id = ${executionId}
        and step_id = ${stepId} and visit = ${visit}
    )
    and (
      s.type = 'delay'
      or s.type in ('wait_for_event', 'wait_for_email_engagement')
        and (s.due_at is not null or w.matched_event_id is not null)
    )
  order by s.position desc
  limit ${limit}`

/**
 * Records that the execution came to a step, unless this visit exists, and returns the visit. The
 * execution's row is locked, so no other visit gets the position meanwhile.
 */
export async function enter(
  tx: Transaction,
  { organizationId, executionId, stepId, visit }: VisitKey,
  type: StepType,
): Promise<StepRow & { isNew: boolean }> {
  const [row] = await tx<(StepRow & { isNew: boolean })[]>`
    with entered as (
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status)
      select ${organizationId}, ${executionId}, ${stepId}, ${visit},
        coalesce(max(position), 0) + 1, ${type}, 'executing'
      from execution_steps
      where organization_id = ${organizationId} and execution_id = ${executionId}
      on conflict (organization_id, execution_id, step_id, visit) do nothing
      returning *
    )
    select ${columns(tx)}, true as is_new
    from entered s
    union all
    select ${columns(tx)}, false
    from execution_steps s
    where s.organization_id = ${organizationId} and s.execution_id = ${executionId}
      and s.step_id = ${stepId} and s.visit = ${visit}`
  if (!row) throw new Error('a visit is neither new nor noted')
  return row
}

export const begin = (
  tx: Transaction,
  { organizationId, executionId, stepId, visit }: VisitKey,
) => tx`
  update execution_steps
  set status = 'executing', started_at = clock_timestamp()
  where organization_id = ${organizationId} and execution_id = ${executionId}
    and step_id = ${stepId} and visit = ${visit}`

export interface VisitEnd {
  status: Extract<StepStatus, 'completed' | 'skipped' | 'failed'>
  branch?: string | undefined
  result?: Json | undefined
  reason?: string | undefined
  error?: string | undefined
}

const endVisit = (
  tx: Transaction,
  { organizationId, executionId, stepId, visit }: VisitKey,
  { status, branch, result, reason, error }: VisitEnd,
) => tx`
  update execution_steps
  set status = ${status}, branch = ${branch ?? null},
    result = ${result === undefined ? null : tx.json(result)}, reason = ${reason ?? null},
    error = ${error?.slice(0, LONGEST_ERROR) ?? null}, finished_at = clock_timestamp()
  where organization_id = ${organizationId} and execution_id = ${executionId}
    and step_id = ${stepId} and visit = ${visit}`

/** Ends the visit. The execution's row stays unchanged. */
export async function finish(tx: Transaction, key: VisitKey, end: VisitEnd): Promise<void> {
  await endVisit(tx, key, end)
}

/** Ends the visit and moves the execution to `next`. Undefined: the execution is over, too. */
export async function moveOn(
  tx: Transaction,
  key: VisitKey,
  end: VisitEnd,
  next: string,
): Promise<Visit | undefined> {
  const { organizationId, executionId } = key
  const [at] = await tx<Visit[]>`
    with visited as (${endVisit(tx, key, end)})
    update executions
    set status = 'active',
      step_id = ${next},
      visit = (
        select coalesce(max(s.visit), 0) + 1
        from execution_steps s
        where s.organization_id = ${organizationId} and s.execution_id = ${executionId}
          and s.step_id = ${next}
      ),
      progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${executionId} and status in ${live(tx)}
    returning step_id, visit`
  return at
}

/**
 * Lets the visit wait until a time (ISO 8601; null: the end is unknown), perhaps for a mail.
 * Returns false if the execution is over.
 */
export async function rest(
  tx: Transaction,
  { organizationId, executionId, stepId, visit }: VisitKey,
  { status, until, mailId }: { status: LiveStatus; until: string | null; mailId: Uuid | null },
): Promise<boolean> {
  const { count } = await tx`
    with awaiting as (
      update execution_steps
      set due_at = ${until}::timestamptz, mail_id = coalesce(${mailId}::uuid, mail_id)
      where organization_id = ${organizationId} and execution_id = ${executionId}
        and step_id = ${stepId} and visit = ${visit}
    )
    update executions
    set status = ${status},
      progressed_at = greatest(coalesce(${until}::timestamptz, '-infinity'), clock_timestamp())
    where organization_id = ${organizationId} and id = ${executionId} and status in ${live(tx)}`
  return count > 0
}
