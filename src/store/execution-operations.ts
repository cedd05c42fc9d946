import type { ExecutionStatus } from '../domain/execution.ts'
import type { Uuid } from '../ids.ts'
import * as executionRuns from './execution-runs.ts'
import * as executions from './executions.ts'
import * as outbox from './outbox.ts'
import type { Transaction } from './sql.ts'

/** What a caller may do to an execution. Both decide under the lock of its row. */

export type Retry =
  | { outcome: 'retried' | 'flow_deleted' }
  | { outcome: 'not_failed'; status: ExecutionStatus }

/**
 * `failed → pending`: a workflow of the next attempt resumes it at its failed step. Of several at
 * once one retries. Of a deleted flow nothing runs any more. Undefined: the organization has no
 * such execution.
 */
export async function retry(
  tx: Transaction,
  organizationId: Uuid,
  executionId: Uuid,
  requestId: string | undefined,
): Promise<Retry | undefined> {
  const key = { organizationId, executionId }
  const standing = await executionRuns.lock(tx, key)
  if (!standing) return undefined
  const { status } = standing
  if (status !== 'failed') return { outcome: 'not_failed', status }
  const reopened = await executionRuns.reopen(tx, key, { isNewAttempt: true })
  if (!reopened) return { outcome: 'flow_deleted' }
  const { attempt, flowId, contactId } = reopened
  const payload = { executionId, attempt, flowId, contactId }
  await outbox.put(tx, organizationId, { kind: 'start_execution', payload }, requestId)
  return { outcome: 'retried' }
}

export type Cancel =
  | { outcome: 'cancelled' | 'already' }
  | { outcome: 'over'; status: ExecutionStatus }

/**
 * Ends an execution that is not over, with its waits, its queued mail and its run. Undefined: the
 * organization has no such execution.
 */
export async function cancel(
  tx: Transaction,
  organizationId: Uuid,
  executionId: Uuid,
  requestId: string | undefined,
): Promise<Cancel | undefined> {
  const standing = await executionRuns.lock(tx, { organizationId, executionId })
  if (!standing) return undefined
  const ended = await executions.end(tx, organizationId, [executionId], CANCELLED, { requestId })
  if (ended.length > 0) return { outcome: 'cancelled' }
  const { status } = standing
  return status === 'cancelled' ? { outcome: 'already' } : { outcome: 'over', status }
}

const CANCELLED = { status: 'cancelled', reason: 'cancelled_by_api' } as const
