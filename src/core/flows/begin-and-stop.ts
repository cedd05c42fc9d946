import type { Fence, FinalStatus, Move } from '../../domain/flows/execution.ts'
import type { Transaction } from '../../store/db/sql.ts'
import type { DefinitionCache } from '../../store/flows/definition-cache.ts'
import * as executions from '../../store/flows/executions.ts'
import * as executionRuns from '../../store/flows/runs.ts'
import { reopen } from './retry-and-cancel.ts'
import { end, isOver, LEAVE, type StepActivities, toStep } from './moves.ts'

interface WorkerKnowledge {
  steps: StepActivities
  definitions: DefinitionCache
}

/**
 * Lets a workflow run hold an execution, and returns what it does first. A failed execution is
 * resumed at its failed step by any run but the one it failed in, whose first task was lost; a live
 * one is taken over from an earlier run of the same workflow only, which is over then, since
 * Temporal has one open run of each id.
 */
export async function begin(
  tx: Transaction,
  { steps, definitions }: WorkerKnowledge,
  key: executionRuns.ExecutionKey,
  fence: Fence,
): Promise<Move> {
  const { organizationId } = key
  const facts = await executionRuns.find(tx, key)
  const definition =
    facts && (await definitions.load(tx, organizationId, facts.flowId, facts.version))
  // An unsubscribe holds the contact: it is over by now, or it will find the execution live.
  const { topicId = null, contactId = '', goneReason = null } = facts ?? {}
  if (topicId !== null) await executionRuns.lockContact(tx, organizationId, contactId)
  const execution = facts && (await executionRuns.lock(tx, key))
  if (!execution || !definition) return LEAVE
  // It was retried with the newest version meanwhile.
  if (execution.version !== facts.version) return begin(tx, { steps, definitions }, key, fence)
  const { status, reason, fenceWorkflowId, fenceRunId, stepId, visit } = execution
  if (status === 'completed' || status === 'cancelled') return { do: 'end', status, reason }
  if (status === 'failed' && fenceRunId === fence.runId && stepId !== null && visit !== null) {
    return toStep(steps, definition, { stepId, visit }, status)
  }
  if (status === 'failed') {
    const reopened = await reopen(tx, key, execution, { isNewAttempt: false })
    // It stays failed, and the result tells the operator who started this run why.
    if ('refused' in reopened) return { do: 'end', status, reason: `workflow_${reopened.refused}` }
  } else if (status !== 'pending' && fenceWorkflowId !== fence.workflowId) return LEAVE
  const isAbout = topicId !== null && execution.hasContact
  if (isAbout && (await executionRuns.isUnsubscribed(tx, organizationId, contactId, topicId))) {
    return end(tx, key, { ...TOPIC_UNSUBSCRIBED, reason: goneReason ?? TOPIC_UNSUBSCRIBED.reason })
  }
  const at = await executionRuns.hold(tx, key, fence, definition.entry)
  return toStep(steps, definition, at, at.status)
}

/**
 * The execution had failed when the contact unsubscribed. An unsubscribe ends live executions only.
 */
const TOPIC_UNSUBSCRIBED = { status: 'cancelled', reason: 'topic_unsubscribed' } as const

/**
 * Ends an execution whose run an operator cancelled, and returns how it ended. `fence`: the run
 * that holds it. Null as `fence`: the run was cancelled before it was known whether it had begun,
 * and `ownFence` decides. Null as result: another run holds the execution, or it is gone.
 */
export async function stop(
  tx: Transaction,
  key: executionRuns.ExecutionKey,
  fence: Fence | null,
  ownFence: Fence,
): Promise<FinalStatus | null> {
  const execution = await executionRuns.lock(tx, key)
  if (!execution) return null
  const { status, fenceWorkflowId, fenceRunId } = execution
  const { workflowId, runId } = fence ?? ownFence
  // Before it had begun: by an earlier run of the same workflow, which is over.
  const isHeld = fenceWorkflowId === workflowId && (fence === null || fenceRunId === runId)
  const isUnbegun = fence === null && fenceRunId === null
  if (!isHeld && !isUnbegun) return null
  if (isOver(status)) return status
  const { organizationId, executionId } = key
  await executions.endLocked(tx, organizationId, [executionId], STOPPED, { cancelsRuns: false })
  return STOPPED.status
}

const STOPPED = { status: 'cancelled', reason: 'stopped_by_operator' } as const
