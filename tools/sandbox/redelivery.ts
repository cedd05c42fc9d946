import type { Settings } from './settings.ts'

/** One attempt and what came of it. */
export interface Attempt {
  /** Attempts before this one. */
  before: number
  /** When the bus got the event. */
  arrivedAt: number
  /** 0: no answer in time, or no connection. */
  status: number
  /** What the answer's Retry-After asks for; 0 without one. */
  retryAfterMs: number
}

export type Verdict = { state: 'delivered' | 'dropped' } | { state: 'pending'; dueAt: number }

/**
 * Statuses below 500 that the bus tries again (EventBridge user guide, "API destination error
 * codes"); every other 4xx ends the event.
 */
const RETRIED = [401, 407, 409, 429]

/**
 * What becomes of an event after an attempt. Each event has a schedule of its own: gaps that double
 * from `eventRetryFirstMs` to `eventRetryLongestMs`, a quarter longer or shorter by chance, so that
 * after an outage a new event overtakes the old ones. The bus takes the longer of its own gap and
 * Retry-After, and gives up an event that is too old or was tried too often. `eventTimeScale`
 * shortens the gaps and the age together; what the receiver asks for is taken as it is.
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
