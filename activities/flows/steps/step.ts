import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { Definition, StepOf, StepType } from '../../../src/domain/flows/flow.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'

export interface Executing {
  id: Uuid
  organizationId: Uuid
  flowId: Uuid
  flowName: string
  version: number
  definition: Definition
  contactId: Uuid
  topicId: Uuid | null
  eventId: Uuid | null
  /** Times of the start's cause and of its writing, ISO 8601. */
  occurredAt: string
  createdAt: string
  data: Record<string, unknown>
}

export interface StepRun<Type extends StepType> {
  execution: Executing
  step: StepOf<Type>
  visit: number
  try: number
  /** ISO 8601. */
  enteredAt: string
  mailId: Uuid | null
  dueAt: string | null
  /** Time of Postgres' clock, ISO 8601. */
  now: string
}

/**
 * A step whose effect is in our database: it runs in the transaction that stores its outcome, with
 * the execution's row locked (and the contact's before it, where it says so). `local`: no network,
 * no rendering, at most some milliseconds.
 */
export interface StoredStep<Type extends StepType> {
  where: 'local' | 'control'
  locksContact: boolean
  /** Locks mails, which come before contacts and executions in the order of locks. Called first. */
  locks?: (
    tx: Transaction,
    run: Pick<StepRun<Type>, 'execution' | 'step' | 'visit'>,
  ) => Promise<void>
  enter: (tx: Transaction, run: StepRun<Type>) => Promise<StepOutcome>
  /**
   * Called again after a `wait`, when it was woken or its time came. Absent: the step never waits.
   */
  resume?: (tx: Transaction, run: StepRun<Type>) => Promise<StepOutcome>
}

/**
 * A step whose effect is outside our database, so no transaction is open meanwhile. It may run
 * again after a crash, so each call carries the id of its visit. Throws to be tried again.
 */
export interface CallingStep<Type extends StepType> {
  where: 'webhook'
  call: (
    run: StepRun<Type>,
    attempt: { number: number; signal: AbortSignal },
  ) => Promise<StepOutcome>
}
