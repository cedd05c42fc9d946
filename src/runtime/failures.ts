/** Reasons counted in one minute. Further ones are counted as `other`. */
const MOST_CLASSES = 50

let counts = new Map<string, number>()

/** Counts a failed mail by its reason until the log reports it. */
export function noteFailure(reason: string): void {
  const countedReason = counts.has(reason) || counts.size < MOST_CLASSES ? reason : 'other'
  counts.set(countedReason, (counts.get(countedReason) ?? 0) + 1)
}

/** Returns the counts since the last call. */
export function takeFailures(): ReadonlyMap<string, number> {
  const countsSoFar = counts
  counts = new Map()
  return countsSoFar
}
