import { Context } from '@temporalio/activity'

/** Heartbeats within a timeout. A busy process may miss two. Each costs the server 2 ms. */
const BEATS = 3
/** Interval if the workflow sets no timeout. Heartbeats then only deliver cancellation. */
const EVERY_MS = 3_000

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
