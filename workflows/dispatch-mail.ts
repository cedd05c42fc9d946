import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { MailActivities } from '../activities/index.ts'
import { type DispatchMailInput, HEARTBEAT_TIMEOUT, MAIL_QUEUE, WAKE_SIGNAL } from './contract.ts'

const { drainMail } = proxyActivities<MailActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

const IDLE = '60s'

/**
 * Sends a connection's single mail: transactional mail, confirmations, mail of flows. There is one
 * run for each connection while it has mail. It ends after a minute without mail.
 *
 * The rows of the mail queue decide, and the signal only wakes. `dirty` is cleared **before** each
 * drain: a row that is written during a drain is found by it or by the next one.
 */
export async function dispatchMail(input: DispatchMailInput): Promise<void> {
  let dirty = true
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    dirty = true
  })
  for (;;) {
    while (dirty) {
      dirty = false
      const { waitMs, resumeAt, more } = await drainMail(input)
      if (more) dirty = true
      if (waitMs !== undefined) await sleep(Math.max(1, waitMs))
      else if (resumeAt !== undefined) await sleep(Math.max(1, resumeAt - Date.now()))
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof dispatchMail>(input)
    }
    await condition(() => dirty, IDLE)
    if (!dirty) return
  }
}
