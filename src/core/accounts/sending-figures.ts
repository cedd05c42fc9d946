import { ofDay, type SendingFigures } from '../../store/accounts/sending-figures.ts'
import type { Sql } from '../../store/db/sql.ts'

const DAY_MS = 86_400_000
const DAYS = 7

/**
 * Returns the outcomes of a connection's mail in the seven days before `now` (milliseconds), from
 * the ledger. An address that the provider itself suppressed does not count as a bounce, as with
 * the provider. Bounded: of a day with more than 10,000 mails of the organization, the latest
 * represent all. One statement a day, each of one partition.
 */
export async function ofLastWeek(
  sql: Sql,
  account: { organizationId: string; connectionId: string },
  now: number,
): Promise<SendingFigures> {
  const total: SendingFigures = { sent: 0, delivered: 0, permanentBounces: 0, complaints: 0 }
  const since = new Date(now - DAYS * DAY_MS).toISOString()
  for (let day = 0; day <= DAYS; day++) {
    const figures = await ofDay(sql, account, { since, day: now - day * DAY_MS })
    total.sent += figures.sent
    total.delivered += figures.delivered
    total.permanentBounces += figures.permanentBounces
    total.complaints += figures.complaints
  }
  return total
}
