import { decide, type Decision, sameWindows, type Window } from './decision.ts'

/**
 * Share of the smallest limit that a process leases. Four processes together lease 1.6 %, which is
 * refused too early if they stand still, and exceeded if it is used late.
 */
const PART = 1 / 250
/** Age at which the store is asked again, since other processes have counted, too. */
const FRESH_MS = 1_000
/** Limits memory. Dropped leases stay counted. */
const MOST_LEASES = 10_000

interface Lease {
  windows: readonly Window[]
  remainingRequests: number
  remaining: number[]
  freesAt: number[]
}

/**
 * Requests that were counted in the store in advance: without them each request of a busy
 * organization would wait for two statements instead of one. Small limits have none. `now` is a
 * clock in milliseconds.
 */
export function createLeases(now: () => number) {
  const leases = new Map<string, Lease & { freshUntil: number }>()

  return {
    take(subject: string, windows: readonly Window[]): Decision | undefined {
      const lease = leases.get(subject)
      if (!lease || lease.remainingRequests === 0 || now() >= lease.freshUntil) return undefined
      if (!sameWindows(lease.windows, windows)) return undefined
      lease.remainingRequests--
      const remaining = lease.remaining.map((each) => each + lease.remainingRequests)
      return decide({ allowed: true, windows, remaining, freesAt: lease.freesAt, time: now() })
    },

    /** Takes the rest of a lease out of use and returns the size of the next one. */
    claim(
      subject: string,
      windows: readonly Window[],
    ): { remainingRequests: number; most: number } {
      const lease = leases.get(subject)
      leases.delete(subject)
      const remainingRequests =
        lease && sameWindows(lease.windows, windows) ? lease.remainingRequests : 0
      return {
        remainingRequests,
        most: Math.floor(Math.min(...windows.map(({ limit }) => limit)) * PART),
      }
    },

    put(subject: string, lease: Lease): void {
      if (leases.size >= MOST_LEASES) leases.clear()
      leases.set(subject, { ...lease, freshUntil: now() + FRESH_MS })
    },
  }
}
export type Leases = ReturnType<typeof createLeases>
