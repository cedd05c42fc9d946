import { ApplicationFailure, Context } from '@temporalio/activity'
import { begin, stop } from '../../src/core/flows/begin-and-stop.ts'
import {
  type Fence,
  type FinalStatus,
  type Move,
  STEP_FAILED,
} from '../../src/domain/flows/execution.ts'
import { PRODUCTION_TIMINGS, type Timings } from '../../src/domain/delivery/timings.ts'
import { createFetcher, type Fetcher } from '../../src/net/fetch.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import type * as executionRuns from '../../src/store/flows/runs.ts'
import { transact } from '../../src/store/db/sql.ts'
import type { BatchContentDeps } from '../batches/batch-mails.ts'
import { withHeartbeat } from '../with-heartbeat.ts'
import { createRunStep, type RunStepDeps, type RunStepInput } from './run-step.ts'
import { createSteps, type Steps } from './steps/index.ts'

export interface FlowDeps extends Omit<RunStepDeps, 'definitions' | 'steps'> {
  content: BatchContentDeps
  timings?: Timings
  /** Absent: a fetcher that reaches the public internet only. */
  fetcher?: Fetcher | undefined
  steps?: Steps
}

export interface StartedExecution {
  fence: Fence
  move: Move
  /** The step that was already run. Absent: none. */
  ran?: string
}

export function createFlowActivities(deps: FlowDeps) {
  const { sql, content, fetcher = createFetcher({ allowed: [] }) } = deps
  const { awaitedMs } = deps.timings ?? PRODUCTION_TIMINGS
  const { steps = createSteps({ ...content, sql, fetcher, now: Date.now, awaitedMs }) } = deps
  const definitions = createDefinitionCache()
  const knowledge = { steps, definitions }
  const runStep = createRunStep({ renderer: content.renderer, ...deps, ...knowledge })

  return {
    /**
     * Lets the workflow run that asks hold an execution. A failed one is resumed at its failed
     * step by any run but the one it failed in, whose first task was lost; a live one is taken over
     * from an earlier run of the same workflow only, which is over then, since Temporal has one
     * open run of each id.
     *
     * A first step that runs locally is run at once: the workflow would ask for nothing else, and
     * each activity that it asks for costs some milliseconds in every replay.
     */
    beginExecution: async (key: executionRuns.ExecutionKey): Promise<StartedExecution> => {
      const fence = ownFence()
      const move = await transact(sql, (tx) => begin(tx, knowledge, key, fence))
      if (move.do !== 'step' || move.where !== 'local') return { fence, move }
      const { stepId, visit, name } = move
      return { fence, move: await attempt({ ...key, fence, stepId, visit }), ran: name }
    },

    /**
     * Runs one visit of a step: see `createRunStep`. The failure of a step that failed for good is
     * stored before it is thrown, and is never retried, so that it is visible in the run.
     */
    runStep: async (input: RunStepInput): Promise<Move> => {
      const move = await attempt(input)
      // A local activity is no line of the timeline, and each of its failures is tried normally.
      if (move.do !== 'end' || move.status !== 'failed' || Context.current().info.isLocal) {
        return move
      }
      throw stepFailed(move.reason)
    },

    /**
     * Ends an execution whose run an operator cancelled. An execution that the API ended is over
     * already. Returns how it ended. Null: another run holds it, or it does not exist.
     */
    stopExecution: ({
      fence,
      ...key
    }: executionRuns.ExecutionKey & {
      /** Null: the run was cancelled before it was known whether it had begun. */
      fence: Fence | null
    }): Promise<FinalStatus | null> => transact(sql, (tx) => stop(tx, key, fence, ownFence())),
  }

  async function attempt(input: RunStepInput): Promise<Move> {
    const { info, cancellationSignal: signal } = Context.current()
    const { isLocal, attempt: number } = info
    const run = () => runStep(input, { number, isLocal, signal })
    return isLocal ? run() : withHeartbeat(run)
  }
}

/** The failure goes into histories. Its reason is a stable word; details are in Postgres only. */
const stepFailed = (reason: string | null): ApplicationFailure =>
  ApplicationFailure.create({
    message: `The step failed: ${reason}`,
    type: STEP_FAILED,
    details: [reason],
    nonRetryable: true,
    category: 'BENIGN',
  })

function ownFence(): Fence {
  const { workflowExecution } = Context.current().info
  if (!workflowExecution) throw new Error('only a workflow runs executions')
  return workflowExecution
}
