import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleOptions,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { CONTROL_QUEUE } from '../../workflows/contract.ts'

export interface Rhythm {
  everyMs: number
  jitterMs: number
}

interface Scheduled extends Rhythm {
  /** Of the schedule, and what the ids of its runs begin with. */
  id: string
  workflowType: string
  summary: string
  /** A run that was missed for longer is not made up for. */
  catchUpMs: number
  /** A run that takes longer has lost its workers: it must not hold up the next for ever. */
  longestMs: number
}

/**
 * Makes a schedule of ours, or gives the one that is there our present settings; what an operator
 * paused stays paused. While a run is under way the next ones are skipped. Every worker does so:
 * the id is one, so is the schedule.
 */
export async function ensureSchedule(
  temporal: Client,
  { id, workflowType, summary, everyMs, jitterMs, catchUpMs, longestMs }: Scheduled,
): Promise<void> {
  const settings = {
    spec: { intervals: [{ every: everyMs }], jitter: jitterMs },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: catchUpMs },
    action: {
      type: 'startWorkflow',
      workflowType,
      workflowId: id,
      taskQueue: CONTROL_QUEUE,
      args: [],
      workflowExecutionTimeout: longestMs,
      staticSummary: summary,
    },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>
  try {
    await temporal.schedule.create({ scheduleId: id, ...settings })
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await temporal.schedule
      .getHandle(id)
      .update((found) => ({ ...found, ...settings, state: found.state }))
  }
}

export async function isThere(temporal: Client, scheduleId: string): Promise<boolean> {
  try {
    await temporal.schedule.getHandle(scheduleId).describe()
    return true
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false
    throw error
  }
}
