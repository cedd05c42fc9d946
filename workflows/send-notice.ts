import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { NoticeActivities } from '../activities/index.ts'
import { MAIL_QUEUE, type SendNoticeInput } from './contract.ts'

const activities = proxyActivities<NoticeActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1s', maximumInterval: '5 minutes' },
})

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 300_000

/**
 * Mails a notice to an organization's owners, once to each. The rows of the notice record its
 * recipients. The run returns until all of them are done, at the latest after a day, when the
 * activity gives up on the rest. Failed tries wait longer each time, and at random: the recipients
 * of many notices compete for the few mails a second that the operator may send.
 */
export async function sendNotice(input: SendNoticeInput): Promise<void> {
  for (let inVain = 0; ; inVain++) {
    const { waitMs, told } = await activities.sendNotice(input)
    if (waitMs === null) return
    if (told > 0) inVain = 0
    const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** inVain)
    await sleep(Math.ceil(waitMs + Math.random() * most))
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof sendNotice>(input)
  }
}
