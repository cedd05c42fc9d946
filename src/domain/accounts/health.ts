/** Sending health of an account, worst last. The worst account decides for the organization. */
export const HEALTH_STATUSES = ['healthy', 'unknown', 'at_risk', 'in_danger'] as const
export type HealthStatus = (typeof HEALTH_STATUSES)[number]

/**
 * Thresholds at which the provider reviews and pauses an account (SES developer guide,
 * "Enforcement": shares of mail), and the share of the 24-hour quota at which we warn.
 */
export const THRESHOLDS = {
  bounceReview: 0.05,
  bouncePause: 0.1,
  complaintReview: 0.001,
  complaintPause: 0.005,
  quotaWarn: 0.8,
} as const

export interface AccountReading {
  productionAccessEnabled: boolean | null
  sendingEnabled: boolean | null
  /** Status in SES' words: `HEALTHY`, `PROBATION`, `SHUTDOWN`. */
  enforcementStatus: string | null
  /** Recipients in 24 hours. -1: unlimited. */
  max24Hour: number | null
  sentLast24Hours: number | null
  /** Recipients a second. */
  maxSendRate: number | null
  /** Plan in SES' words: `NONE`, `ESSENTIALS`, `PRO`, `ENTERPRISE`. */
  pricingPlan: string | null
  /** Shares from 0 to 1. */
  bounceRate: number | null
  complaintRate: number | null
}

export interface Signals
  extends Pick<
    AccountReading,
    'sendingEnabled' | 'enforcementStatus' | 'bounceRate' | 'complaintRate'
  > {
  usedRatio: number | null
}

export interface Verdict {
  status: HealthStatus
  /** Reasons against the account, in a fixed order. Empty: none. */
  reasons: string[]
}

/** Returns the used share of the 24-hour quota. Null: no figures, or an unlimited quota. */
export function usedRatio({
  max24Hour,
  sentLast24Hours,
}: Pick<AccountReading, 'max24Hour' | 'sentLast24Hours'>): number | null {
  if (max24Hour === null || sentLast24Hours === null || max24Hour <= 0) return null
  return sentLast24Hours / max24Hour
}

/**
 * Returns the verdict on an account. A rate equal to a threshold has reached it. A rate that
 * reaches the pause is not also listed for review. Unknown figures do not count against the
 * account; without any figure there is no verdict.
 */
export function verdictOf(signals: Signals): Verdict {
  const { sendingEnabled, enforcementStatus, bounceRate, complaintRate, usedRatio: used } = signals
  const knownSignals = [sendingEnabled, enforcementStatus, bounceRate, complaintRate, used]
  if (knownSignals.every((each) => each === null)) return { status: 'unknown', reasons: [] }

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

export const withProblems = ({ status, reasons }: Verdict, problems: readonly string[]): Verdict =>
  problems.length === 0
    ? { status, reasons }
    : { status: worst([status, 'at_risk']), reasons: [...reasons, ...problems] }

const reasonsOf = (rules: readonly (readonly [string, boolean])[]): string[] =>
  rules.filter(([, holds]) => holds).map(([reason]) => reason)

/** Returns the rank of a status. 0 is the best. */
const rank = (status: HealthStatus): number => HEALTH_STATUSES.indexOf(status)

/** Returns the worst status. `unknown`: the list is empty. */
export const worst = (statuses: readonly HealthStatus[]): HealthStatus =>
  statuses.reduce<HealthStatus | undefined>(
    (worstStatus, each) =>
      worstStatus === undefined || rank(each) > rank(worstStatus) ? each : worstStatus,
    undefined,
  ) ?? 'unknown'

/**
 * Returns whether owners are notified: the verdict is worse than the previous one (an account
 * without verdict was unknown) and than all recent notices about the account. An account that
 * changes back and forth causes one notice in that time, and one that gets worse causes another.
 */
export const isNews = (
  after: HealthStatus,
  before: HealthStatus,
  toldLately: readonly HealthStatus[],
): boolean => [before, ...toldLately].every((each) => rank(after) > rank(each))
