import { createHash } from 'node:crypto'
import { ApplicationFailure, CancelledFailure, log } from '@temporalio/activity'
import type { Fence, Move, Visit } from '../../src/domain/flows/execution.ts'
import { MOST_VISITS, type Step, type StepOf, type StepType } from '../../src/domain/flows/flow.ts'
import { rulesOf } from '../../src/domain/flows/steps/index.ts'
import { endedExecutions } from '../../src/runtime/metrics.ts'
import type { DefinitionCache } from '../../src/store/flows/definition-cache.ts'
import * as executionRuns from '../../src/store/flows/runs.ts'
import * as executionSteps from '../../src/store/flows/steps.ts'
import {
  isPassing,
  isRefusedValue,
  type Sql,
  type Transaction,
  transact,
} from '../../src/store/db/sql.ts'
import { end, isOver, LEAVE, stepOf, storeStepOutcome, toStep } from '../../src/core/flows/moves.ts'
import { processRenderer, type Renderer } from '../../src/mail/renderer.ts'
import { holds } from './steps/facts.ts'
import { isCalling, type Steps } from './steps/index.ts'
import type { Executing, StepRun } from './steps/step.ts'
import { enterWithValues } from './steps/values.ts'

/** Limits of a local activity, which holds up the whole workflow task. */
const LOCAL_LIMITS = { statementMs: 2_000, lockMs: 1_000 }
const MOST_ATTEMPTS = 10

const CONTACT_DELETED = { status: 'cancelled', reason: 'contact_deleted' } as const
const EXIT_ON = { status: 'cancelled', reason: 'exit_on' } as const
const TOO_MANY_VISITS = {
  status: 'failed',
  reason: 'too_many_visits',
  error: `A step can be entered at most ${MOST_VISITS} times`,
} as const
const NOT_AVAILABLE = {
  kind: 'failed',
  reason: 'not_available',
  error: 'Steps of this type cannot be run here',
} as const
const INTERNAL_ERROR = {
  kind: 'failed',
  reason: 'internal_error',
  error: 'The step could not be run. See the log of the worker',
} as const

export interface RunStepInput extends Visit {
  organizationId: string
  executionId: string
  fence: Fence
}

export interface Attempt {
  number: number
  isLocal: boolean
  signal: AbortSignal
}

export interface RunStepDeps {
  sql: Sql
  steps: Steps
  definitions: DefinitionCache
  renderer?: Renderer | undefined
  /** Milliseconds that Temporal's clock is ahead of Postgres': in tests that skip time. */
  aheadMs?: () => Promise<number>
  mostAttempts?: number
}

interface LockedVisit {
  execution: Executing
  step: Step
  hasContact: boolean
  goneReason: executionRuns.Facts['goneReason']
  now: string
}

/**
 * Runs one visit of a step and returns what comes next. Postgres decides: a visit that is over
 * returns what came after it, a run that no longer holds the execution leaves it, and an execution
 * that is over ends.
 *
 * A stored step is one transaction with its outcome and the execution's next visit, so that it
 * happens once, however often this runs. A calling step is called between two: it may happen again.
 */
export const createRunStep = (deps: RunStepDeps) => {
  const { sql, mostAttempts = MOST_ATTEMPTS } = deps
  return async (input: RunStepInput, attempt: Attempt): Promise<Move> => {
    try {
      const move = await tryStep(deps, input, attempt)
      if (move.do === 'end') endedExecutions.inc({ status: move.status })
      return move
    } catch (error) {
      const isAsked = error instanceof ApplicationFailure || error instanceof CancelledFailure
      const isHopeless = attempt.number >= mostAttempts && !isPassing(error)
      if (isAsked || (!isRefusedValue(error) && !isHopeless)) throw error
      const { executionId, stepId, visit } = input
      log.error('A step could not be run', { executionId, stepId, visit, err: error })
      return transact(sql, (tx) => giveUp(deps, tx, input))
    }
  }
}

async function tryStep(deps: RunStepDeps, input: RunStepInput, attempt: Attempt): Promise<Move> {
  const { sql, steps, renderer = processRenderer() } = deps
  const entered = await transact(sql, async (tx) => {
    const entry = await enterStep(deps, tx, input, attempt)
    if ('do' in entry) return entry
    const { run, isResumed } = entry
    const { definition } = run.execution
    const handler = steps[run.step.type]
    if (handler === undefined) {
      const outcome = decide(run.execution.id, run.step) ?? NOT_AVAILABLE
      return storeStepOutcome(tx, steps, definition, input, outcome)
    }
    if (isCalling(handler)) return { run, handler }
    const outcome = isResumed
      ? await (handler.resume ?? handler.enter)(tx, run)
      : await enterWithValues(tx, renderer, handler, run)
    return storeStepOutcome(tx, steps, definition, input, outcome)
  })
  if ('do' in entered) return entered
  const { run, handler } = entered
  const outcome = await handler.call(run, attempt)
  return transact(sql, async (tx) => {
    const lockedVisit = await lockVisit(deps, tx, input)
    return 'do' in lockedVisit
      ? lockedVisit
      : storeStepOutcome(tx, steps, run.execution.definition, input, outcome)
  })
}

