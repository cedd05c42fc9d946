import type { Client } from '@temporalio/client'
import { SWEEP_ID } from '../../workflows/contract.ts'
import { ensureSchedule, type Rhythm } from './ensure-schedule.ts'

/** How often all accounts are checked. */
const EVERY_MS = 3_600_000
/** So that not every installation asks the provider at the full hour. */
const JITTER_MS = 300_000
/** The next sweep is near. */
const CATCH_UP_MS = 600_000
const LONGEST_MS = 3 * EVERY_MS

/** Makes or corrects the schedule of the health sweep. */
export const ensureSweepSchedule = (
  temporal: Client,
  rhythm: Rhythm = { everyMs: EVERY_MS, jitterMs: JITTER_MS },
): Promise<void> =>
  ensureSchedule(temporal, {
    id: SWEEP_ID,
    workflowType: 'sweepHealth',
    summary: 'Check the sending health of every connected account',
    catchUpMs: CATCH_UP_MS,
    longestMs: LONGEST_MS,
    ...rhythm,
  })
