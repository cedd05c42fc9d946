import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { NoticeActivities } from '../activities/index.ts'
import { MAIL_QUEUE, type SendNoticeInput } from './contract.ts'

const activities = proxyActivities<NoticeActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1s', maximumInterval: '5 minutes' },
})

/**
 * Tells an organization's owners something by mail, each once. The rows of the notice decide who
 * has been told; this only comes back until everybody has been seen to, at the latest after a day,
 * when the activity sets the rest aside.
 */
export async function sendNotice(input: SendNoticeInput): Promise<void> {
  for (;;) {
    const { waitMs } = await activities.sendNotice(input)
    if (waitMs === null) return
    await sleep(waitMs)
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendNotice>(input)
  }
}
