import { decide, type Decision, type Window } from './decision.ts'

/** Limits memory. The oldest subject is dropped first. */
const MOST_SUBJECTS = 10_000

/**
 * Sliding windows of this process alone, for small limits, since every request is recorded. `now`
 * is any clock in milliseconds.
 */
export function createLocalWindows(now: () => number) {
  const takenTimes = new Map<string, number[]>()

  return (subject: string, windows: readonly Window[]): Decision => {
    const time = now()
    const subjectTimes = takenTimes.get(subject) ?? []
    const within = windows.map(({ seconds }) =>
      subjectTimes.filter((at) => at > time - seconds * 1_000),
    )
    const remainingRequests = windows.map(({ limit }, i) =>
      Math.max(0, limit - (within[i]?.length ?? 0)),
    )
    const allowed = remainingRequests.every((count) => count > 0)
    const times = within.toSorted((a, b) => b.length - a.length)[0] ?? []
    const [first] = takenTimes.keys()
    if (first !== undefined && takenTimes.size >= MOST_SUBJECTS) takenTimes.delete(first)
    takenTimes.set(subject, allowed ? [...times, time] : times)
    const remaining = allowed ? remainingRequests.map((count) => count - 1) : remainingRequests
    const freesAt = windows.map(({ seconds }, i) => (within[i]?.[0] ?? time) + seconds * 1_000)
    return decide({ allowed, windows, remaining, freesAt, time })
  }
}
