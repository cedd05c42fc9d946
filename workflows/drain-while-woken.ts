import { condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow'
import { WAKE_SIGNAL } from './contract.ts'

/** A dispatcher ends after this time without rows. */
const IDLE = '60s'

/**
 * Drains a queue until it was empty for a minute. `drain` returns true if there may be more rows.
 * `startAnew` continues as a new run.
 *
 * The rows of the queue decide, and the signal only wakes. `dirty` is cleared **before** each
 * drain: a row that is written during a drain is found by it or by the next one.
 */
export async function drainWhileWoken(
  drain: () => Promise<boolean>,
  startAnew: () => Promise<never>,
): Promise<void> {
  let dirty = true
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    dirty = true
  })
  for (;;) {
    while (dirty) {
      dirty = false
      if (await drain()) dirty = true
      if (workflowInfo().continueAsNewSuggested) await startAnew()
    }
    await condition(() => dirty, IDLE)
    if (!dirty) return
  }
}
