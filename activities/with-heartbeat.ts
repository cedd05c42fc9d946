import { Context } from '@temporalio/activity'

/** Heartbeats within a timeout. A busy process may miss two. Each costs the server 2 ms. */
const BEATS = 3
/** Interval if the workflow sets no timeout. Heartbeats then only deliver cancellation. */
const EVERY_MS = 3_000

/**
 * Runs an activity with heartbeats until it ends: a lost worker is noticed after the heartbeat
 * timeout, and a slow provider is not mistaken for one.
 */
export async function withHeartbeat<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const { heartbeatTimeoutMs } = context.info
  context.heartbeat()
  const everyMs = heartbeatTimeoutMs ? heartbeatTimeoutMs / BEATS : EVERY_MS
  const timer = setInterval(() => context.heartbeat(), everyMs)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
