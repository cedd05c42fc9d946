import type { ExecutionStatus } from '../../domain/flows/execution.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as executionRuns from '../../store/flows/runs.ts'
import * as executions from '../../store/flows/executions.ts'
import * as outbox from '../../store/platform/outbox.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as flows from '../../store/flows/flows.ts'
import * as slots from '../../store/flows/slots.ts'

export type Retry =
  | { outcome: 'retried' | 'flow_deleted' | 'flow_full' | 'flow_step_removed' }
  | { outcome: 'not_failed'; status: ExecutionStatus }

/**
 * `failed → pending`: a workflow of the next attempt resumes it at its failed step. Only one of
 * several concurrent calls retries. Executions of a deleted flow cannot be retried, and those of a
 * flow with limited concurrency only if it has a free slot. `version`: the execution continues with
 * the newest version, if that has the failed step. Completed steps stay completed, by their ids.
 * Undefined: the organization has no such execution.
 */
export async function retry(
  tx: Transaction,
  organizationId: Uuid,
  executionId: Uuid,
  requestId: string | undefined,
  version?: 'newest',
): Promise<Retry | undefined> {
  const key = { organizationId, executionId }
  const execution = await executionRuns.lock(tx, key)
  if (!execution) return undefined
  const { flowId, status } = execution
  if (status !== 'failed') return { outcome: 'not_failed', status }
  const reopened = await reopen(tx, key, execution, { isNewAttempt: true, version })
  if ('refused' in reopened) return { outcome: `flow_${reopened.refused}` }
  const { attempt, contactId } = reopened
  const payload = { executionId, attempt, flowId, contactId }
  await outbox.put(tx, organizationId, { kind: 'start_execution', payload }, requestId)
  return { outcome: 'retried' }
}

export type Cancel =
  | { outcome: 'cancelled' | 'already' }
  | { outcome: 'over'; status: ExecutionStatus }

/**
 * Ends a live execution with its waits, its queued mail and its run. Undefined: the organization
 * has no such execution.
 */
export async function cancel(
  tx: Transaction,
  organizationId: Uuid,
  executionId: Uuid,
  requestId: string | undefined,
): Promise<Cancel | undefined> {
  const execution = await executionRuns.lock(tx, { organizationId, executionId })
  if (!execution) return undefined
  const endedIds = await executions.end(tx, organizationId, [executionId], CANCELLED, { requestId })
  if (endedIds.length > 0) return { outcome: 'cancelled' }
  const { status } = execution
  return status === 'cancelled' ? { outcome: 'already' } : { outcome: 'over', status }
}

export const CANCELLED = { status: 'cancelled', reason: 'cancelled_by_api' } as const

/**
 * Reasons why a failed execution cannot be resumed: its flow is deleted, all its slots are in use,
 * or its failed step is not in the newest version.
 */
interface Refused {
  refused: 'deleted' | 'full' | 'step_removed'
}

interface Options {
  isNewAttempt: boolean
  /** The execution continues with the newest version from now on. Absent: with its own. */
  version?: 'newest' | undefined
}

/**
 * `failed → pending`, if its flow has a free slot (`maxConcurrentExecutions`), since its own was
 * freed when it failed. The execution's row is locked. The flow's row is locked after it, in the
 * opposite order of the allocation of slots. This cannot deadlock, since that locks only pending
 * executions.
 */
export async function reopen(
  tx: Transaction,
  key: executionRuns.ExecutionKey,
  { flowId, version, stepId }: executionRuns.LockedExecution,
  options: Options,
): Promise<executionRuns.Reopened | Refused> {
  const { organizationId } = key
  const flow = await slots.lockLimit(tx, organizationId, flowId)
  if (!flow || flow.isDeleted) return { refused: 'deleted' }
  const { isNewAttempt } = options
  const isMoved = options.version === 'newest' && flow.version !== version
  const at = { flowId, version: flow.version, stepId: stepId ?? '' }
  const stepType = isMoved ? await flows.findStepType(tx, organizationId, at) : undefined
  // One that failed before its first step begins with the first of the newest version.
  if (isMoved && stepId !== null && stepType === undefined) return { refused: 'step_removed' }
  const { limit } = flow
  const used = limit === null ? 0 : await slots.countUsed(tx, organizationId, flowId, limit)
  if (limit !== null && used >= limit) return { refused: 'full' }
  const moved = isMoved ? { version: flow.version, stepType } : {}
  return executionRuns.reopen(tx, key, { isNewAttempt, ...moved })
}
