import type { Verdict } from './report.ts'

/** Weight of each check of a domain. The most frequent obstacles of mail weigh most. */
export const WEIGHTS = {
  dmarc: 25,
  spf: 20,
  dkim: 20,
  mx: 10,
  blocklists: 10,
  reverseDns: 5,
  mtaSts: 4,
  tlsRpt: 3,
  bimi: 3,
} as const
export type CheckName = keyof typeof WEIGHTS

export const GRADES = ['A', 'B', 'C', 'D', 'F'] as const
export type Grade = (typeof GRADES)[number]

const WORTH: Record<Verdict, number | undefined> = {
  pass: 1,
  warning: 0.6,
  fail: 0,
  unknown: undefined,
}
const LEAST: readonly [Grade, number][] = [
  ['A', 90],
  ['B', 75],
  ['C', 60],
  ['D', 40],
]
/** Percentage of known weight below which there is no grade. */
const LEAST_KNOWN = 50

/**
 * Returns a score from 0 to 100 and a grade, or null if too little is known. Unknown verdicts count
 * neither for nor against the domain.
 */
export function scoreOf(verdicts: Record<CheckName, Verdict>): {
  score: number | null
  grade: Grade | null
} {
  let knownWeight = 0
  let reachedWeight = 0
  for (const [name, weight] of Object.entries(WEIGHTS)) {
    const worth = WORTH[verdicts[name as CheckName]]
    if (worth === undefined) continue
    knownWeight += weight
    reachedWeight += weight * worth
  }
  if (knownWeight < LEAST_KNOWN) return { score: null, grade: null }
  const score = Math.round((100 * reachedWeight) / knownWeight)
  return { score, grade: LEAST.find(([, least]) => score >= least)?.[0] ?? 'F' }
}
