/** SES's pricing plans, as GetAccount writes them. `NONE` is the price without a plan. */
const PRICING_PLANS = ['NONE', 'ESSENTIALS', 'PRO', 'ENTERPRISE'] as const
export type PricingPlan = (typeof PRICING_PLANS)[number]

/** Returns the plan of this name, or null if we know no price of it. */
export const pricingPlanOf = (text: string | null): PricingPlan | null =>
  PRICING_PLANS.find((plan) => plan === text) ?? null

interface Tier {
  upTo: number
  usdPerThousand: number
}

interface Prices {
  since: string
  asOf: string
  plans: Record<PricingPlan, readonly Tier[]>
}

const M = 1_000_000
const tiers = (first: number, second: number, third: number): readonly Tier[] => [
  { upTo: 10 * M, usdPerThousand: first },
  { upTo: 100 * M, usdPerThousand: second },
  { upTo: Number.POSITIVE_INFINITY, usdPerThousand: third },
]

/**
 * SES' prices of outbound mail, oldest first, without monthly fees, attachments and other extras
 * (AWS price list, us-east-1). A new list is a further entry, and earlier months keep their price.
 */
const PRICES: readonly [Prices, ...Prices[]] = [
  {
    since: '2026-07',
    asOf: '2026-07-22',
    plans: {
      NONE: [{ upTo: Number.POSITIVE_INFINITY, usdPerThousand: 0.1 }],
      ESSENTIALS: tiers(0.16, 0.14, 0.11),
      PRO: tiers(0.22, 0.17, 0.12),
      ENTERPRISE: tiers(0.23, 0.18, 0.13),
    },
  },
]

const pricesOf = (month: string): Prices =>
  PRICES.findLast(({ since }) => since <= month) ?? PRICES[0]

export const publishedAt = (month: string): string => pricesOf(month).asOf

export const isTiered = (plan: PricingPlan, month: string): boolean =>
  pricesOf(month).plans[plan].length > 1

/** Price in US dollars of mails that follow `before` others in the month. */
export function usdFor(
  { plan, month }: { plan: PricingPlan; month: string },
  mails: number,
  before = 0,
): number {
  let usd = 0
  let from = before
  for (const { upTo, usdPerThousand } of pricesOf(month).plans[plan]) {
    const inTier = Math.max(0, Math.min(before + mails, upTo) - from)
    usd += (inTier / 1_000) * usdPerThousand
    from += inTier
  }
  return usd
}

/** Average price of a month's mails in US dollars. Without mails: the price of the first. */
export function averageUsd(of: { plan: PricingPlan; month: string }, mails: number): number {
  const mailCount = Math.max(1, mails)
  return usdFor(of, mailCount) / mailCount
}

/** The UTC month (`2026-07`) of a time in milliseconds since 1970. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

/** UTC months of a range, oldest first. Its end is exclusive. */
export function monthsOf(from: number, to: number): string[] {
  const months: string[] = []
  for (let at = from; at < to; at = nextMonth(at)) months.push(monthOf(at))
  return months
}

/** Beginning of a UTC month, in milliseconds since 1970. */
export const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00.000Z`)

/** Beginning of the UTC month after a time. */
export function nextMonth(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
