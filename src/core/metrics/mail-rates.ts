import {
  averageUsd,
  isTiered,
  monthOf,
  monthsOf,
  monthStart,
  nextMonth,
  pricingPlanOf,
} from '../../domain/metrics/prices.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../../store/db/sql.ts'
import * as mailFigures from '../../store/metrics/mail-figures.ts'

/**
 * Returns the average price of a mail by account and UTC month, by the account's present plan and
 * the month's present volume. Accounts with an unknown plan or price are left out.
 *
 * The volume is that of our mail for this organization: prices must not tell an organization how
 * much others send through the same account.
 */
export async function mailRates(
  sql: Executor,
  organizationId: Uuid,
  { from, to }: { from: number; to: number },
): Promise<mailFigures.Rate[]> {
  const months = monthsOf(from, to)
  const accounts = (await mailFigures.listPlans(sql, organizationId)).flatMap(
    ({ connectionId, pricingPlan }) => {
      const plan = pricingPlanOf(pricingPlan)
      return plan === null ? [] : [{ connectionId, plan }]
    },
  )
  const tiered = accounts.filter(({ plan }) => months.some((month) => isTiered(plan, month)))
  const volumes = await mailFigures.listVolumes(sql, organizationId, {
    connectionIds: tiered.map(({ connectionId }) => connectionId),
    from: new Date(monthStart(monthOf(from))).toISOString(),
    to: new Date(nextMonth(to - 1)).toISOString(),
  })
  const sent = new Map(
    volumes.map(({ connectionId, month, mails }) => [`${connectionId} ${month}`, mails]),
  )
  return accounts.flatMap(({ connectionId, plan }) =>
    months.map((month) => {
      const usd = averageUsd({ plan, month }, sent.get(`${connectionId} ${month}`) ?? 0)
      return { connectionId, month, usd }
    }),
  )
}
