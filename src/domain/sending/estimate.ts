/** What SES charges for a thousand mails, without attachments and extras, as published. */
export const SES_PRICE = { usdPerThousand: 0.1, asOf: '2026-07-22' } as const

const DAY_SECONDS = 86_400

interface Limits {
  /** Of the account, or of the batch if that is less. */
  perSecond: number
  /** Mails that the account may still send in this 24 hours; null: not known. */
  remainingToday: number | null
  max24Hour: number | null
}

/** How long so many mails take: by the rate, and by the days that the 24-hour quota makes of it. */
export function durationSeconds(mails: number, { perSecond, remainingToday, max24Hour }: Limits) {
  const byRate = Math.ceil(mails / perSecond)
  if (remainingToday === null || !max24Hour || mails <= remainingToday) return byRate
  const days = Math.ceil((mails - remainingToday) / max24Hour)
  return Math.max(byRate, days * DAY_SECONDS)
}

/** In US dollars. */
export const costOf = (mails: number): number =>
  Math.round((mails / 1_000) * SES_PRICE.usdPerThousand * 10_000) / 10_000
