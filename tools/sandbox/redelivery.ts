import type { Settings } from './settings.ts'

export interface Attempt {
  /** Attempts before this one. */
  before: number
  /** Time at which the bus got the event. */
  arrivedAt: number
  /** 0: no answer in time, or no connection. */
  status: number
  /** Retry-After of the answer, or 0. */
  retryAfterMs: number
}

export type Verdict = { state: 'delivered' | 'dropped' } | { state: 'pending'; dueAt: number }

/**
 * Statuses below 500 that the bus repeats (EventBridge user guide, "API destination error codes").
 * Other 4xx end the event.
 */
const RETRIED = [401, 407, 409, 429]

/**
 * Decides about an event after an attempt. Each event has its own schedule: gaps that double from
 * `eventRetryFirstMs` to `eventRetryLongestMs`, varied by a quarter, so that after an outage new
 * events overtake old ones. The longer of the gap and Retry-After applies. Events that are too old
 * or were tried too often are dropped. `eventTimeScale` shortens gaps and age, but not Retry-After.
 */
export function redelivery(attempt: Attempt, settings: Settings, now: number): Verdict {
  const { before, arrivedAt, status, retryAfterMs } = attempt
  const { eventTimeScale: scale } = settings
  if (status >= 200 && status < 300) return { state: 'delivered' }
  const isRetried = status === 0 || status >= 500 || RETRIED.includes(status)
  const isTooOld = now - arrivedAt > settings.eventKeepMs * scale
  if (!isRetried || retryAfterMs < 0 || isTooOld || before >= settings.eventMaxRetries) {
    return { state: 'dropped' }
  }
  const doubled = settings.eventRetryFirstMs * 2 ** Math.min(before, 30)
  const gap = Math.min(doubled, settings.eventRetryLongestMs) * scale * (0.75 + Math.random() / 2)
  return { state: 'pending', dueAt: now + Math.max(gap, retryAfterMs) }
}
