import type { Granularity } from './periods.ts'

interface MetricsRange {
  days: number
  granularity: Granularity
  label: string
}

const RANGES = {
  '2': { days: 2, granularity: 'hourly', label: '2 days, by the hour' },
  '7': { days: 7, granularity: 'daily', label: '7 days' },
  '30': { days: 30, granularity: 'daily', label: '30 days' },
  '90': { days: 90, granularity: 'weekly', label: '90 days, by the week' },
  '365': { days: 365, granularity: 'monthly', label: 'A year, by the month' },
} as const satisfies Record<string, MetricsRange>

export type RangeName = keyof typeof RANGES

export const RANGE_CHOICES = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))

export const isRange = (text: unknown): text is RangeName =>
  typeof text === 'string' && Object.hasOwn(RANGES, text)

export const rangeOf = (name: RangeName | undefined): MetricsRange => RANGES[name ?? '7']

const GROUPINGS = {
  domain: 'By the sender’s domain',
  broadcast: 'By batch',
  template: 'By template',
  source: 'By what sent them',
  account: 'By account',
} as const

export type Grouping = keyof typeof GROUPINGS

export const GROUPING_CHOICES = Object.entries(GROUPINGS).map(([value, label]) => ({
  value,
  label,
}))

export const isGrouping = (text: unknown): text is Grouping =>
  typeof text === 'string' && Object.hasOwn(GROUPINGS, text)

/** The first day of a range that ends today, as the zone has it. */
export function firstDay(days: number, timezone: string, now: number): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now)
  const noon = Date.parse(`${today}T12:00:00Z`) - (days - 1) * 86_400_000
  return new Date(noon).toISOString().slice(0, 10)
}
