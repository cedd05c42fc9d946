import { condition, defineSignal, setHandler } from '@temporalio/workflow'
import { WAKE_SIGNAL } from './contract.ts'

export interface Rest {
  /**
   * Waits for `ms`, or until the workflow is woken. A signal since the last wake-up counts. Returns
   * whether it was woken.
   */
  (ms: number): Promise<boolean>
}

/** Listens for the signal to look into Postgres, where there may be work. */
export function restUntilWoken(): Rest {
  let isWoken = false
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    isWoken = true
  })
  return async (ms) => {
    const wasWoken = await condition(() => isWoken, Math.max(1, ms))
    isWoken = false
    return wasWoken
  }
}
