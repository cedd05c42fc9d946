import { continueAsNew, proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { HookActivities } from '../activities/index.ts'
import { type DispatchHooksInput, HEARTBEAT_TIMEOUT, HOOK_QUEUE } from './contract.ts'
import { drainWhileWoken } from './drain-while-woken.ts'

const { drainHooks } = proxyActivities<HookActivities>({
  taskQueue: HOOK_QUEUE,
  startToCloseTimeout: '7 minutes',
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * Calls the webhook endpoints of a shard. One per shard, long-lived while there are events, gone
 * after a minute without.
 */
export const dispatchHooks = (input: DispatchHooksInput): Promise<void> =>
  drainWhileWoken(
    async () => {
      const { more, summary } = await drainHooks(input)
      if (summary !== undefined) setCurrentDetails(summary)
      return more
    },
    () => continueAsNew<typeof dispatchHooks>(input),
  )
