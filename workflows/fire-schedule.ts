import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { ControlActivities } from '../activities/index.ts'
import type { FireScheduleInput } from './contract.ts'

const { fireSchedulePage } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * One moment of a flow's schedule: starts the flow for every contact that was there at that moment,
 * page by page, and waits while the outbox holds too many starts.
 *
 * Owns nothing: each page checks whether the flow still runs by its schedule, and an execution is
 * named after flow, moment and contact, so that a page that runs twice starts each contact once.
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
 * The moment of the schedule, which is not when the run started: a missed one is made up for later.
 * A run that was started by hand has none.
 */
function scheduledTime(): string {
  const { searchAttributes, startTime } = workflowInfo()
  const [scheduled] = searchAttributes['TemporalScheduledStartTime'] ?? []
  return (scheduled instanceof Date ? scheduled : startTime).toISOString()
}
