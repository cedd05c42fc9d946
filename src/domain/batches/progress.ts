const MINUTE_MS = 60_000
const SECOND_MS = 1_000
/** A batch with this share of what its account allows is kept back by the account's rate. */
const FULL_SHARE = 0.8

/** Times are milliseconds since 1970. */
export interface RateFacts {
  now: number
  /** What `sent` was at moments of the last minutes, the oldest first. */
  marks: readonly { at: number; sent: number }[]
}

/** What is known of a batch that is being sent. */
export interface ProgressFacts extends RateFacts {
  quotaUntil: number | null
  outcomeUntil: number | null
  /** The next local time at which a part is sent, and the last one. */
  nextPartAt: number | null
  lastPartAt: number | null
  /** The share of an A/B test is sent; the winner is chosen then, or by a person if null. */
  awaitsWinner: boolean
  decideAt: number | null
  /** Null: the account was never verified. */
  account: {
    /** Mails a second at the moment. */
    perSecond: number
    /** The provider has answered that this is too fast. */
    isThrottled: boolean
    pausedUntil: number | null
    pausedReason: string | null
    /** Batches that send through it at the moment, of all organizations. */
    batches: number
  } | null
}

interface Figures {
  totalRecipients: number
  processedRecipients: number
  sent: number
  unknown: number
  paused: boolean
  throttlePerSecond: number | null
}

/** Why a batch is not sent faster, in the order in which they count. */
export const WAIT_REASONS = [
  'pause',
  'quota',
  'provider',
  'time',
  'winner',
  'doubt',
  'throttled',
  'rate',
] as const
type WaitReason = (typeof WAIT_REASONS)[number]

interface Wait {
  reason: WaitReason
  /** When it is over; null: not known. */
  until: number | null
}

export interface Progress {
  ratePerSecond: number
  expectedEnd: number | null
  waitingFor: Wait | null
}

/** Returns how fast a batch is sent, when it will be sent, and why that is not sooner. */
export function progressOf(figures: Figures, facts: ProgressFacts): Progress {
  const ratePerSecond = rateOfLastMinute(figures.sent, facts)
  const open = figures.totalRecipients - figures.processedRecipients - figures.unknown
  const waitingFor = waitOf(figures, facts, { open, ratePerSecond })
  return {
    ratePerSecond: rounded(ratePerSecond),
    expectedEnd: endOf(facts, { open, ratePerSecond, waitingFor }),
    waitingFor,
  }
}

/** Returns the rate of the last minute as it is shown. */
export const shownRate = (sent: number, facts: RateFacts): number =>
  rounded(rateOfLastMinute(sent, facts))

const rounded = (rate: number): number => Math.round(rate * 100) / 100

/** Mails a second; of a batch that began less than a minute ago since then. */
function rateOfLastMinute(sent: number, { now, marks }: RateFacts): number {
  const [first] = marks
  const mark = marks.find(({ at }) => at >= now - MINUTE_MS)
  if (!first || !mark) return 0
  const since = Math.max(first.at, now - MINUTE_MS)
  return Math.max(0, sent - mark.sent) / (Math.max(SECOND_MS, now - since) / SECOND_MS)
}

interface Pace {
  /** Recipients whose mail has not been tried. */
  open: number
  ratePerSecond: number
}

function waitOf(figures: Figures, facts: ProgressFacts, pace: Pace): Wait | null {
  const { now, account, nextPartAt } = facts
  const isAhead = (time: number | null): boolean => time !== null && time > now
  if (figures.paused) return { reason: 'pause', until: null }
  if (isAhead(facts.quotaUntil)) return { reason: 'quota', until: facts.quotaUntil }
  if (account && isAhead(account.pausedUntil)) {
    const reason = account.pausedReason === 'daily_quota' ? 'quota' : 'provider'
    return { reason, until: account.pausedUntil }
  }
  if (facts.awaitsWinner) return { reason: 'winner', until: facts.decideAt }
  if (pace.open <= 0) {
    return figures.unknown > 0 ? { reason: 'doubt', until: facts.outcomeUntil } : null
  }
  if (pace.ratePerSecond === 0 && isAhead(nextPartAt)) return { reason: 'time', until: nextPartAt }
  return boundOf(figures, facts, pace)
}

/** Whether the rate of the account or the batch keeps it back. */
function boundOf(
  { throttlePerSecond }: Figures,
  { account }: ProgressFacts,
  { ratePerSecond }: Pace,
): Wait | null {
  if (!account) return null
  const share = account.perSecond / Math.max(1, account.batches)
  const allowed = Math.min(share, throttlePerSecond ?? Number.POSITIVE_INFINITY)
  if (ratePerSecond < allowed * FULL_SHARE) return null
  const isThrottled = account.isThrottled && allowed === share
  return { reason: isThrottled ? 'throttled' : 'rate', until: null }
}

/** Null: what it waits for has no known end, or nothing was sent in the last minute. */
function endOf(
  { now, lastPartAt }: ProgressFacts,
  { open, ratePerSecond, waitingFor }: Pace & { waitingFor: Wait | null },
): number | null {
  const isMoving = waitingFor === null || ['throttled', 'rate'].includes(waitingFor.reason)
  if (!isMoving || ratePerSecond === 0) return null
  const byRate = Math.round(now + (Math.max(0, open) / ratePerSecond) * SECOND_MS)
  return lastPartAt === null ? byRate : Math.max(byRate, lastPartAt)
}
