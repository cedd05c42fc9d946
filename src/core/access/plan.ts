import { AppError } from '../../domain/errors.ts'
import type { Countable, Feature, Plan } from '../../domain/access/plan.ts'
import type { Uuid } from '../../runtime/ids.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as plans from '../../store/access/plans.ts'
import * as storedBytes from '../../store/access/stored-bytes.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'

export async function planOf(sql: Executor, organizationId: Uuid): Promise<Plan> {
  const plan = await plans.find(sql, organizationId)
  if (!plan) throw new Error('an organization has no plan')
  return plan
}

const DAY_MS = 86_400_000

/**
 * Returns the time in milliseconds since 1970 from which on the organization's plan shows logs and
 * events. Older ones may still be stored.
 */
export async function shownSince(
  sql: Executor,
  organizationId: Uuid,
  now: number,
): Promise<number> {
  const { retentionDays } = await planOf(sql, organizationId)
  return now - retentionDays * DAY_MS
}

/** Throws a 402 that names suitable plans if the organization's plan lacks `feature`. */
export async function requireFeature(
  sql: Executor,
  organizationId: Uuid,
  feature: Feature,
): Promise<void> {
  const plan = await planOf(sql, organizationId)
  if (plan[feature]) return
  const suitablePlans = (await plans.list(sql)).filter((each) => each[feature])
  const names = suitablePlans.map(({ name }) => name)
  throw paymentRequired(
    `Your plan does not include ${feature}. These plans do: ${names.join(', ')}`,
  )
}

/**
 * Throws a 402 if the organization has reached its plan's limit of `what`. `count` runs with the
 * organization locked until the transaction ends, so that only one of two concurrent callers gets
 * the last place.
 */
export async function requireRoom(
  tx: Transaction,
  organizationId: Uuid,
  what: Countable,
  count: () => Promise<number>,
): Promise<void> {
  await organizations.lock(tx, organizationId)
  const plan = await planOf(tx, organizationId)
  const most = plan[what]
  if (most === null || (await count()) < most) return
  const largerPlans = (await plans.list(tx)).filter((each) => (each[what] ?? Infinity) > most)
  const offers = largerPlans.map(({ name, [what]: more }) => `${name} (${more ?? 'unlimited'})`)
  const allowed = `${most} ${most === 1 ? what.slice(0, -1) : what}`
  throw paymentRequired(`Your plan allows ${allowed}. These plans allow more: ${offers.join(', ')}`)
}

export const storageFull = (): AppError =>
  paymentRequired(
    'Your plan’s limit of stored bytes is reached (storedBytes of GET /v1/organization). Delete templates, or wait until mails, answers and reports are deleted',
  )

/** Throws a 402 if the organization stores as many bytes as its plan allows. */
export async function requireStorageRoom(sql: Executor, organizationId: Uuid): Promise<void> {
  if (!(await storedBytes.hasRoom(sql, organizationId))) throw storageFull()
}

const paymentRequired = (message: string) =>
  new AppError('PAYMENT_REQUIRED', message, { reason: 'plan_limit' })
