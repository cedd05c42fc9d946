import { decide, type Decision, type Window } from './limiter-decision.ts'

/** Memory: each has as many times as its largest limit. */
const MOST_SUBJECTS = 10_000

/**
 * Sliding windows of this process alone, for small limits: every request is remembered. `now` is
 * any clock in milliseconds. Above the most subjects the one that was first seen is forgotten.
 */
export function createLocalWindows(now: () => number) {
  const taken = new Map<string, number[]>()

  return (subject: string, windows: readonly Window[]): Decision => {
    const time = now()
    const longest = Math.max(...windows.map(({ seconds }) => seconds))
    const known = taken.get(subject) ?? []
    const times = known.filter((at) => at > time - longest * 1_000)
    const within = windows.map(({ seconds }) => times.filter((at) => at > time - seconds * 1_000))
    const left = windows.map(({ limit }, i) => Math.max(0, limit - (within[i]?.length ?? 0)))
    const allowed = left.every((count) => count > 0)
    if (allowed) times.push(time)
    if (!taken.has(subject) && taken.size >= MOST_SUBJECTS) {
      const first = taken.keys().next()
      if (!first.done) taken.delete(first.value)
    }
    taken.set(subject, times)
    const figures = {
      windows,
      remaining: allowed ? left.map((count) => count - 1) : left,
      freesAt: windows.map(({ seconds }, i) => (within[i]?.[0] ?? time) + seconds * 1_000),
    }
    return decide(allowed, figures, 0, time)
  }
}
