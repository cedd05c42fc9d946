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
  /** Id of the schedule, and prefix of its runs' ids. */
  id: string
  workflowType: string
  summary: string
  /** Age above which a missed run is not made up for. */
  catchUpMs: number
  /** Longest run. A longer one has lost its workers and must not hold up the next for ever. */
  longestMs: number
}

/**
 * Creates a schedule, or updates its settings. A schedule that an operator paused stays paused.
 * Runs are skipped while one is running. Every worker calls this; the id is the same, so there is
 * one schedule.
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
      .update((former) => ({ ...former, ...settings, state: former.state }))
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
