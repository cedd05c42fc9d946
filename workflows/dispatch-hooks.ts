import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import type { HookActivities } from '../activities/index.ts'
import { type DispatchHooksInput, HEARTBEAT_TIMEOUT, HOOK_QUEUE, WAKE_SIGNAL } from './contract.ts'

const { drainHooks } = proxyActivities<HookActivities>({
  taskQueue: HOOK_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

const IDLE = '60s'

/**
 * Calls the webhook endpoints of a shard. One per shard, long-lived while there are events, gone
 * after a minute without.
 *
 * The rows of the queue decide; the signal only wakes. `dirty` is cleared **before** each drain: a
 * row that is written while one runs is found by it or by the next.
 */
export async function dispatchHooks(input: DispatchHooksInput): Promise<void> {
  let dirty = true
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    dirty = true
  })
  for (;;) {
    while (dirty) {
      dirty = false
      const { more, summary } = await drainHooks(input)
      if (summary !== undefined) setCurrentDetails(summary)
      if (more) dirty = true
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof dispatchHooks>(input)
    }
    await condition(() => dirty, IDLE)
    if (!dirty) return
  }
}
