import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { CONTROL_QUEUE, SWEEP_ID } from '../../workflows/contract.ts'

/** How often all accounts are checked. */
const EVERY_MS = 3_600_000
/** So that not every installation asks the provider at the full hour. */
const JITTER_MS = 300_000
/** A sweep that was missed for longer is not made up for: the next one is near. */
const CATCH_UP_MS = 600_000
/** One that takes longer has lost its workers: it must not hold up the next for ever. */
const LONGEST_MS = 3 * EVERY_MS

interface Rhythm {
  everyMs: number
  jitterMs: number
}

/**
 * Makes the schedule of the health sweep, or gives the one that is there our present settings; what
 * an operator paused stays paused. Every worker does so at its boot: the id is one, so is the
 * schedule.
 */
export async function ensureSweepSchedule(
  temporal: Client,
  { everyMs, jitterMs }: Rhythm = { everyMs: EVERY_MS, jitterMs: JITTER_MS },
): Promise<void> {
  const settings = {
    spec: { intervals: [{ every: everyMs }], jitter: jitterMs },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: CATCH_UP_MS },
    action: {
      type: 'startWorkflow',
      workflowType: 'sweepHealth',
      workflowId: SWEEP_ID,
      taskQueue: CONTROL_QUEUE,
      args: [],
      workflowExecutionTimeout: LONGEST_MS,
      staticSummary: 'Check the sending health of every connected account',
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>
  try {
    await temporal.schedule.create({ scheduleId: SWEEP_ID, ...settings })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await temporal.schedule
      .getHandle(SWEEP_ID)
      .update((found) => ({ ...found, ...settings, state: found.state }))
  }
}
