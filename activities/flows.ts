import { Context } from '@temporalio/activity'
import type { Fence, FinalStatus, Move } from '../src/domain/execution.ts'
import { PRODUCTION_TIMINGS, type Timings } from '../src/domain/timings.ts'
import { createFetcher, type Fetcher } from '../src/net/fetch.ts'
import { createDefinitionCache } from '../src/store/definition-cache.ts'
import * as executionRuns from '../src/store/execution-runs.ts'
import * as executions from '../src/store/executions.ts'
import { type Transaction, transact } from '../src/store/sql.ts'
import type { BatchContentDeps } from './batch-mails.ts'
import { beating } from './beat.ts'
import { end, isOver, LEAVE, toStep } from './moves.ts'
import { createRunStep, type RunStepDeps, type RunStepInput } from './run-step.ts'
import { createSteps, type Steps } from './steps/index.ts'

export interface FlowDeps extends Omit<RunStepDeps, 'definitions' | 'steps'> {
  content: BatchContentDeps
  /** Absent: those of production. */
  timings?: Timings
  /** Absent: one that reaches the public internet only. */
  fetcher?: Fetcher | undefined
  /** All that there are, unless a test makes its own. */
  steps?: Steps
}

/** What a run holds an execution by, and what it does next. */
export interface Begun {
  fence: Fence
  move: Move
  /** The name of the step that was run already; absent: none was. */
  ran?: string
}

export function createFlowActivities(deps: FlowDeps) {
  const { sql, content, fetcher = createFetcher({ allowed: [] }) } = deps
  const { awaitedMs } = deps.timings ?? PRODUCTION_TIMINGS
  const { steps = createSteps({ ...content, sql, fetcher, now: Date.now, awaitedMs }) } = deps
  const definitions = createDefinitionCache()
  const runStep = createRunStep({ ...deps, steps, definitions })

  return {
    /**
     * Takes an execution for the workflow run that asks. One that failed is resumed at its failed
     * step, whoever asks but the run it failed in, whose first task was lost; a live one is taken
     * from an earlier run of the same workflow only, which is over then, since Temporal has one
     * open run of each id.
     *
     * A first step that runs locally is run at once: the workflow would ask for nothing else, and
     * whenever it is replayed each activity that it asked for costs it some milliseconds.
     */
    beginExecution: async (key: executionRuns.ExecutionKey): Promise<Begun> => {
      const fence = ownFence()
      const move = await transact(sql, (tx) => begin(tx, key, fence))
      if (move.do !== 'step' || move.where !== 'local') return { fence, move }
      const { stepId, visit, name } = move
      return { fence, move: await attempt({ ...key, fence, stepId, visit }), ran: name }
    },

    /** Runs one visit of a step: see `createRunStep`. */
    runStep: attempt,

    /**
     * Ends an execution whose run an operator cancelled; one that the API ended is over already.
     * Answers how it ended; null: another run holds it, or it is gone.
     */
    stopExecution: ({
      fence,
      ...key
    }: executionRuns.ExecutionKey & {
      /** Null: cancelled before it was known whether it had begun. */
      fence: Fence | null
    }): Promise<FinalStatus | null> => transact(sql, (tx) => stop(tx, key, fence)),
  }

  async function attempt(input: RunStepInput): Promise<Move> {
    const { info, cancellationSignal: signal } = Context.current()
    const { isLocal, attempt: number } = info
    const run = () => runStep(input, { number, isLocal, signal })
    return isLocal ? run() : beating(run)
  }

  async function begin(
    tx: Transaction,
    key: executionRuns.ExecutionKey,
    fence: Fence,
  ): Promise<Move> {
    const { organizationId } = key
    const facts = await executionRuns.find(tx, key)
    const definition =
      facts && (await definitions.load(tx, organizationId, facts.flowId, facts.version))
    // Who leaves the topic holds the contact: they are gone by now, or find the execution alive.
    const { topicId = null, contactId = '', goneReason = null } = facts ?? {}
    if (topicId !== null) await executionRuns.lockContact(tx, organizationId, contactId)
    const standing = facts && (await executionRuns.lock(tx, key))
    if (!standing || !definition) return LEAVE
    const { status, reason, fenceWorkflowId, fenceRunId, stepId, visit } = standing
    if (status === 'completed' || status === 'cancelled') return { do: 'end', status, reason }
    if (status === 'failed' && fenceRunId === fence.runId && stepId !== null && visit !== null) {
      return toStep(steps, definition, { stepId, visit })
    }
    if (status === 'failed') {
      const reopened = await executionRuns.reopen(tx, key, { isNewAttempt: false })
      // It stays as it is; the operator who started this run is told why.
      if (!reopened) return { do: 'end', status, reason: 'workflow_deleted' }
    } else if (status !== 'pending' && fenceWorkflowId !== fence.workflowId) return LEAVE
    const isAbout = topicId !== null && standing.hasContact
    if (isAbout && (await executionRuns.hasLeft(tx, organizationId, contactId, topicId))) {
      return end(tx, key, { ...TOPIC_LEFT, reason: goneReason ?? TOPIC_LEFT.reason })
    }
    const at = await executionRuns.take(tx, key, fence, definition.entry)
    return toStep(steps, definition, at)
  }

  async function stop(
    tx: Transaction,
    key: executionRuns.ExecutionKey,
    fence: Fence | null,
  ): Promise<FinalStatus | null> {
    const standing = await executionRuns.lock(tx, key)
    if (!standing) return null
    const { status, fenceWorkflowId, fenceRunId } = standing
    const { workflowId, runId } = fence ?? ownFence()
    // Before it had begun: by an earlier run of the same workflow, which is over.
    const isHeld = fenceWorkflowId === workflowId && (fence === null || fenceRunId === runId)
    const isUnbegun = fence === null && fenceRunId === null
    if (!isHeld && !isUnbegun) return null
    if (isOver(status)) return status
    const { organizationId, executionId } = key
    await executions.endLocked(tx, organizationId, [executionId], STOPPED, { tellsRuns: false })
    return STOPPED.status
  }
}

/** It had failed when they left, and nothing ends what is over. */
const TOPIC_LEFT = { status: 'cancelled', reason: 'topic_unsubscribed' } as const
const STOPPED = { status: 'cancelled', reason: 'stopped_by_operator' } as const

/** Of the workflow run that asked for this activity. */
function ownFence(): Fence {
  const { workflowExecution } = Context.current().info
  if (!workflowExecution) throw new Error('only a workflow runs executions')
  return workflowExecution
}
