import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow'
import type { MailActivities } from '../activities/index.ts'
import { type DispatchMailInput, HEARTBEAT_TIMEOUT, MAIL_QUEUE } from './contract.ts'
import { drainWhileWoken } from './drain-while-woken.ts'

const { drainMail } = proxyActivities<MailActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * Sends a connection's single mail: transactional mail, confirmations, mail of flows. There is one
 * run for each connection while it has mail. It ends after a minute without mail.
 */
export const dispatchMail = (input: DispatchMailInput): Promise<void> =>
  drainWhileWoken(
    async () => {
      const { waitMs, resumeAt, more } = await drainMail(input)
      if (waitMs !== undefined) await sleep(Math.max(1, waitMs))
      else if (resumeAt !== undefined) await sleep(Math.max(1, resumeAt - Date.now()))
      return more
    },
    () => continueAsNew<typeof dispatchMail>(input),
  )
