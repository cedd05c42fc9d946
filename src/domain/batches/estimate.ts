import { pricingPlanOf, publishedAt, usdFor } from '../metrics/prices.ts'

const DAY_SECONDS = 86_400
/** Share of the 24-hour quota that batches leave to single mail. */
export const QUOTA_RESERVE = 0.05

interface Limits {
  /** Rate of the account, or of the batch if it is lower. */
  perSecond: number
  /** Mails that batches may still send in these 24 hours. Null: unknown. */
  remainingToday: number | null
  /** Mails that batches may send in 24 hours. */
  max24Hour: number | null
}

/**
 * The part of an account's 24-hour quota that the limiter grants to batches. SES' -1 means
 * unlimited.
 */
export function batchQuota(
  quota: number | null,
  sentLast24Hours: number | null,
): Pick<Limits, 'remainingToday' | 'max24Hour'> {
  if (quota === null || quota < 0) return { remainingToday: null, max24Hour: null }
  const max24Hour = quota * (1 - QUOTA_RESERVE)
  const remainingToday =
    sentLast24Hours === null ? null : Math.max(0, Math.floor(max24Hour - sentLast24Hours))
  return { remainingToday, max24Hour }
}

/** Returns the duration of this many mails, by the rate and the 24-hour quota. */
export function durationSeconds(mails: number, { perSecond, remainingToday, max24Hour }: Limits) {
  const byRate = Math.ceil(mails / perSecond)
  if (remainingToday === null || !max24Hour || mails <= remainingToday) return byRate
  const days = Math.ceil((mails - remainingToday) / max24Hour)
  return Math.max(byRate, days * DAY_SECONDS)
}

/** Price of mails. */
interface Cost {
  /** US dollars. Null: unknown. */
  usd: number | null
  usdPerThousand: number | null
  /** Date of the published prices. */
  asOf: string
}

/**
 * Price of mails that follow `sent` others of the month, by the account's pricing plan. Null:
 * unknown. Without mails, the price of each of the next thousand.
 */
export function costOf(
  mails: number,
  { pricingPlan, month, sent }: { pricingPlan: string | null; month: string; sent: number },
): Cost {
  const asOf = publishedAt(month)
  const plan = pricingPlanOf(pricingPlan)
  if (plan === null) return { usd: null, usdPerThousand: null, asOf }
  const usd = usdFor({ plan, month }, mails, sent)
  const pricedMails = mails === 0 ? 1_000 : mails
  const perMail = usdFor({ plan, month }, pricedMails, sent) / pricedMails
  return { usd: rounded(usd), usdPerThousand: rounded(perMail * 1_000), asOf }
}

/** Rounds to a ten-thousandth of a dollar, the lowest price of a mail. */
const rounded = (usd: number): number => Math.round(usd * 10_000) / 10_000
