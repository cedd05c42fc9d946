import type { Sql } from '../../src/store/db/sql.ts'
import * as rateLimits from '../../src/store/platform/rate-limits.ts'
import { decide, type Decision, sameWindows, type Window } from './decision.ts'
import { createLeases } from './leases.ts'
import { createLocalWindows } from './local-windows.ts'
import { createStoreQueue } from './store-queue.ts'

export interface Limiter {
  /**
   * Counts one request of `subject` when it fits into every window, and says so; a refused one is
   * not counted. Never rejects: without its store everything is allowed, but for tries of passwords
   * and keys, which each process then counts by itself.
   */
  take(subject: string, windows: readonly Window[]): Promise<Decision>
  close(): Promise<void>
}

interface LimiterOptions {
  /** A small pool of the limiter's own: a decision does not wait behind other statements. */
  open: () => Sql
  log: { error: (about: object, message: string) => void }
  /** Told of every request that was let through uncounted: the store did not answer. */
  onUnlimited?: () => void
  /** A request waits for the store so long at most; milliseconds. */
  deadlineMs?: number
  /** Milliseconds; only in tests. Absent: the store's clock. */
  now?: () => number
}

interface Refusal {
  windows: readonly Window[]
  remaining: number[]
  freesAt: number[]
  until: number
}

const DEADLINE_MS = 250
/** Memory; who is not remembered is refused by the store. */
const MOST_REFUSALS = 20_000
const FORGET_EVERY_MS = 60_000
/** Rows of the store; the most short-lived go first. */
const MOST_STORED = 500_000
/** Guessing must not become cheaper while the store fails. */
const ALWAYS_COUNTED = /^(?:login-|guesses:)/

/** Sliding windows shared by all processes; how exact they are is written in the migration. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { open, log, onUnlimited, now, deadlineMs = DEADLINE_MS } = options
  const clock = now ?? (() => performance.now())
  const leases = createLeases(clock)
  const queue = createStoreQueue({ open, log, leases, deadlineMs, now })
  const takeLocally = createLocalWindows(clock)
  /** Nothing of these fits before `until`, by the local clock: nobody else frees a window. */
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
      leases.put(subject, { windows, left: spare, remaining: after, freesAt: local })
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
