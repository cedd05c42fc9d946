/** At most `limit` requests in any `seconds` seconds. */
export interface Window {
  limit: number
  seconds: number
}

export interface Decision {
  allowed: boolean
  windows: readonly Window[]
  /** The window with the fewest requests left; of equals, the one that takes longest. */
  nearest: Window & {
    /** Requests that would still be let through. */
    remaining: number
    /** Until the oldest requests leave the window. */
    resetSeconds: number
  }
  /** How long to wait; 0 when it was allowed. */
  retryAfterSeconds: number
}

interface Figures {
  allowed: boolean
  windows: readonly Window[]
  /** Of each window, as `freesAt`. */
  remaining: readonly number[]
  /** When the oldest requests leave; milliseconds, by the same clock as `time`. */
  freesAt: readonly number[]
  time: number
}

export const sameWindows = (a: readonly Window[], b: readonly Window[]): boolean =>
  a === b || (a.length === b.length && a.every(({ limit }, i) => limit === b[i]?.limit))

/** What a caller is told. */
export function decide({ allowed, windows, remaining, freesAt, time }: Figures): Decision {
  const [nearest] = windows
    .map((window, i) => ({
      ...window,
      remaining: remaining[i] ?? 0,
      resetSeconds: Math.max(1, Math.ceil(((freesAt[i] ?? 0) - time) / 1_000)),
    }))
    .toSorted((a, b) => a.remaining - b.remaining || b.resetSeconds - a.resetSeconds)
  if (!nearest) throw new RangeError('a subject has at least one window')
  return { allowed, windows, nearest, retryAfterSeconds: allowed ? 0 : nearest.resetSeconds }
}
