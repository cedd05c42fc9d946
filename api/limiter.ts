/** So many in so many seconds, over a window that slides. */
interface Window {
  limit: number
  seconds: number
}

interface WindowState {
  limit: number
  seconds: number
  remaining: number
  resetSeconds: number
}

interface Decision {
  allowed: boolean
  windows: WindowState[]
  /** The window that is nearest to exhaustion. */
  nearest: WindowState
  retryAfterSeconds: number
}

/** Exact over all processes. What is refused is not counted. */
export interface Limiter {
  take(subject: string, windows: readonly Window[]): Decision | Promise<Decision>
  close(): Promise<void>
}

const MOST_SUBJECTS = 100_000

/** Knows the calls of its own process only, and the newest hundred thousand subjects. */
export function createProcessLimiter(now: () => number): Limiter {
  const taken = new Map<string, number[]>()

  return {
    take: (subject, windows) => {
      const at = now()
      const longest = Math.max(...windows.map(({ seconds }) => seconds * 1000))
      const times = (taken.get(subject) ?? []).filter((time) => time > at - longest)
      const states = windows.map((window) => stateOf(window, times, at))
      const [first, ...rest] = states
      if (!first) throw new RangeError('a limit has at least one window')
      const nearest = rest.reduce((a, b) => (b.remaining < a.remaining ? b : a), first)
      const full = states.filter(({ remaining }) => remaining === 0)
      // Again at the end: the first in the map is the one that was quiet for longest.
      taken.delete(subject)
      taken.set(subject, full.length === 0 ? [...times, at] : times)
      for (const [oldest] of taken) {
        if (taken.size <= MOST_SUBJECTS) break
        taken.delete(oldest)
      }
      const retryAfterSeconds = Math.max(0, ...full.map(({ resetSeconds }) => resetSeconds))
      return { allowed: full.length === 0, windows: states, nearest, retryAfterSeconds }
    },
    close: async () => taken.clear(),
  }
}

function stateOf({ limit, seconds }: Window, times: readonly number[], at: number): WindowState {
  const within = times.filter((time) => time > at - seconds * 1000)
  const oldest = within[0] ?? at
  const resetSeconds = Math.ceil((oldest + seconds * 1000 - at) / 1000)
  return { limit, seconds, remaining: Math.max(0, limit - within.length), resetSeconds }
}
