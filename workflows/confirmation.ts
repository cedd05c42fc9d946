import {
  CancellationScope,
  condition,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow'
import type { ConfirmationInput } from '../activities/consent/confirmations.ts'
import type { ControlActivities } from '../activities/index.ts'
import { EXPIRE_AFTER_MS, REMIND_AFTER_MS } from '../src/domain/consent/subscription.ts'

const { mailConfirmations, expireConfirmations } = proxyActivities<ControlActivities>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '200ms', maximumInterval: '30s' },
})

/**
 * Asks for confirmations: a mail at once, a reminder after three days, and after thirty days what
 * is still awaited expires. `isEnded` is checked while it waits.
 *
 * Owns nothing: what is awaited is in Postgres, and each step acts on that alone, whatever happened
 * since the last. Cancelled in the Temporal UI, it expires the confirmations at once instead of
 * leaving rows that wait for ever.
 */
export async function askForConfirmations(
  asked: ConfirmationInput,
  isEnded: () => boolean = () => false,
): Promise<void> {
  const startedAt = Date.now()
  const until = (ms: number): Promise<boolean> =>
    condition(isEnded, Math.max(1, startedAt + ms - Date.now()))
  try {
    if (!(await mailConfirmations({ ...asked, mail: 1 }))) return setCurrentDetails('Not awaited')
    setCurrentDetails('Mailed, a reminder follows after 3 days')
    if (await until(REMIND_AFTER_MS)) return setCurrentDetails('No longer awaited')
    if (!(await mailConfirmations({ ...asked, mail: 2 }))) {
      return setCurrentDetails('No longer awaited')
    }
    setCurrentDetails('Reminded, given up after 30 days')
    if (await until(EXPIRE_AFTER_MS)) return setCurrentDetails('No longer awaited')
    await expireConfirmations(asked)
    setCurrentDetails('Given up')
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => expireConfirmations(asked))
    }
    throw error
  }
}
