import type { Sql } from '../../src/store/db/sql.ts'
import * as rateLimits from '../../src/store/platform/rate-limits.ts'
import { decide, type Decision, sameWindows, type Window } from './decision.ts'
import { createLeases } from './leases.ts'
import { createLocalWindows } from './local-windows.ts'
import { createStoreQueue } from './store-queue.ts'

export interface Limiter {
  /**
   * Counts one request of `subject` if it fits into every window. Refused requests are not counted.
   * Never rejects: without its store every request is allowed, except logins and guesses, which
   * each process then counts by itself.
   */
  take(subject: string, windows: readonly Window[]): Promise<Decision>
  close(): Promise<void>
}

interface LimiterOptions {
  /**
   * Opens a small pool for the limiter, so that a decision does not wait behind other statements.
   */
  open: () => Sql
  log: { error: (about: object, message: string) => void }
  /** Called for every request that was allowed uncounted because the store did not answer. */
  onUnlimited?: () => void
  deadlineMs?: number
  /** Milliseconds, in tests only. Absent: the store's clock. */
  now?: () => number
}

interface Refusal {
  windows: readonly Window[]
  remaining: number[]
  freesAt: number[]
  until: number
}

const DEADLINE_MS = 250
/** Limits memory. The store refuses subjects that are not cached. */
const MOST_REFUSALS = 20_000
const FORGET_EVERY_MS = 60_000
/** Rows of the store. The most short-lived are dropped first. */
const MOST_STORED = 500_000
/** Guessing must not become cheaper while the store fails. */
const ALWAYS_COUNTED = /^(?:login-|guesses:)/

/** Sliding windows that all processes share. The migration describes their precision. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { open, log, onUnlimited, now, deadlineMs = DEADLINE_MS } = options
  const clock = now ?? (() => performance.now())
  const leases = createLeases(clock)
  const queue = createStoreQueue({ open, log, leases, deadlineMs, now })
  const takeLocally = createLocalWindows(clock)
  /** These subjects are full until `until` of the local clock, since nobody else frees a window. */
  const refusals = new Map<string, Refusal>()
  let isForgetting = false
  const timer = setInterval(() => void forget(), FORGET_EVERY_MS).unref()

  async function take(subject: string, windows: readonly Window[]): Promise<Decision> {
    const refusal = refusals.get(subject)
    if (refusal && clock() < refusal.until && sameWindows(refusal.windows, windows)) {
      return decide({ ...refusal, allowed: false, time: clock() })
    }
    const leased = leases.take(subject, windows)
    if (leased) return leased
    const answer = await queue.ask(subject, windows)
    if (answer === undefined) return withoutStore(subject, windows)
    const { place, spare, granted, used, freesAt, takenAt } = answer
    const allowed = place < granted
    const later = allowed ? granted - 1 - place : 0
    const remaining = windows.map(({ limit }, i) => Math.max(0, limit - (used[i] ?? 0)) + later)
    const ahead = takenAt - clock()
    const local = freesAt.map((at) => at - ahead)
    if (spare > 0) {
      const after = remaining.map((each) => each - later)
      leases.put(subject, { windows, remainingRequests: spare, remaining: after, freesAt: local })
    }
    if (!allowed) {
      if (refusals.size >= MOST_REFUSALS) refusals.clear()
      const until = Math.max(...local.filter((_, i) => remaining[i] === 0))
      refusals.set(subject, { windows, remaining, freesAt: local, until })
    }
    return decide({ allowed, windows, remaining, freesAt, time: takenAt })
  }

  function withoutStore(subject: string, windows: readonly Window[]): Decision {
    if (ALWAYS_COUNTED.test(subject)) return takeLocally(subject, windows)
    onUnlimited?.()
    const remaining = windows.map(({ limit }) => limit)
    const freesAt = windows.map(({ seconds }) => seconds * 1_000)
    return decide({ allowed: true, windows, remaining, freesAt, time: 0 })
  }

  async function forget(): Promise<void> {
    if (isForgetting) return
    isForgetting = true
    try {
      await rateLimits.forget(queue.store(), MOST_STORED, now?.())
    } catch (error) {
      log.error({ err: error }, 'could not forget old rate limits')
    }
    isForgetting = false
  }

  return {
    take,
    close: () => {
      clearInterval(timer)
      return queue.close()
    },
  }
}
