import { bucketStart, type Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'

const DAY_MS = 86_400_000
/** Rows of an organization that are read for each day. */
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
 * Returns mail of a connection that was sent since then, on the day of `day` (milliseconds). Mail
 * of other programs is left out, since only its bounces may be known.
 */
export async function ofDay(
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
      select connection_id, source, state, sent_at, delivered_at, bounce_type, bounce_sub_type,
        complained_at
      from messages
      where organization_id = ${organizationId} and channel = 'email'
        and bucket >= ${bucketStart(day)}
        and bucket < ${bucketStart(day + DAY_MS)}
      order by id desc
      limit ${MOST_ROWS}
    ) as latest
    where connection_id = ${connectionId} and source <> 'external' and state = 'sent'
      and sent_at >= ${since}`
  return figures ?? { sent: 0, delivered: 0, permanentBounces: 0, complaints: 0 }
}
