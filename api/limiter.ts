import { randomUUID } from 'node:crypto'
import * as rateLimits from '../src/store/rate-limits.ts'
import type { Sql } from '../src/store/sql.ts'
import { decide, type Decision, unlimited, type Window } from './limiter-decision.ts'
import { createLocalWindows } from './limiter-local.ts'
import { createStoreQueue } from './limiter-queue.ts'

export interface Limiter {
  /**
   * Counts one request of `subject` when it fits into every window, and says so; a refused one is
   * not counted. Within a process the windows of a subject never change, their limits may; a
   * release that changes them begins again. Never rejects: without its store everything is
   * allowed, but for tries of passwords and keys, which each process then counts by itself.
   */
  take(subject: string, windows: readonly Window[]): Decision | Promise<Decision>
  /** Gives back what is leased and closes the connections. */
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

/** What this process knows of a subject between two questions to the store. */
interface Known {
  windows: readonly Window[]
  /** Without what is leased to this process. */
  remaining: number[]
  freesAt: number[]
  /** Requests that may still be let through under the lease, until `leasedUntil`. */
  left: number
  leasedUntil: number
  /** Let through under the lease, to be told to the store. */
  used: number
  usedAt: number
  /** Nothing can be let through before; by the local clock. */
  refusedUntil: number
  askedAt: number
}

const DEADLINE_MS = 250
/** Less than the store's 500 ms: what was let through must be told before the lease runs out. */
const LEASE_MS = 300
const SETTLE_EVERY_MS = 50
/** Who asks again so soon gets a lease: the others would only give it back. */
const HOT_MS = 200
/** Windows up to this are decided at the store, always. */
const LEAST_LEASABLE = 1_000
/** Memory; who is not remembered is decided at the store. */
const MOST_KNOWN = 20_000
const FORGET_KNOWN_MS = 5_000
const FORGET_EVERY_MS = 60_000
/** Rows of the store; the most short-lived go first. */
const MOST_STORED = 500_000
/** Who guesses must not gain by a store that fails. */
const ALWAYS_COUNTED = /^(?:login-|guesses:)/

/**
 * Sliding windows shared by all processes, exact to 0.9 % of a limit (why: at the function in the
 * migration). Requests are counted by one statement for all that came while the one before ran;
 * large windows hand out slices that are counted in memory.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { open, log, onUnlimited, now, deadlineMs = DEADLINE_MS } = options
  const holder = randomUUID()
  const local = now ?? (() => performance.now())
  const known = new Map<string, Known>()
  const leased = new Set<string>()
  /** What the store's clock is ahead of the local one. */
  let ahead = 0
  let forgotAt = performance.now()
  let isForgetting = false
  const takeLocally = createLocalWindows(local)

  const queue = createStoreQueue<Decision>({
    open,
    log,
    deadlineMs,
    run,
    fallback: (subject, windows) => {
      if (ALWAYS_COUNTED.test(subject)) return takeLocally(subject, windows)
      onUnlimited?.()
      return unlimited(windows)
    },
  })
  const timer = setInterval(tidy, SETTLE_EVERY_MS).unref()

  function take(subject: string, windows: readonly Window[]): Decision | Promise<Decision> {
    const entry = known.get(subject)
    if (entry && isSame(entry.windows, windows)) {
      const time = local()
      if (entry.left > 0 && time < entry.leasedUntil) {
        entry.left--
        entry.used++
        entry.usedAt = time
        return decide(true, entry, entry.left, time + ahead)
      }
      if (time < entry.refusedUntil) return decide(false, entry, 0, time + ahead)
    }
    return queue.ask(subject, windows)
  }

