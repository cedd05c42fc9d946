import type { StepOutcome } from '../../../src/core/flows/moves.ts'
import type { Definition, StepOf, StepType } from '../../../src/domain/flows/flow.ts'
import type { Uuid } from '../../../src/runtime/ids.ts'
import type { Transaction } from '../../../src/store/db/sql.ts'

/** An execution as its steps see it. */
export interface Executing {
  id: Uuid
  organizationId: Uuid
  flowId: Uuid
  flowName: string
  version: number
  definition: Definition
  contactId: Uuid
  /** The topic that started it, if one did. */
  topicId: Uuid | null
  eventId: Uuid | null
  /** Times of the start's cause and of its writing, ISO 8601. */
  occurredAt: string
  createdAt: string
  /** `trigger.data` of conditions and templates. */
  data: Record<string, unknown>
}

/** One visit of a running step. */
export interface StepRun<Type extends StepType> {
  execution: Executing
  step: StepOf<Type>
  visit: number
  /** Raised by each retry of the failed step. */
  try: number
  /** Time at which the execution reached it, ISO 8601. */
  enteredAt: string
  /** Mail of an earlier run of the same try. */
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
  /** Locks what comes before contacts and executions in the order of locks: mails. Called first. */
  locks?: (
    tx: Transaction,
    run: Pick<StepRun<Type>, 'execution' | 'step' | 'visit'>,
  ) => Promise<void>
  /** The first time of a try. */
  enter: (tx: Transaction, run: StepRun<Type>) => Promise<StepOutcome>
  /** Later times, after a `wait`: woken, or the time has come. Absent: it never waits. */
  resume?: (tx: Transaction, run: StepRun<Type>) => Promise<StepOutcome>
}

/**
 * A step whose effect is elsewhere: no transaction is open meanwhile. It may run again after a
 * crash, so each call carries the id of its visit. Throws to be tried again.
 */
export interface CallingStep<Type extends StepType> {
  where: 'webhook'
  call: (
    run: StepRun<Type>,
    attempt: { number: number; signal: AbortSignal },
  ) => Promise<StepOutcome>
}
