export const PLANS = ['free', 'starter', 'growth', 'scale', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

/** Null: unlimited. */
export interface PlanLimits {
  requestsPerMinute: number
  requestsPerDay: number
  eventsPerMonth: number | null
  connections: number | null
  workflows: number | null
}

/** The specification, Limits; contract 1, Rate limits and Plans. */
export const LIMITS_OF_PLAN: Record<Plan, PlanLimits> = {
  free: plan(50, 1_000, 5_000, 1, 2),
  starter: plan(500, 50_000, 50_000, 3, null),
  growth: plan(2_000, 200_000, 250_000, null, null),
  scale: plan(5_000, 500_000, 1_000_000, null, null),
  enterprise: plan(10_000, 2_000_000, null, null, null),
}

function plan(
  requestsPerMinute: number,
  requestsPerDay: number,
  eventsPerMonth: number | null,
  connections: number | null,
  workflows: number | null,
): PlanLimits {
  return { requestsPerMinute, requestsPerDay, eventsPerMonth, connections, workflows }
}
