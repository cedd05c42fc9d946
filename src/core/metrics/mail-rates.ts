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
 * What a mail costs on average, by account and UTC month, at the plan that the account has now and
 * the volume that the month has by now. Accounts whose plan is not known, or has no price that we
 * know, are left out.
 *
 * The volume is the organization's own, of mail that we sent: one that connects the same account
 * shall not learn from a price how much others send.
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
