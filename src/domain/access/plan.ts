export const PLANS = ['free', 'starter', 'growth', 'scale', 'enterprise'] as const
export type PlanName = (typeof PLANS)[number]

/** Limits that an operator can set for a single organization. */
export const LIMITS = [
  'requestsPerMinute',
  'requestsPerDay',
  'eventsPerMonth',
  'connections',
  'workflows',
  'storedBytes',
] as const
export type Limit = (typeof LIMITS)[number]
const MOST_COUNTED = 2_147_483_647
export const MOST_LIMIT: Readonly<Record<Limit, number>> = {
  requestsPerMinute: MOST_COUNTED,
  requestsPerDay: MOST_COUNTED,
  eventsPerMonth: MOST_COUNTED,
  connections: MOST_COUNTED,
  workflows: MOST_COUNTED,
  storedBytes: Number.MAX_SAFE_INTEGER,
}

export interface Plan {
  name: PlanName
  requestsPerMinute: number
  requestsPerDay: number
  eventsPerMonth: number | null
  connections: number | null
  workflows: number | null
  segments: boolean
  /**
   * Bytes of templates, batch contents, single mail, large answers and reports. Null: unlimited.
   */
  storedBytes: number | null
  /** Days for which finished executions are shown. Nothing is deleted by it. */
  retentionDays: number
}

export type Countable = 'connections' | 'workflows'
export type Feature = 'segments'
