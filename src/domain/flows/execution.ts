/**
 * Statuses of an execution, and what leads out of each:
 * - `pending`: `active`, when a run begins it.
 * - `active`: `paused`, when a step delays it; `waiting`, when a step waits for an event or a mail.
 * - `paused` and `waiting`: `active`, when the step is over.
 * - these four: `completed`, `failed` and `cancelled`.
 * - `failed`: `pending`, when it is retried, at the step that failed.
 * - `completed` and `cancelled`: nothing.
 */
export const EXECUTION_STATUSES = [
  'pending',
  'active',
  'paused',
  'waiting',
  'completed',
  'failed',
  'cancelled',
] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

export const LIVE_STATUSES = ['pending', 'active', 'paused', 'waiting'] as const
export type LiveStatus = (typeof LIVE_STATUSES)[number]
export type FinalStatus = Exclude<ExecutionStatus, LiveStatus>

export const STEP_STATUSES = ['pending', 'executing', 'completed', 'failed', 'skipped'] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

/**
 * Activities that run steps: `local` ones use only our database, `control` ones may render,
 * `webhook` ones call customers' receivers.
 */
export type StepActivity = 'local' | 'control' | 'webhook'

/**
 * Type of the failure of a step that failed for good, and of the run of a failed execution. Both
 * are red in the Temporal UI.
 */
export const STEP_FAILED = 'StepFailed'

export interface Visit {
  stepId: string
  visit: number
}

export interface Fence {
  workflowId: string
  runId: string
}

/**
 * The next move of an execution's workflow. Postgres decides it, the workflow only carries it out.
 *
 * - `step`: run this visit now, as an activity of that kind
 * - `wait`: until a signal wakes it or the time has come, then run the same visit again
 * - `end`: the execution is over
 * - `leave`: another run holds the execution, or it is gone: end without touching it
 */
export type Move =
  | ({
      do: 'step'
      name: string
      where: StepActivity
      /**
       * Status in the API meanwhile. Absent: the execution is over, or an earlier version recorded
       * this.
       */
      status?: LiveStatus
    } & Visit)
  | ({
      do: 'wait'
      name: string
      where: StepActivity
      status: LiveStatus
      /**
       * Milliseconds since 1970. Null: the end is unknown, and the workflow looks again from time
       * to time.
       */
      until: number | null
    } & Visit)
  | { do: 'end'; status: FinalStatus; reason: string | null }
  | { do: 'leave' }
