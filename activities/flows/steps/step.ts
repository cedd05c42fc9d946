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
  /** When what started it happened, and when it was written; ISO. */
  occurredAt: string
  createdAt: string
  /** `trigger.data` of conditions and templates. */
  data: Record<string, unknown>
}

/** One visit of a step that is being run. */
export interface StepRun<Type extends StepType> {
  execution: Executing
  step: StepOf<Type>
  visit: number
  /** Raised by each retry of the failed step. */
  try: number
  /** When the execution came to it; ISO. */
  enteredAt: string
  /** What an earlier run of the same try noted. */
  mailId: Uuid | null
  dueAt: string | null
  /** By the clock of Postgres, ISO. */
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
