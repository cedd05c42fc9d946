import {
  CLOSING_FAILURES,
  DISABLE_AFTER_MS,
  DISABLING_FAILURES,
  GATE_WAITS_MS,
} from './hook-retries.ts'

/** Times in milliseconds since 1970. */
export interface EndpointHealth {
  /** Failed calls since the last that succeeded. */
  failures: number
  failingSinceMs: number | null
  /** Closed gates since the last success. */
  gateStep: number
  /** No call before then; after that one at a time until one succeeds. Null: the gate is open. */
  gateUntilMs: number | null
}

export interface EndedCalls {
  succeeded: number
  failed: number
  /** The receiver answered that it is gone for good. */
  isGone: boolean
  /** The longest wait that the receiver asked for. */
  retryAfterMs: number
}

export type DisablingReason = 'failing' | 'gone'

const HEALTHY: EndpointHealth = {
  failures: 0,
  failingSinceMs: null,
  gateStep: 0,
  gateUntilMs: null,
}

/**
 * Returns the health of an endpoint after calls. One success makes it healthy. After some failures
 * in a row its gate closes, each time for longer: calls that were under way when it closed do not
 * count as trials.
 */
export function healthAfter(
  health: EndpointHealth,
  { succeeded, failed, retryAfterMs }: EndedCalls,
  nowMs: number,
): EndpointHealth {
  if (succeeded > 0) return HEALTHY
  if (failed === 0) return health
  const { gateStep, gateUntilMs } = health
  const failures = health.failures + failed
  const failingSinceMs = health.failingSinceMs ?? nowMs
  const askedUntilMs = retryAfterMs > 0 ? nowMs + retryAfterMs : 0
  const isClosed = gateUntilMs !== null && gateUntilMs > nowMs
  const isClosing = failures >= CLOSING_FAILURES && !isClosed
  const nextStep = isClosing ? Math.min(gateStep + 1, GATE_WAITS_MS.length) : gateStep
  const waitMs = isClosing ? (GATE_WAITS_MS[nextStep - 1] ?? 0) : 0
  const untilMs = Math.max(gateUntilMs ?? 0, askedUntilMs, waitMs > 0 ? nowMs + waitMs : 0)
  return { failures, failingSinceMs, gateStep: nextStep, gateUntilMs: untilMs || null }
}

/** Returns why an endpoint is to be disabled. Undefined: it stays enabled. */
export function disablingReason(
  { failures, failingSinceMs }: EndpointHealth,
  { isGone }: Pick<EndedCalls, 'isGone'>,
  nowMs: number,
): DisablingReason | undefined {
  if (isGone) return 'gone'
  const hasFailedLong = failingSinceMs !== null && nowMs - failingSinceMs >= DISABLE_AFTER_MS
  return hasFailedLong && failures >= DISABLING_FAILURES ? 'failing' : undefined
}
