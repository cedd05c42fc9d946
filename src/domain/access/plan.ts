export const PLANS = ['free', 'starter', 'growth', 'scale', 'enterprise'] as const
export type PlanName = (typeof PLANS)[number]

/** What an operator can give an organization a number of its own for. */
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

/** What an organization may do: its plan's figures, or its own where it has them. */
export interface Plan {
  name: PlanName
  requestsPerMinute: number
  requestsPerDay: number
  /** Null: no limit. */
  eventsPerMonth: number | null
  connections: number | null
  workflows: number | null
  segments: boolean
  /** Of templates, contents of batches, single mail, large answers and reports. Null: no limit. */
  storedBytes: number | null
  /** For how long executions that are over are shown. Nothing is deleted by it. */
  retentionDays: number
}

/** What a plan has a number of. */
export type Countable = 'connections' | 'workflows'
/** What a plan has or has not. */
export type Feature = 'segments'
