/** SES's pricing plans, as GetAccount writes them; `NONE` is the price without a plan. */
const PRICING_PLANS = ['NONE', 'ESSENTIALS', 'PRO', 'ENTERPRISE'] as const
export type PricingPlan = (typeof PRICING_PLANS)[number]

/** The plan that a text names; null: we know no price of it. */
export const pricingPlanOf = (text: string | null): PricingPlan | null =>
  PRICING_PLANS.find((plan) => plan === text) ?? null

/** The next mails of a month, up to this many since it began, and what a thousand of them cost. */
interface Tier {
  upTo: number
  usdPerThousand: number
}

interface Prices {
  /** The first month that they hold for, UTC. */
  since: string
  /** When they were read off the published list. */
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
 * What SES charges for outbound mail, oldest first: neither monthly fees nor attachments nor other
 * extras (AWS price list, us-east-1). A new list is one more entry, and months before it keep
 * their price.
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

/** The prices of a month (`2026-07`); before the first list those of the first. */
const pricesOf = (month: string): Prices =>
  PRICES.findLast(({ since }) => since <= month) ?? PRICES[0]

/** When the prices of a month were published. */
export const publishedAt = (month: string): string => pricesOf(month).asOf

/** Whether what a mail costs depends on how many there are in the month. */
export const isTiered = (plan: PricingPlan, month: string): boolean =>
  pricesOf(month).plans[plan].length > 1

/** What mails of a month cost after `before` others of it, in US dollars. */
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

/** What each mail of a month costs on average, in US dollars; of none what the first one would. */
export function averageUsd(of: { plan: PricingPlan; month: string }, mails: number): number {
  const counted = Math.max(1, mails)
  return usdFor(of, counted) / counted
}

/** The UTC month (`2026-07`) of a time in milliseconds since 1970. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

/** The UTC months that a range touches, oldest first; its end is not included. */
export function monthsOf(from: number, to: number): string[] {
  const months: string[] = []
  for (let at = from; at < to; at = nextMonth(at)) months.push(monthOf(at))
  return months
}

/** When a UTC month begins, in milliseconds since 1970. */
export const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00.000Z`)

/** When the UTC month after that of a time begins. */
export function nextMonth(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
