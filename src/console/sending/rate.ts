/** How many mails had left when. */
export interface Sample {
  /** Milliseconds since 1970. */
  at: number
  processed: number
}

/** Over so long a rate is measured: shorter ones jump. */
const WINDOW_MS = 30_000
const MOST_SAMPLES = 40

/** The samples with the newest one; older ones than a rate needs are dropped. */
export const withSample = (samples: readonly Sample[], newest: Sample): Sample[] =>
  [...samples.filter(({ at }) => newest.at - at <= WINDOW_MS), newest].slice(-MOST_SAMPLES)

/** Mails a second, from the oldest sample to the newest. Undefined: it is not known yet. */
export function rateOf(samples: readonly Sample[]): number | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last || last.at === first.at) return undefined
  return Math.max(0, (last.processed - first.processed) / ((last.at - first.at) / 1_000))
}

/** Seconds until the rest has left. Undefined: at this rate it never does. */
export const secondsLeft = (rest: number, rate: number | undefined): number | undefined =>
  rate === undefined || rate === 0 ? undefined : rest / rate