/** Returns the end of a step by its rules alone. Undefined: the rules do not decide. */
const decide = <Type extends StepType>(executionId: string, step: StepOf<Type>) =>
  rulesOf(step).decide?.(step, pointOf(executionId, step.id))

const BYTES = 6

/**
 * Returns a number in [0, 1) that a customer cannot choose: from the SHA-256 of execution and step.
 */
export function pointOf(executionId: string, stepId: string): number {
  const hash = createHash('sha256').update(`${executionId}/${stepId}`).digest()
  return hash.readUIntBE(0, BYTES) / 256 ** BYTES
}

async function enterStep(
  deps: RunStepDeps,
  tx: Transaction,
  input: RunStepInput,
  { isLocal }: Attempt,
): Promise<Move | { run: StepRun<StepType>; isResumed: boolean }> {
  const lockedVisit = await lockVisit(deps, tx, input, isLocal ? LOCAL_LIMITS : undefined)
  if ('do' in lockedVisit) return lockedVisit
  const { execution, step } = lockedVisit
  if (!lockedVisit.hasContact) return end(tx, input, CONTACT_DELETED)
  const { goneReason } = lockedVisit
  if (goneReason !== null) return end(tx, input, { status: 'cancelled', reason: goneReason })
  if (input.visit > MOST_VISITS) return end(tx, input, TOO_MANY_VISITS)
  const now = new Date(Date.parse(lockedVisit.now) + ((await deps.aheadMs?.()) ?? 0)).toISOString()
  const { condition } = execution.definition.settings.exitOn
  if (condition && (await holds(tx, execution, condition, now)) === true) {
    return end(tx, input, EXIT_ON)
  }
  const { row, isResumed } = await enter(tx, input, step.type)
  const { mailId, dueAt, enteredAt } = row
  const { visit } = input
  return {
    isResumed,
    run: {
      execution,
      step,
      visit,
      try: row.try,
      enteredAt,
      mailId,
      dueAt,
      now,
    },
  }
}

/** Locks the execution if it stands at this visit. Otherwise returns the move to make instead. */
async function lockVisit(
  { steps, definitions }: RunStepDeps,
  tx: Transaction,
  input: RunStepInput,
  limits?: executionRuns.Limits,
): Promise<Move | LockedVisit> {
  const { organizationId, executionId, stepId, visit, fence } = input
  const facts = await executionRuns.find(tx, input, limits)
  const definition =
    facts && (await definitions.load(tx, organizationId, facts.flowId, facts.version))
  if (!facts || !definition) return LEAVE
  const step = stepOf(definition, stepId)
  const { goneReason, ...rest } = facts
  const execution = { id: executionId, organizationId, definition, ...rest }
  const handler = steps[step.type]
  if (handler && !isCalling(handler)) {
    await handler.locks?.(tx, { execution, step, visit })
    if (handler.locksContact) {
      await executionRuns.lockContact(tx, organizationId, facts.contactId)
    }
  }
  const locked = await executionRuns.lock(tx, input)
  if (!locked || !isHeldBy(locked, fence)) return LEAVE
  const { status, reason, hasContact, now } = locked
  const isHere = locked.stepId === stepId && locked.visit === visit
  // A run whose last task was lost asks for the failed step once more, to name it.
  if (isOver(status) && (isHere || status !== 'failed')) return { do: 'end', status, reason }
  if (!isHere) {
    return toStep(steps, definition, await whereNext(tx, input, locked), status)
  }
  return { execution, step, hasContact, goneReason, now }
}

async function giveUp(deps: RunStepDeps, tx: Transaction, input: RunStepInput): Promise<Move> {
  const lockedVisit = await lockVisit(deps, tx, input)
  if ('do' in lockedVisit) return lockedVisit
  await enter(tx, input, lockedVisit.step.type)
  return storeStepOutcome(tx, deps.steps, lockedVisit.execution.definition, input, INTERNAL_ERROR)
}

const isHeldBy = (
  { fenceWorkflowId, fenceRunId }: executionRuns.LockedExecution,
  { workflowId, runId }: Fence,
): boolean => fenceWorkflowId === workflowId && fenceRunId === runId

async function whereNext(
  tx: Transaction,
  input: RunStepInput,
  { stepId, visit }: executionRuns.LockedExecution,
): Promise<Visit> {
  const former = await executionSteps.find(tx, input)
  const next = former && (await executionSteps.following(tx, input, former))
  if (next) return next
  if (stepId === null || visit === null) throw new Error('a held execution stands nowhere')
  return { stepId, visit }
}

async function enter(
  tx: Transaction,
  input: RunStepInput,
  type: StepType,
): Promise<{ row: executionSteps.StepRow; isResumed: boolean }> {
  const { isNew, ...row } = await executionSteps.enter(tx, input, type)
  if (isNew) return { row, isResumed: false }
  if (row.status === 'executing') return { row, isResumed: true }
  if (row.status !== 'pending') throw new Error(`an execution stands at a ${row.status} step`)
  await executionSteps.begin(tx, input)
  return { row, isResumed: false }
}
