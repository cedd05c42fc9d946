import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow'
import type { TextActivities } from '../activities/index.ts'
import { type DispatchTextsInput, HEARTBEAT_TIMEOUT, MAIL_QUEUE } from './contract.ts'
import { drainWhileWoken } from './drain-while-woken.ts'

const { drainTexts } = proxyActivities<TextActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * Sends a connection's single text messages. There is one run for each connection while it has
 * texts. It ends after a minute without any.
 */
export const dispatchTexts = (input: DispatchTextsInput): Promise<void> =>
  drainWhileWoken(
    async () => {
      const { waitMs, more } = await drainTexts(input)
      if (waitMs > 0) await sleep(waitMs)
      return more
    },
    () => continueAsNew<typeof dispatchTexts>(input),
  )
