import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { StartedExecution } from '../activities/flows/flows.ts'
import type { ControlActivities } from '../activities/index.ts'
import {
  type ExecutionStatus,
  type Fence,
  type Move,
  STEP_FAILED,
} from '../src/domain/flows/execution.ts'
import { operatorText } from '../src/domain/operator-text.ts'
import { throwIfCancelled } from './cancellation.ts'
import { type RunFlowInput, WAKE_SIGNAL, WEBHOOK_QUEUE } from './contract.ts'

const CONTROL = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
const WEBHOOK = { ...CONTROL, taskQueue: WEBHOOK_QUEUE } as const
/** Options of a single attempt. If it fails, a normal activity does the same. */
const LOCAL = { startToCloseTimeout: '10s', retry: { maximumAttempts: 1 } } as const

const control = proxyActivities<ControlActivities>(CONTROL)
const local = proxyLocalActivities<ControlActivities>(LOCAL)

/** Limit of local steps in a row. Meanwhile neither signals nor cancellations are seen. */
const MOST_LOCAL_STEPS = 20
/** Interval of checks of a wait without a known end, varied by a fifth. */
const LOOK_EVERY_MS = 15 * 60_000
/**
 * Minimum wait, since Postgres' clock may be behind: a row that is due here may not be due there.
 */
const SHORTEST_WAIT_MS = 1_000
/** Lines of a long run in the operator's view (Markdown). */
const MOST_LINES = 50

/** The step's name is only in its result, and the run's details list it. */
const BEGINS = 'begins; runs a local first step'

export interface Ending {
  status: ExecutionStatus | 'left'
  reason: string | null
}

interface Run {
  key: Pick<RunFlowInput, 'organizationId' | 'executionId'>
  isWoken: boolean
  /** Local steps since the last time that signals and cancellations were seen. */
  localSteps: number
  lines: string[]
  shownStatus: ExecutionStatus | undefined
}

/**
 * Runs one attempt of an execution: one customer's automation for one contact.
 *
 * Owns nothing: Postgres says what is next, each step is stored there together with where the
 * execution goes on, and signals only wake. A run that comes twice, or after another one took the
 * execution, changes nothing. It ends when the execution does: completed or cancelled as the result
 * says, failed as a failure that names the step; a cancellation by an operator ends the execution
 * too. Starting it again, or resetting it, resumes a failed execution at its failed step.
 */
export async function runFlow({ organizationId, executionId }: RunFlowInput): Promise<Ending> {
  const key = { organizationId, executionId }
  const run: Run = { key, isWoken: false, localSteps: 0, lines: [], shownStatus: undefined }
  let fence: Fence | null = null
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    run.isWoken = true
  })
  try {
    const begunExecution = await locally(
      run,
      () => local.beginExecution.executeWithOptions({ ...LOCAL, summary: BEGINS }, [key]),
      () => control.beginExecution.executeWithOptions({ ...CONTROL, summary: BEGINS }, [key]),
    )
    fence = begunExecution.fence
    return await follow(run, begunExecution)
  } catch (error) {
    if (isCancellation(error)) {
      const status = await CancellationScope.nonCancellable(() =>
        control.stopExecution({ ...key, fence }),
      )
      if (status !== null) show(run, status)
    }
    throw error
  }
}

async function follow(
  run: Run,
  { fence, move: first, ran = '' }: StartedExecution,
): Promise<Ending> {
  let at = ran
  if (ran !== '') note(run, operatorText(ran))
  for (let move = first; ; move = await runStep(run, fence, move)) {
    if (workflowInfo().continueAsNewSuggested && 'stepId' in move) {
      // A cancellation that nothing has noticed yet would be lost with this run.
      await throwIfCancelled()
      await continueAsNew<typeof runFlow>(run.key)
    }
    switch (move.do) {
      case 'step':
        at = move.name
        note(run, operatorText(move.name))
        break
      case 'wait':
        await wait(run, move)
        break
      case 'end':
        return end(run, move, at)
      case 'leave':
        return { status: 'left', reason: 'another run holds the execution' }
    }
  }
}

function runStep(
  run: Run,
  fence: Fence,
  { stepId, visit, name, where, status }: Extract<Move, { stepId: string }>,
): Promise<Move> {
  const summary = operatorText(name)
  // Before Postgres is read: what comes after is found by this reading or wakes anew.
  run.isWoken = false
  const step = { ...run.key, fence, stepId, visit }
  const normally = (options: typeof CONTROL | typeof WEBHOOK) => {
    // Local steps take milliseconds: each status of theirs would be one more event.
    if (status !== undefined) show(run, status)
    return control.runStep.executeWithOptions({ ...options, summary }, [step]).catch(endOfFailed)
  }
  if (where === 'local') {
    const runLocally = () => local.runStep.executeWithOptions({ ...LOCAL, summary }, [step])
    return locally(run, runLocally, () => normally(CONTROL))
  }
  run.localSteps = 0
  return normally(where === 'webhook' ? WEBHOOK : CONTROL)
}

/** Returns the move of a failed step. Throws errors that are not failures of the step itself. */
function endOfFailed(error: unknown): Move {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure) || cause.type !== STEP_FAILED) throw error
  const reason: unknown = cause.details?.[0]
  return { do: 'end', status: 'failed', reason: typeof reason === 'string' ? reason : null }
}

/**
 * Runs a local activity where allowed, and a normal one if that fails.
 *
 * A local activity is never cancelled: the SDK's core fails the workflow task if one ends just when
 * it is told of its cancellation (temporalio/sdk-rust issue 705). It takes seconds at most, and
 * nothing is begun after it.
 */
async function locally<T>(
  run: Run,
  asLocal: () => Promise<T>,
  asNormal: () => Promise<T>,
): Promise<T> {
  await throwIfCancelled()
  if (run.localSteps < MOST_LOCAL_STEPS) {
    run.localSteps++
    try {
      return await CancellationScope.nonCancellable(asLocal)
    } catch {
      await throwIfCancelled()
    }
  }
  run.localSteps = 0
  return asNormal()
}

async function wait(
  run: Run,
  { name, status, until }: Extract<Move, { do: 'wait' }>,
): Promise<void> {
  show(run, status)
  run.localSteps = 0
  const waitMs =
    until === null
      ? LOOK_EVERY_MS * (0.8 + 0.4 * Math.random())
      : Math.max(SHORTEST_WAIT_MS, until - Date.now())
  await condition(() => run.isWoken, waitMs, { summary: operatorText(name) })
}

/** Ends the run. `at`: name of the last step. Throws if the execution failed. */
function end(run: Run, { status, reason }: Extract<Move, { do: 'end' }>, at: string): Ending {
  show(run, status)
  note(run, `**${status}**${reason === null ? '' : `: ${operatorText(reason)}`}`)
  if (status !== 'failed') return { status, reason }
  throw ApplicationFailure.create({
    message: `${at === '' ? 'The execution' : `The step "${at}"`} failed: ${reason}`,
    type: STEP_FAILED,
    nonRetryable: true,
    // The customer's flow says so, or their receiver: not a fault of the worker.
    category: 'BENIGN',
  })
}

function note({ lines }: Run, line: string): void {
  lines.push(`1. ${line}`)
  if (lines.length > MOST_LINES) lines.shift()
  setCurrentDetails(lines.join('\n'))
}

function show(run: Run, status: ExecutionStatus): void {
  if (run.shownStatus !== status) upsertSearchAttributes({ AppStatus: [status] })
  run.shownStatus = status
}
