/** Classes of one minute; more are counted as `other`. */
const MOST_CLASSES = 50

let counts = new Map<string, number>()

/** Counts a mail that failed, by its reason, until the log tells of it. */
export function noteFailure(reason: string): void {
  const known = counts.has(reason) || counts.size < MOST_CLASSES ? reason : 'other'
  counts.set(known, (counts.get(known) ?? 0) + 1)
}

/** Returns the counts since the last call. */
export function takeFailures(): ReadonlyMap<string, number> {
  const taken = counts
  counts = new Map()
  return taken
}
