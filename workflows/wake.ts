import { condition, defineSignal, setHandler } from '@temporalio/workflow'
import { WAKE_SIGNAL } from './contract.ts'

/** A rest that a signal ends early. */
export interface Rest {
  /**
   * Waits for `ms`, or until somebody has woken the workflow since it last woke up. Returns whether
   * somebody has.
   */
  (ms: number): Promise<boolean>
}

/** Listens to the signal that says: look into Postgres, there may be something to do. */
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
