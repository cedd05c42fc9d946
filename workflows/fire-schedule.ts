import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import type { FireScheduleInput } from './contract.ts'

const { fireSchedulePage } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * A moment of a flow's schedule: starts the flow page by page for every contact that existed then,
 * and waits while the outbox holds too many starts.
 *
 * Owns nothing: each page checks whether the flow still uses its schedule, and an execution's id is
 * made from flow, moment and contact, so that a repeated page starts each contact once.
 */
export async function fireSchedule({
  organizationId,
  flowId,
  firedFor = scheduledTime(),
  after = null,
}: FireScheduleInput): Promise<void> {
  for (;;) {
    const page = await fireSchedulePage({ organizationId, flowId, firedFor, after })
    if (page.isLast) return
    after = page.after
    if (page.waitMs > 0) await sleep(page.waitMs)
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof fireSchedule>({ organizationId, flowId, firedFor, after })
    }
  }
}

/**
 * Returns the scheduled moment, which may be before the start of the run: a missed moment is made
 * up for later. A run that was started by hand has none.
 */
function scheduledTime(): string {
  const { searchAttributes, startTime } = workflowInfo()
  const [scheduled] = searchAttributes['TemporalScheduledStartTime'] ?? []
  return (scheduled instanceof Date ? scheduled : startTime).toISOString()
}
