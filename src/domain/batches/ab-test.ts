export const MOST_VARIANTS = 5
/** Least recipients of each variant. Figures of fewer say nothing. */
export const LEAST_RECIPIENTS = 10
/** Shares are counted in ten thousandths of the audience. */
export const SHARES = 10_000

export const WINNER_BY = ['opened', 'clicked', 'manual'] as const

export interface VariantFigures {
  sent: number
  opened: number
  clicked: number
}

/** Comparison of the first variant with the second. */
export interface Comparison {
  /** Positions of the two variants. */
  leader: number
  next: number
  /** Their rates among sent mails. */
  leaderRate: number
  nextRate: number
  /** Confidence interval of the true difference. */
  low: number
  high: number
  confidence: number
  /** Zero is outside of the interval: the difference is more than noise. */
  isConclusive: boolean
}

/** 95 %, divided among the comparisons of the leader with the others (Bonferroni). */
const CONFIDENCE = 0.95
/** Two-sided quantiles of the normal distribution for 0.05 / 1, / 2, / 3 and / 4. */
const Z = [1.959964, 2.241403, 2.39398, 2.497705]

/**
 * The variant with the best rate and the next best; of equal ones the first. Whether they differ by
 * more than chance is told by Newcombe's interval for the difference of two proportions, made of
 * Wilson's intervals of each ("Interval estimation for the difference between independent
 * proportions", Statistics in Medicine 17, 1998, method 10), which holds for few and for rare
 * events, too.
 */
export function compareVariants(
  figures: readonly VariantFigures[],
  by: 'opened' | 'clicked',
): Comparison {
  const ranked = figures
    .map((each, position) => ({ position, count: each[by], of: each.sent }))
    .toSorted((a, b) => rate(b) - rate(a) || a.position - b.position)
  const [leader, next] = ranked
  if (!leader || !next) throw new RangeError('a test has two variants at least')
  const z = Z[figures.length - 2] ?? 1.959964
  const { low, high } = difference(leader, next, z)
  return {
    leader: leader.position,
    next: next.position,
    leaderRate: rate(leader),
    nextRate: rate(next),
    low,
    high,
    confidence: CONFIDENCE,
    isConclusive: low > 0,
  }
}

interface Proportion {
  count: number
  of: number
}

const rate = ({ count, of }: Proportion): number => (of === 0 ? 0 : count / of)

/** Newcombe's interval for the difference of two proportions. */
export function difference(a: Proportion, b: Proportion, z = 1.959964) {
  const [p, q] = [rate(a), rate(b)]
  const [one, other] = [wilson(a, z), wilson(b, z)]
  return {
    low: p - q - Math.hypot(p - one.low, other.high - q),
    high: p - q + Math.hypot(one.high - p, q - other.low),
  }
}

/** Wilson's interval of one proportion. Without data it is the whole range. */
function wilson({ count, of }: Proportion, z: number): { low: number; high: number } {
  if (of === 0) return { low: 0, high: 1 }
  const p = Math.min(1, count / of)
  const middle = p + (z * z) / (2 * of)
  const half = z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))
  const all = 1 + (z * z) / of
  return { low: Math.max(0, (middle - half) / all), high: Math.min(1, (middle + half) / all) }
}
