import { decide, type Decision, sameWindows, type Window } from './decision.ts'

/**
 * A process keeps at most this part of the smallest limit. Four processes together keep 1.6 % of
 * it, which is refused too early when they stand still, and passed when it is all used late.
 */
const PART = 1 / 250
/** Then the store is asked again, for what other processes have counted. */
const FRESH_MS = 1_000
/** Memory; what is forgotten stays counted. */
const MOST_LEASES = 10_000

interface Lease {
  windows: readonly Window[]
  left: number
  /** Of each window, after the whole lease. */
  remaining: number[]
  /** By the local clock. */
  freesAt: number[]
}

/**
 * Requests that were counted in the store before they came: without them each request of a busy
 * organization would wait for two statements instead of one. Small limits have none. `now`: a clock
 * in milliseconds.
 */
export function createLeases(now: () => number) {
  const leases = new Map<string, Lease & { freshUntil: number }>()

  return {
    /** Lets one request through; undefined: the store decides. */
    take(subject: string, windows: readonly Window[]): Decision | undefined {
      const lease = leases.get(subject)
      if (!lease || lease.left === 0 || now() >= lease.freshUntil) return undefined
      if (!sameWindows(lease.windows, windows)) return undefined
      lease.left--
      const remaining = lease.remaining.map((each) => each + lease.left)
      return decide({ allowed: true, windows, remaining, freesAt: lease.freesAt, time: now() })
    },

    /** Takes back what is left of a lease, and says how large the next one may be. */
    claim(subject: string, windows: readonly Window[]): { left: number; most: number } {
      const lease = leases.get(subject)
      leases.delete(subject)
      const left = lease && sameWindows(lease.windows, windows) ? lease.left : 0
      return { left, most: Math.floor(Math.min(...windows.map(({ limit }) => limit)) * PART) }
    },

    put(subject: string, lease: Lease): void {
      if (leases.size >= MOST_LEASES) leases.clear()
      leases.set(subject, { ...lease, freshUntil: now() + FRESH_MS })
    },
  }
}
export type Leases = ReturnType<typeof createLeases>
