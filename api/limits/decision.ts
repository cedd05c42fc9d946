export interface Window {
  limit: number
  seconds: number
}

export interface Decision {
  allowed: boolean
  windows: readonly Window[]
  /** The window with the fewest remaining requests, or of equal ones the one that takes longest. */
  nearest: Window & {
    remaining: number
    resetSeconds: number
  }
  /** Seconds to wait. 0 if the request is allowed. */
  retryAfterSeconds: number
}

interface Figures {
  allowed: boolean
  windows: readonly Window[]
  remaining: readonly number[]
  /** Time at which the oldest requests leave, in milliseconds of `time`'s clock. */
  freesAt: readonly number[]
  time: number
}

export const sameWindows = (a: readonly Window[], b: readonly Window[]): boolean =>
  a === b || (a.length === b.length && a.every(({ limit }, i) => limit === b[i]?.limit))

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
