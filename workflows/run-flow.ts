import {
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
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Begun } from '../activities/flows.ts'
import type { ControlActivities } from '../activities/index.ts'
import type { ExecutionStatus, Fence, Move } from '../src/domain/execution.ts'
import { type RunFlowInput, STEP_FAILED, WAKE_SIGNAL, WEBHOOK_QUEUE } from './contract.ts'

const CONTROL = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
} as const
const WEBHOOK = { ...CONTROL, taskQueue: WEBHOOK_QUEUE } as const
/** One attempt: what does not succeed at once is left to a normal activity. */
const LOCAL = { startToCloseTimeout: '10s', retry: { maximumAttempts: 1 } } as const

const control = proxyActivities<ControlActivities>(CONTROL)
const local = proxyLocalActivities<ControlActivities>(LOCAL)

/** While local activities run, neither signals nor cancellations are seen. */
const MOST_LOCAL_STEPS = 20
/** A wait whose end nobody knows is looked at again this often, give or take a fifth. */
const LOOK_EVERY_MS = 15 * 60_000
/** Where Postgres' clock is behind, what is due here is not due there yet. */
const SHORTEST_WAIT_MS = 1_000
/** What an operator sees of a long run. */
const MOST_LINES = 50

/** The step's name is known by its answer only; what is shown of the run lists it. */
const BEGINS = 'begins; runs a local first step'
/** Characters: Temporal refuses what is longer than 400 bytes, and the whole task with it. */
const LONGEST_SUMMARY = 60

/** How a run ended; `left`: another one holds the execution. */
export interface Ending {
  status: ExecutionStatus | 'left'
  reason: string | null
}

/**
 * Runs one attempt of an execution: one customer's automation for one contact.
 *
 * Owns nothing: Postgres says what is next, each step is stored there together with where the
 * execution goes on, and signals only wake. A run that comes twice, or after another one took the
 * execution, changes nothing. It ends when the execution does: completed or cancelled as the result
 * says, failed as a failure that names the step; a cancellation by an operator ends the execution
 * too. Whoever starts it again, or resets it, resumes an execution that failed at its failed step.
 */
export async function runFlow(input: RunFlowInput): Promise<Ending> {
  const { organizationId, executionId } = input
  const key = { organizationId, executionId }
  let held: Begun | undefined
  let isWoken = false
  let localSteps = 0
  const lines: string[] = []
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    isWoken = true
  })

  /** As a local activity where that is allowed; when it does not succeed, as a normal one. */
  async function locally<T>(asLocal: () => Promise<T>, asNormal: () => Promise<T>): Promise<T> {
    if (localSteps < MOST_LOCAL_STEPS) {
      localSteps++
      try {
        return await asLocal()
      } catch (error) {
        if (isCancellation(error)) throw error
      }
    }
    localSteps = 0
    return asNormal()
  }

  const take = (
    fence: Fence,
    { stepId, visit, name, where }: Extract<Move, { stepId: string }>,
  ): Promise<Move> => {
    const summary = shortened(name)
    // Before Postgres is read: what comes after is found by this reading or wakes anew.
    isWoken = false
    const step = { ...key, fence, stepId, visit }
    const run = (options: typeof CONTROL | typeof WEBHOOK) =>
      control.runStep.executeWithOptions({ ...options, summary }, [step])
    if (where === 'local') {
      const runLocally = () => local.runStep.executeWithOptions({ ...LOCAL, summary }, [step])
      return locally(runLocally, () => run(CONTROL))
    }
    localSteps = 0
    return run(where === 'webhook' ? WEBHOOK : CONTROL)
  }

  const tell = (line: string): void => {
    lines.push(`1. ${line}`)
    if (lines.length > MOST_LINES) lines.shift()
    setCurrentDetails(lines.join('\n'))
  }

  let shown: ExecutionStatus | undefined
  const show = (status: ExecutionStatus): void => {
    if (shown !== status) upsertSearchAttributes({ AppStatus: [status] })
    shown = status
  }

  try {
    let at = ''
    held = await locally(
      () => local.beginExecution.executeWithOptions({ ...LOCAL, summary: BEGINS }, [key]),
      () => control.beginExecution.executeWithOptions({ ...CONTROL, summary: BEGINS }, [key]),
    )
    let { move } = held
    const { fence, ran } = held
    if (ran !== undefined) {
      at = ran
      tell(ran)
    }
    for (;;) {
      if (workflowInfo().continueAsNewSuggested && 'stepId' in move) {
        // A cancellation that nothing has noticed yet would be lost with this run; a sleep notices
        // it.
        if (CancellationScope.current().consideredCancelled) await sleep(1)
        await continueAsNew<typeof runFlow>(key)
      }
      switch (move.do) {
        case 'step':
          at = move.name
          tell(move.name)
          break
        case 'wait': {
          show(move.status)
          localSteps = 0
          const waitMs =
            move.until === null
              ? LOOK_EVERY_MS * (0.8 + 0.4 * Math.random())
              : Math.max(SHORTEST_WAIT_MS, move.until - Date.now())
          await condition(() => isWoken, waitMs, { summary: shortened(move.name) })
          break
        }
        case 'end':
          show(move.status)
          tell(`**${move.status}**${move.reason === null ? '' : `: ${move.reason}`}`)
          if (move.status !== 'failed') return { status: move.status, reason: move.reason }
          throw ApplicationFailure.create({
            message: `${at === '' ? 'The execution' : `The step "${at}"`} failed: ${move.reason}`,
            type: STEP_FAILED,
            nonRetryable: true,
            // The customer's flow says so, or their receiver: no fault of the worker.
            category: 'BENIGN',
          })
        case 'leave':
          return { status: 'left', reason: 'another run holds the execution' }
      }
      move = await take(fence, move)
    }
  } catch (error) {
    if (isCancellation(error)) {
      const fence = held?.fence ?? null
      const status = await CancellationScope.nonCancellable(() =>
        control.stopExecution({ ...key, fence }),
      )
      if (status !== null) show(status)
    }
    throw error
  }
}

const shortened = (name: string): string =>
  name.length > LONGEST_SUMMARY ? `${name.slice(0, LONGEST_SUMMARY - 1)}…` : name
