import type { Client } from '@temporalio/client'
import { RETENTION_ID } from '../../workflows/contract.ts'
import { ensureSchedule, type Rhythm } from './ensure-schedule.ts'

/** Interval of runs. Logs expire once a day; days that were busy or held are tried again sooner. */
const EVERY_MS = 6 * 3_600_000
const JITTER_MS = 1_800_000
const CATCH_UP_MS = 3_600_000
/** Longest run, for an installation that deletes for the first time. */
const LONGEST_MS = 24 * 3_600_000

export const ensureRetentionSchedule = (
  temporal: Client,
  rhythm: Rhythm = { everyMs: EVERY_MS, jitterMs: JITTER_MS },
): Promise<void> =>
  ensureSchedule(temporal, {
    id: RETENTION_ID,
    workflowType: 'keepRetention',
    summary: 'Delete logs that plans do not keep any more',
    catchUpMs: CATCH_UP_MS,
    longestMs: LONGEST_MS,
    ...rhythm,
  })
