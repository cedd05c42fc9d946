import { bucketStart, type Uuid } from '../ids.ts'
import type { Sql } from './sql.ts'

const DAY_MS = 86_400_000
const DAYS = 7
/** Rows of an organization that are looked at for each day. */
const MOST_ROWS = 10_000

export interface SendingFigures {
  sent: number
  delivered: number
  permanentBounces: number
  complaints: number
}

interface Account {
  organizationId: Uuid
  connectionId: Uuid
}

/**
 * What became of the mail that a connection sent in the seven days before `now` (milliseconds), by
 * the ledger. An address that the provider itself suppressed does not count as a bounce, as it does
 * not there. Bounded: of a day with more than 10,000 mails of the organization, the latest of them
 * stand for it. One statement a day, each of the one partition that it names.
 */
export async function ofLastWeek(sql: Sql, account: Account, now: number): Promise<SendingFigures> {
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

async function ofDay(
  sql: Sql,
  { organizationId, connectionId }: Account,
  { since, day }: { since: string; day: number },
): Promise<SendingFigures> {
  const [figures] = await sql<SendingFigures[]>`
    select count(*) as sent,
      count(*) filter (where delivered_at is not null) as delivered,
      count(*) filter (where bounce_type = 'Permanent'
        and coalesce(bounce_sub_type, '') not in ('OnAccountSuppressionList', 'Suppressed')
      ) as permanent_bounces,
      count(*) filter (where complained_at is not null) as complaints
    from (
      select connection_id, state, sent_at, delivered_at, bounce_type, bounce_sub_type, complained_at
      from messages
      where organization_id = ${organizationId}
        and bucket >= ${bucketStart(day)}
        and bucket < ${bucketStart(day + DAY_MS)}
      order by id desc
      limit ${MOST_ROWS}
    ) as latest
    where connection_id = ${connectionId} and state = 'sent' and sent_at >= ${since}`
  return figures ?? { sent: 0, delivered: 0, permanentBounces: 0, complaints: 0 }
}
