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
 * Requests confirmations: an email at once, a reminder after three days, and after thirty days the
 * awaited ones expire. `isEnded` is checked while it waits.
 *
 * Owns nothing: what is awaited, and since when, is in Postgres, and each step depends on that
 * alone, whatever happened since the last one. So a run that replaces a lost one continues where
 * that one was (src/loops/open-rows.ts starts it). Cancelled in the Temporal UI, it expires the
 * confirmations at once, so that no rows wait for ever.
 */
export async function askForConfirmations(
  input: ConfirmationInput,
  isEnded: () => boolean = () => false,
): Promise<void> {
  let askedAt = Date.now()
  const until = (ms: number): Promise<boolean> =>
    condition(isEnded, Math.max(1, askedAt + ms - Date.now()))
  try {
    const awaitedForMs = await mailConfirmations({ ...input, mail: 1 })
    if (!awaitedForMs) return setCurrentDetails('Not awaited')
    // Histories of 1.0.0 before this have `true`, which counts as a millisecond.
    askedAt = Date.now() - awaitedForMs
    setCurrentDetails('Mailed, a reminder follows after 3 days')
    if (await until(REMIND_AFTER_MS)) return setCurrentDetails('No longer awaited')
    if (!(await mailConfirmations({ ...input, mail: 2 }))) {
      return setCurrentDetails('No longer awaited')
    }
    setCurrentDetails('Reminded, given up after 30 days')
    if (await until(EXPIRE_AFTER_MS)) return setCurrentDetails('No longer awaited')
    await expireConfirmations(input)
    setCurrentDetails('Given up')
  } catch (error) {
    if (isCancellation(error)) {
      await CancellationScope.nonCancellable(() => expireConfirmations(input))
    }
    throw error
  }
}
