/** So many requests in so many seconds, whenever they begin. */
export interface Window {
  limit: number
  seconds: number
}

interface WindowState extends Window {
  /** Requests that would still be let through. */
  remaining: number
  /** Until the oldest requests leave the window. */
  resetSeconds: number
}

export interface Decision {
  allowed: boolean
  windows: readonly Window[]
  /** The window with the fewest requests left; of equals, the one that takes longest. */
  nearest: WindowState
  /** How long to wait; 0 when it was allowed. */
  retryAfterSeconds: number
}

interface Figures {
  windows: readonly Window[]
  remaining: readonly number[]
  freesAt: readonly number[]
}

/** What a caller is told; `extra` more are left than `figures` say, at `time` of the store. */
export function decide(
  allowed: boolean,
  { windows, remaining, freesAt }: Figures,
  extra: number,
  time: number,
): Decision {
  let nearest: WindowState | undefined
  for (let i = 0; i < windows.length; i++) {
    const window = windows[i]
    if (!window) continue
    const left = (remaining[i] ?? 0) + extra
    const resetSeconds = Math.max(1, Math.ceil(((freesAt[i] ?? 0) - time) / 1_000))
    const isNearer =
      !nearest ||
      left < nearest.remaining ||
      (left === nearest.remaining && resetSeconds > nearest.resetSeconds)
    if (!isNearer) continue
    nearest = { limit: window.limit, seconds: window.seconds, remaining: left, resetSeconds }
  }
  if (!nearest) throw new RangeError('a subject has at least one window')
  return {
    allowed,
    windows,
    nearest,
    retryAfterSeconds: allowed ? 0 : nearest.resetSeconds,
  }
}

/** For when nobody knows: everything is allowed. */
export const unlimited = (windows: readonly Window[]): Decision =>
  decide(
    true,
    {
      windows,
      remaining: windows.map(({ limit }) => limit),
      freesAt: windows.map(({ seconds }) => seconds * 1_000),
    },
    0,
    0,
  )
