import { Context } from '@temporalio/activity'

/** Heartbeats within a timeout. A busy process may miss two. Each costs the server 2 ms. */
const BEATS = 3
/** Interval if the workflow sets no timeout. Heartbeats then only deliver cancellation. */
const EVERY_MS = 3_000

/**
 * Runs an activity that tells the server all the while that it is alive, whatever it waits for: a
 * lost worker is noticed after the heartbeat timeout, a slow provider is not taken for one. A short
 * activity beats never: the timeout counts from its start.
 */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const { heartbeatTimeoutMs } = context.info
  const everyMs = heartbeatTimeoutMs ? heartbeatTimeoutMs / BEATS : EVERY_MS
  const timer = setInterval(() => context.heartbeat(), everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
