import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import type { RetentionProgress } from './contract.ts'

const { dropOldDays, deleteOldRows, deleteMailReferences } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumInterval: '1 minute' },
})

/**
 * Deletes logs beyond the plans' retention. A schedule starts it and skips a time at which it is
 * still running.
 *
 * Owns nothing: deleted rows are not found again, and the next run finds the rest, so that a lost
 * worker costs nothing and every activity may run twice. It returns what it did, and which days it
 * had to leave.
 */
export async function keepRetention(progress?: RetentionProgress): Promise<RetentionProgress> {
  const done = progress ?? { ...(await dropOldDays()), deleted: 0 }
  for (;;) {
    const { deleted, more } = await deleteOldRows()
    done.deleted += deleted
    if (!more) break
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof keepRetention>(done)
  }
  done.deleted += await deleteMailReferences()
  return done
}
