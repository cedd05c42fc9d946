import type { Client } from '@temporalio/client'
import { SWEEP_ID } from '../../workflows/contract.ts'
import { ensureSchedule, type Rhythm } from './ensure-schedule.ts'

const EVERY_MS = 3_600_000
/** Jitter, so that installations do not all ask the provider at the full hour. */
const JITTER_MS = 300_000
/** Age above which a missed sweep is not made up for, since the next one is near. */
const CATCH_UP_MS = 600_000
const LONGEST_MS = 3 * EVERY_MS

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
