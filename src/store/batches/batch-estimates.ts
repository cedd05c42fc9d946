import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** Limits of an account. Null: unknown. */
export interface SendingLimits {
  maxSendRate: number | null
  max24Hour: number | null
  sentLast24Hours: number | null
  /** SES' own name of the plan. */
  pricingPlan: string | null
}

export async function findLimits(
  sql: Executor,
  organizationId: Uuid,
  connectionId: Uuid,
): Promise<SendingLimits> {
  const [limits] = await sql<SendingLimits[]>`
    select coalesce(h.max_send_rate, c.max_send_rate)::float8 as max_send_rate,
      h.max_24_hour::float8 as max_24_hour, h.sent_last_24_hours::float8 as sent_last_24_hours,
      h.pricing_plan
    from connections c
    left join account_health h on h.organization_id = c.organization_id and h.connection_id = c.id
    where c.organization_id = ${organizationId} and c.id = ${connectionId}`
  return limits ?? { maxSendRate: null, max24Hour: null, sentLast24Hours: null, pricingPlan: null }
}

/** Counts mails that the account sent for us since a time (ISO 8601) and that were not refused. */
export async function countSentSince(
  sql: Executor,
  organizationId: Uuid,
  { connectionId, since }: { connectionId: Uuid; since: string },
): Promise<number> {
  const [row] = await sql<{ mails: number }[]>`
    select coalesce(sum(sent - failed), 0)::bigint as mails
    from mail_figures
    where organization_id = ${organizationId} and quarter >= ${since}
      and connection_id = ${connectionId} and source <> 'external'`
  return row?.mails ?? 0
}
