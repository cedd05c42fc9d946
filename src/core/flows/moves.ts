import {
  type ExecutionStatus,
  type FinalStatus,
  LIVE_STATUSES,
  type LiveStatus,
  type Move,
  type StepActivity,
  type Visit,
} from '../../domain/flows/execution.ts'
import { type Definition, nextStep, type Step, type StepType } from '../../domain/flows/flow.ts'
import { liquidTextsOf } from '../../domain/flows/liquid-values.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Json, Transaction } from '../../store/db/sql.ts'
import * as executions from '../../store/flows/executions.ts'
import * as executionRuns from '../../store/flows/runs.ts'
import * as executionSteps from '../../store/flows/steps.ts'

export type StepActivities = { readonly [Type in StepType]?: { readonly where: StepActivity } }

/**
 * The outcome of a step.
 *
 * - `done`: goes on, by `branch` where the step has branches
 * - `skipped`: the same, and the step's record says why nothing was done
 * - `wait`: comes back here when it is woken, or at `until` (ISO; null: no end is known)
 * - `failed`: the execution fails here, and can be retried here
 * - `ended`: the execution is over
 */
export type StepOutcome =
  | { kind: 'done'; branch?: string; result?: Json }
  | { kind: 'skipped'; reason: string; branch?: string; result?: Json }
  | { kind: 'wait'; status: LiveStatus; until: string | null; mailId?: Uuid }
  | { kind: 'failed'; reason: string; error: string }
  | { kind: 'ended'; status: FinalStatus; reason: string | null }

export const LEAVE: Move = { do: 'leave' }

const LIVE: readonly ExecutionStatus[] = LIVE_STATUSES
export const isOver = (status: ExecutionStatus): status is FinalStatus => !LIVE.includes(status)

export function stepOf({ steps }: Definition, stepId: string): Step {
  const step = steps.find(({ id }) => id === stepId)
  if (!step) throw new Error(`the definition has no step ${stepId}`)
  return step
}

export function toStep(
  steps: StepActivities,
  definition: Definition,
  { stepId, visit }: Visit,
  status: ExecutionStatus,
): Extract<Move, { do: 'step' }> {
  const step = stepOf(definition, stepId)
  // What is rendered takes as long as others' contents do.
  const isRendered = liquidTextsOf(step).length > 0
  const where = isRendered ? 'control' : (steps[step.type]?.where ?? 'local')
  const shownStatus = isOver(status) ? {} : { status }
  return { do: 'step', name: step.name, where, ...shownStatus, stepId, visit }
}

/** Ends an execution whose row is locked. Its run sees the result and needs no message. */
export async function end(
  tx: Transaction,
  { organizationId, executionId }: executionRuns.ExecutionKey,
  { status, reason, error = null }: executions.Ending,
): Promise<Move> {
  const ending = { status, reason: reason?.slice(0, LONGEST_REASON) ?? null, error }
  const options = { cancelsRuns: false }
  const endedIds = await executions.endLocked(tx, organizationId, [executionId], ending, options)
  if (endedIds.length === 0) return over(tx, { organizationId, executionId })
  return { do: 'end', status, reason: ending.reason }
}

/** Returns the end of an execution that something else ended, for example its own step. */
async function over(tx: Transaction, key: executionRuns.ExecutionKey): Promise<Move> {
  const execution = await executionRuns.lock(tx, key)
  if (!execution || !isOver(execution.status)) return LEAVE
  return { do: 'end', status: execution.status, reason: execution.reason }
}

/** Stores the outcome of a visit and the next position of the execution. Its row is locked. */
export async function storeStepOutcome(
  tx: Transaction,
  steps: StepActivities,
  definition: Definition,
  key: executionSteps.VisitKey,
  outcome: StepOutcome,
): Promise<Move> {
  switch (outcome.kind) {
    case 'wait': {
      const { status, until, mailId = null } = outcome
      if (!(await executionSteps.rest(tx, key, { status, until, mailId }))) return over(tx, key)
      const here = toStep(steps, definition, key, status)
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
  steps: StepActivities,
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
  // A step may end its own execution: by unsubscribing from the topic that started it.
  return at ? toStep(steps, definition, at, 'active') : over(tx, key)
}

const LONGEST_REASON = 255