  /** One statement for a set of subjects; answers the decisions of each, in the order asked. */
  async function run(
    sql: Sql,
    set: readonly { subject: string; windows: readonly Window[]; want: number }[],
  ): Promise<Decision[][]> {
    const sentAt = local()
    const asks = set.map(({ subject, windows, want }) => toAsk(subject, windows, want, sentAt))
    let grants: rateLimits.Grant[]
    try {
      grants = await rateLimits.take(sql, holder, asks, now?.())
    } catch (error) {
      for (const { subject, settled } of asks) {
        const entry = known.get(subject)
        if (entry) entry.used += settled
      }
      throw error
    }
    return set.map(({ subject, windows, want }, place) => {
      const grant = grants[place]
      if (!grant) throw new Error('the store answered too few grants')
      ahead = grant.takenAt - local()
      return note(subject, windows, { ...grant, want, sentAt })
    })
  }

  function toAsk(
    subject: string,
    windows: readonly Window[],
    want: number,
    time: number,
  ): rateLimits.Ask {
    const entry = known.get(subject)
    const isHot = want > 1 || (entry !== undefined && time - entry.askedAt < HOT_MS)
    const isLarge = windows.every(({ limit }) => limit > LEAST_LEASABLE)
    const ask = {
      subject,
      seconds: windows.map(({ seconds }) => seconds),
      limits: windows.map(({ limit }) => limit),
      want,
      settled: entry?.used ?? 0,
      settledAt: Math.floor((entry?.usedAt ?? time) + ahead),
      lease: want > 0 && isHot && isLarge && (entry !== undefined || known.size < MOST_KNOWN),
    }
    if (entry) {
      entry.left = 0
      entry.used = 0
    }
    return ask
  }

  function note(
    subject: string,
    windows: readonly Window[],
    grant: rateLimits.Grant & { want: number; sentAt: number },
  ): Decision[] {
    const { granted, leased: slice, onLease, used, freesAt, takenAt, want, sentAt } = grant
    const time = local()
    const before = known.get(subject)
    const entry: Known = {
      windows,
      remaining: windows.map(({ limit }, i) => Math.max(0, limit - (used[i] ?? 0))),
      freesAt,
      left: slice,
      leasedUntil: sentAt + LEASE_MS,
      used: before?.used ?? 0,
      usedAt: before?.usedAt ?? time,
      refusedUntil: 0,
      askedAt: sentAt,
    }
    if (before !== undefined || known.size < MOST_KNOWN) known.set(subject, entry)
    if (slice > 0) leased.add(subject)
    const decisions = Array.from({ length: want }, (_, i) =>
      i < granted
        ? decide(true, entry, slice + granted - 1 - i, takenAt)
        : decide(false, entry, 0, takenAt),
    )
    // While others have some on lease, more may be free in a moment than it looks.
    if (granted < want && onLease === 0) {
      const full = freesAt.filter((_, i) => entry.remaining[i] === 0)
      entry.refusedUntil = Math.max(...full) - ahead
    }
    return decisions
  }

  /** Gives back what was leased and not used in time, and forgets. */
  function tidy(): void {
    const time = local()
    for (const subject of leased) {
      const entry = known.get(subject)
      if (entry && time < entry.leasedUntil) continue
      leased.delete(subject)
      if (entry && (entry.left > 0 || entry.used > 0)) queue.tell(subject, entry.windows)
    }
    if (performance.now() - forgotAt < FORGET_EVERY_MS && known.size < MOST_KNOWN) return
    for (const [subject, entry] of known) {
      const isOld = time - entry.askedAt > FORGET_KNOWN_MS && time >= entry.refusedUntil
      if (isOld && entry.used === 0) known.delete(subject)
    }
    if (performance.now() - forgotAt < FORGET_EVERY_MS) return
    forgotAt = performance.now()
    if (!isForgetting) void forgetStored()
  }

  async function forgetStored(): Promise<void> {
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
    close: async () => {
      clearInterval(timer)
      for (const subject of leased) {
        const entry = known.get(subject)
        if (entry) queue.tell(subject, entry.windows)
      }
      await queue.close()
    },
  }
}

const isSame = (a: readonly Window[], b: readonly Window[]): boolean =>
  a === b || (a.length === b.length && a.every(({ limit }, i) => limit === b[i]?.limit))
