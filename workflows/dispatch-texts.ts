import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'
import type { TextActivities } from '../activities/index.ts'
import { type DispatchTextsInput, HEARTBEAT_TIMEOUT, MAIL_QUEUE, WAKE_SIGNAL } from './contract.ts'

const { drainTexts } = proxyActivities<TextActivities>({
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

const IDLE = '60s'

/**
 * Sends a connection's single text messages. There is one run for each connection while it has
 * texts. It ends after a minute without any.
 *
 * The rows of the queue of texts decide, and the signal only wakes. `dirty` is cleared **before**
 * each drain: a row that is written during a drain is found by it or by the next one.
 */
export async function dispatchTexts(input: DispatchTextsInput): Promise<void> {
  let dirty = true
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    dirty = true
  })
  for (;;) {
    while (dirty) {
      dirty = false
      const { waitMs, more } = await drainTexts(input)
      if (more) dirty = true
      if (waitMs > 0) await sleep(waitMs)
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof dispatchTexts>(input)
    }
    await condition(() => dirty, IDLE)
    if (!dirty) return
  }
}
