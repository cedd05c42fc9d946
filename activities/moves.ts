import {
  type FinalStatus,
  LIVE_STATUSES,
  type ExecutionStatus,
  type Move,
  type Visit,
} from '../src/domain/execution.ts'
import { type Definition, nextStep, type Step } from '../src/domain/flow.ts'
import * as executionRuns from '../src/store/execution-runs.ts'
import * as executionSteps from '../src/store/execution-steps.ts'
import * as executions from '../src/store/executions.ts'
import type { Transaction } from '../src/store/sql.ts'
import type { Steps } from './steps/index.ts'
import type { StepOutcome } from './steps/step.ts'

export const LEAVE: Move = { do: 'leave' }

const LIVE: readonly ExecutionStatus[] = LIVE_STATUSES
export const isOver = (status: ExecutionStatus): status is FinalStatus => !LIVE.includes(status)

export function stepOf({ steps }: Definition, stepId: string): Step {
  const step = steps.find(({ id }) => id === stepId)
  if (!step) throw new Error(`the definition has no step ${stepId}`)
  return step
}

/** Where an execution goes on: at this visit. */
export function toStep(
  steps: Steps,
  definition: Definition,
  { stepId, visit }: Visit,
): Extract<Move, { do: 'step' }> {
  const step = stepOf(definition, stepId)
  const where = steps[step.type]?.where ?? 'local'
  return { do: 'step', name: step.name, where, stepId, visit }
}

/** Ends an execution whose row is locked. Its run knows it by the answer, so nobody tells it. */
export async function end(
  tx: Transaction,
  { organizationId, executionId }: executionRuns.ExecutionKey,
  { status, reason, error = null }: executions.Ending,
): Promise<Move> {
  const ending = { status, reason: reason?.slice(0, LONGEST_REASON) ?? null, error }
  const options = { tellsRuns: false }
  const ended = await executions.endLocked(tx, organizationId, [executionId], ending, options)
  if (ended.length === 0) return over(tx, { organizationId, executionId })
  return { do: 'end', status, reason: ending.reason }
}

/** How an execution ended that something else ended: its own step, for one. */
async function over(tx: Transaction, key: executionRuns.ExecutionKey): Promise<Move> {
  const standing = await executionRuns.lock(tx, key)
  if (!standing || !isOver(standing.status)) return LEAVE
  return { do: 'end', status: standing.status, reason: standing.reason }
}

/** Stores what became of a visit, and with it where the execution goes on. Its row is locked. */
export async function settle(
  tx: Transaction,
  steps: Steps,
  definition: Definition,
  key: executionSteps.VisitKey,
  outcome: StepOutcome,
): Promise<Move> {
  switch (outcome.kind) {
    case 'wait': {
      const { status, until, mailId = null } = outcome
      if (!(await executionSteps.rest(tx, key, { status, until, mailId }))) return over(tx, key)
      const here = toStep(steps, definition, key)
      return { ...here, do: 'wait', status, until: until === null ? null : Date.parse(until) }
    }
    case 'failed': {
      const { reason, error } = outcome
      await executionSteps.finish(tx, key, { status: 'failed', reason, error })
      return end(tx, key, { status: 'failed', reason, error })
    }
    case 'ended':
      await executionSteps.finish(tx, key, { status: 'completed' })
      return end(tx, key, outcome)
    case 'done':
      return goOn(tx, steps, definition, key, { ...outcome, status: 'completed' })
    case 'skipped':
      return goOn(tx, steps, definition, key, { ...outcome, status: 'skipped' })
  }
}

async function goOn(
  tx: Transaction,
  steps: Steps,
  definition: Definition,
  key: executionSteps.VisitKey,
  visitEnd: executionSteps.VisitEnd,
): Promise<Move> {
  const next = nextStep(definition, key.stepId, visitEnd.branch ?? null)
  if (next === undefined) {
    await executionSteps.finish(tx, key, visitEnd)
    return end(tx, key, { status: 'completed', reason: null })
  }
  const at = await executionSteps.moveOn(tx, key, visitEnd, next)
  // A step may end its own execution: who leaves the topic that started it, say.
  return at ? toStep(steps, definition, at) : over(tx, key)
}

const LONGEST_REASON = 255
