/** What an account's sending health can be, worst last. The worst of an organization's wins. */
export const HEALTH_STATUSES = ['healthy', 'unknown', 'at_risk', 'in_danger'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

/**
 * Where the provider begins to review an account and where it pauses it (SES developer guide,
 * "Enforcement": shares of mail), and the share of the 24-hour quota that we warn at.
 */
export const THRESHOLDS = {
  bounceReview: 0.05,
  bouncePause: 0.1,
  complaintReview: 0.001,
  complaintPause: 0.005,
  quotaWarn: 0.8,
} as const

/** What the provider says about an account; null where it says nothing. */
export interface AccountReading {
  productionAccessEnabled: boolean | null
  sendingEnabled: boolean | null
  /** As SES writes it: `HEALTHY`, `PROBATION`, `SHUTDOWN`. */
  enforcementStatus: string | null
  /** Recipients in 24 hours; -1: without end. */
  max24Hour: number | null
  sentLast24Hours: number | null
  /** Recipients a second. */
  maxSendRate: number | null
  /** As SES writes it: `NONE`, `ESSENTIALS`, `PRO`, `ENTERPRISE`. */
  pricingPlan: string | null
  /** Shares from 0 to 1. */
  bounceRate: number | null
  complaintRate: number | null
}

/** What the verdict depends on. */
export interface Signals
  extends Pick<
    AccountReading,
    'sendingEnabled' | 'enforcementStatus' | 'bounceRate' | 'complaintRate'
  > {
  usedRatio: number | null
}

export interface Verdict {
  status: HealthStatus
  /** What speaks against the account, in a fixed order; empty when nothing does. */
  reasons: string[]
}

/** The share of the 24-hour quota in use; null without figures, and of a quota without end. */
export function usedRatio({
  max24Hour,
  sentLast24Hours,
}: Pick<AccountReading, 'max24Hour' | 'sentLast24Hours'>): number | null {
  if (max24Hour === null || sentLast24Hours === null || max24Hour <= 0) return null
  return sentLast24Hours / max24Hour
}

/**
 * The verdict on an account. A threshold counts as reached at its own value. A rate that reaches
 * the pause is not also named for review. Figures that are not known count against nobody; where
 * none is known there is no verdict.
 */
export function verdictOf(signals: Signals): Verdict {
  const { sendingEnabled, enforcementStatus, bounceRate, complaintRate, usedRatio: used } = signals
  const known = [sendingEnabled, enforcementStatus, bounceRate, complaintRate, used]
  if (known.every((each) => each === null)) return { status: 'unknown', reasons: [] }

  const enforcement = enforcementStatus?.toLowerCase() ?? 'healthy'
  const isPaused = (rate: number | null, pause: number): boolean => rate !== null && rate >= pause
  const isReviewed = (rate: number | null, review: number, pause: number): boolean =>
    rate !== null && rate >= review && rate < pause
  const danger = reasonsOf([
    ['sending_disabled', sendingEnabled === false],
    [`enforcement_${enforcement}`, !['healthy', 'probation'].includes(enforcement)],
    ['bounce_pause', isPaused(bounceRate, THRESHOLDS.bouncePause)],
    ['complaint_pause', isPaused(complaintRate, THRESHOLDS.complaintPause)],
  ])
  const { bounceReview, bouncePause, complaintReview, complaintPause } = THRESHOLDS
  const risk = reasonsOf([
    ['enforcement_probation', enforcement === 'probation'],
    ['bounce_review', isReviewed(bounceRate, bounceReview, bouncePause)],
    ['complaint_review', isReviewed(complaintRate, complaintReview, complaintPause)],
    ['quota_high', used !== null && used >= THRESHOLDS.quotaWarn],
  ])
  const reasons = [...danger, ...risk]
  if (danger.length > 0) return { status: 'in_danger', reasons }
  return { status: risk.length > 0 ? 'at_risk' : 'healthy', reasons }
}

/** The verdict on an account with which something else is wrong, too. */
export const withProblems = ({ status, reasons }: Verdict, problems: readonly string[]): Verdict =>
  problems.length === 0
    ? { status, reasons }
    : { status: worst([status, 'at_risk']), reasons: [...reasons, ...problems] }

const reasonsOf = (rules: readonly (readonly [string, boolean])[]): string[] =>
  rules.filter(([, holds]) => holds).map(([reason]) => reason)

/** 0 is the best. */
const rank = (status: HealthStatus): number => HEALTH_STATUSES.indexOf(status)

/** The worst of them; `unknown` when there are none. */
export const worst = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.reduce<HealthStatus | undefined>(
    (found, each) => (found === undefined || rank(each) > rank(found) ? each : found),
    undefined,
  ) ?? 'unknown'

/**
 * Whether owners are to be told: the verdict is worse than the one before (an account that was
 * never judged was unknown) and than everything they were told about the account lately. So one
 * that goes to and fro is told of once in that time, and one that gets worse still is told of.
 */
export const isNews = (
  after: HealthStatus,
  before: HealthStatus,
  toldLately: readonly HealthStatus[],
): boolean => [before, ...toldLately].every((each) => rank(after) > rank(each))
