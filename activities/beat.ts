import { Context } from '@temporalio/activity'

/** A third of the heartbeat timeout that the workflows give the sending activities. */
const EVERY_MS = 3_000

/**
 * Runs an activity that tells the server all the while that it is alive, whatever it waits for: a
 * lost worker is noticed after ten seconds, a slow provider is not taken for one.
 */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  context.heartbeat()
  const timer = setInterval(() => context.heartbeat(), EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
