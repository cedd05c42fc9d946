import type { Transaction } from '../../store/db/sql.ts'
import * as flows from '../../store/flows/flows.ts'
import * as executionRuns from '../../store/flows/runs.ts'
import * as slots from '../../store/flows/slots.ts'

/**
 * Why a failed execution stays failed: its flow is deleted, all its slots are in use, or its failed
 * step is not in the newest version.
 */
interface Refused {
  refused: 'deleted' | 'full' | 'step_removed'
}

interface Options {
  isNewAttempt: boolean
  /** It goes on with the newest version, for good. Absent: with its own. */
  version?: 'newest' | undefined
}

/**
 * `failed → pending`, where its flow has a slot (`maxConcurrentExecutions`): its own was free when
 * it failed. The execution's row is locked. The flow's is locked after it, the other way round than
 * where slots are allocated, which cannot deadlock: there only pending executions are locked.
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
