import { condition, defineSignal, setHandler } from '@temporalio/workflow'
import { WAKE_SIGNAL } from './contract.ts'

/** A rest that a signal ends early. */
export interface Rest {
  /** Waits for `ms`, or until somebody has woken the workflow since it last woke up. */
  (ms: number): Promise<void>
}

/** Listens to the signal that says: look into Postgres, there may be something to do. */
export function restUntilWoken(): Rest {
  let isWoken = false
  setHandler(defineSignal(WAKE_SIGNAL), () => {
    isWoken = true
  })
  return async (ms) => {
    await condition(() => isWoken, Math.max(1, ms))
    isWoken = false
  }
}
