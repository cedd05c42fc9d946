import type { ExecutionStatus, Fence, Visit } from '../../domain/flows/execution.ts'
import type { StepType } from '../../domain/flows/flow.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as flowCounters from './counters.ts'
import type { Transaction } from '../db/sql.ts'

/** Changes of an execution's row by its Temporal run. Every statement names the run's fence. */

export interface ExecutionKey {
  organizationId: Uuid
  executionId: Uuid
}

export interface Facts {
  flowId: Uuid
  flowName: string
  version: number
  contactId: Uuid
  topicId: Uuid | null
  /** Reason to end: its flow, or the topic that started it, is deleted. */
  goneReason: 'workflow_deleted' | 'topic_deleted' | null
  eventId: Uuid | null
  /** Time of the start's cause, at the latest that of its writing. */
  occurredAt: string
  data: Record<string, unknown>
  createdAt: string
}

export interface Limits {
  statementMs: number
  lockMs: number
}

/** Finds facts about an execution before its run locks it. Undefined: it does not exist. */
export async function find(
  tx: Transaction,
  { organizationId, executionId }: ExecutionKey,
  limits?: Limits,
): Promise<Facts | undefined> {
  const [row] = await tx<Facts[]>`
    select e.flow_id, f.name as flow_name, e.version, e.contact_id, e.topic_id, e.event_id, e.data,
      e.created_at, least(e.occurred_at, e.created_at) as occurred_at,
      case
        when f.deleted_at is not null then 'workflow_deleted'
        when e.topic_id is not null and not exists (
          select
          from topics t
          where t.organization_id = e.organization_id and t.id = e.topic_id
        ) then 'topic_deleted'
      end as gone_reason
      ${
        limits
          ? tx`, set_config('statement_timeout', ${String(limits.statementMs)}, true),
              set_config('lock_timeout', ${String(limits.lockMs)}, true)`
          : tx``
      }
    from executions e
    join flows f on f.organization_id = e.organization_id and f.id = e.flow_id
    where e.organization_id = ${organizationId} and e.id = ${executionId}`
  return row
}

/** An execution whose row the transaction has locked. */
export interface LockedExecution {
  flowId: Uuid
  version: number
  status: ExecutionStatus
  reason: string | null
  fenceWorkflowId: string | null
  fenceRunId: string | null
  stepId: string | null
  visit: number | null
  hasContact: boolean
  /** ISO 8601, of Postgres' clock. */
  now: string
}

/** Locks an execution, so that nobody else moves it until the transaction ends. */
export async function lock(
  tx: Transaction,
  { organizationId, executionId }: ExecutionKey,
): Promise<LockedExecution | undefined> {
  const [row] = await tx<LockedExecution[]>`
    select e.flow_id, e.version, e.status, e.reason, e.fence_workflow_id, e.fence_run_id, e.step_id, e.visit,
      clock_timestamp()::timestamptz(3) as now,
      exists (
        select
        from contacts c
        where c.organization_id = e.organization_id and c.id = e.contact_id
      ) as has_contact
    from executions e
    where e.organization_id = ${organizationId} and e.id = ${executionId}
    for update of e`
  return row
}

/** Locks the contact before the execution, for a step that writes it or waits for its events. */
export const lockContact = (tx: Transaction, organizationId: Uuid, contactId: Uuid) => tx`
  select id
  from contacts
  where organization_id = ${organizationId} and id = ${contactId}
  for no key update`

/** Returns whether the contact is neither subscribed to the topic nor asked to confirm. */
export async function isUnsubscribed(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  topicId: Uuid,
): Promise<boolean> {
  const rows = await tx`
    select
    from subscriptions
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and topic_id = ${topicId} and status in ('subscribed', 'pending')`
  return rows.length === 0
}

export async function hold(
  tx: Transaction,
  { organizationId, executionId }: ExecutionKey,
  { workflowId, runId }: Fence,
  entry: string,
): Promise<Visit & { status: ExecutionStatus }> {
  const [at] = await tx<(Visit & { status: ExecutionStatus })[]>`
    update executions
    set status = case when status = 'pending' then 'active' else status end,
      fence_workflow_id = ${workflowId},
      fence_run_id = ${runId},
      step_id = coalesce(step_id, ${entry}),
      visit = coalesce(visit, 1),
      started_at = coalesce(started_at, clock_timestamp()),
      progressed_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${executionId}
    returning step_id, visit, status`
  if (!at) throw new Error('the execution is gone although its row is locked')
  return at
}

export interface Reopened {
  attempt: number
  flowId: Uuid
  contactId: Uuid
}

interface Reopening {
  isNewAttempt: boolean
  /** Version with which it continues from now on. Absent: its own. */
  version?: number | undefined
  stepType?: StepType | undefined
}

/**
 * `failed → pending`, with a slot of its flow: its failed step is retried, and the counters of its
 * failure are reverted. The row is locked, the execution is failed, and the flow's row, which tells
 * whether there is a slot, is locked, too.
 */
export async function reopen(
  tx: Transaction,
  { organizationId, executionId }: ExecutionKey,
  { isNewAttempt, version, stepType }: Reopening,
): Promise<Reopened> {
  const [row] = await tx<Reopened[]>`
    update executions
    set status = 'pending', attempt = attempt + ${isNewAttempt ? 1 : 0},
      version = coalesce(${version ?? null}, version), reason = null, error = null,
      fence_workflow_id = null, fence_run_id = null, finished_at = null,
      progressed_at = clock_timestamp(), slot_granted_at = clock_timestamp()
    where organization_id = ${organizationId} and id = ${executionId}
    returning attempt, flow_id, contact_id`
  if (!row) throw new Error('the execution is gone although its row is locked')
  await tx`
    update execution_steps
    set status = 'pending', try = try + 1, type = coalesce(${stepType ?? null}, type), branch = null, result = null, reason = null,
      error = null, mail_id = null, due_at = null, finished_at = null
    where organization_id = ${organizationId} and execution_id = ${executionId}
      and status = 'failed'`
  await flowCounters.executionReopened(tx, organizationId, row)
  return row
}
