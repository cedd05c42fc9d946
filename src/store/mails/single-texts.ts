import { CANCELLED } from '../../domain/mails/single-mail.ts'
import type { LogStatus } from '../../domain/status.ts'
import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/*
 * Texts of the API. Their bodies are kept like those of single mails, in `transactional_mails`.
 */

/** A text as its sender may see it. */
export interface SingleText {
  id: Uuid
  state: 'queued' | 'claimed' | 'sent' | 'failed' | 'skipped' | 'unknown'
  status: LogStatus
  reason: string | null
  error: string | null
  messageId: string | null
  recipient: string | null
  sender: string | null
  parts: number | null
  connectionId: Uuid
  sendAt: string
  isDue: boolean
  bodyUntil: string | null
  claimedAt: string | null
  createdAt: string
  sentAt: string | null
  deliveredAt: string | null
  bouncedAt: string | null
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<SingleText | undefined> {
  const bucket = dayBucket(id)
  const [text] = await sql<SingleText[]>`
    select m.id, m.state, m.status, m.reason, m.error, m.message_id, m.recipient,
      b.from_address as sender, m.parts, m.connection_id, m.send_at,
      m.send_at <= statement_timestamp() as is_due,
      case when t.retain_body then t.sealed_until end as body_until, m.claimed_at, m.created_at,
      m.sent_at, m.delivered_at, m.bounced_at
    from transactional_mails t
    join messages m on m.organization_id = ${organizationId} and m.bucket = ${bucket}
      and m.id = t.id and m.channel = 'sms'
    left join message_bodies b on b.organization_id = ${organizationId} and b.bucket = ${bucket}
      and b.id = t.id
    where t.organization_id = ${organizationId} and t.id = ${id}`
  return text
}

/** Reschedules a text that is not claimed yet. Returns false if it does not wait. */
export async function reschedule(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  { sendAt, sealedUntil }: { sendAt: string; sealedUntil: string },
): Promise<boolean> {
  const bucket = dayBucket(id)
  const { count } = await tx`
    with moved as (
      update messages
      set send_at = ${sendAt}
      where organization_id = ${organizationId} and bucket = ${bucket} and id = ${id}
        and state = 'queued' and channel = 'sms'
      returning id
    ), queued as (
      update text_queue q
      set send_at = ${sendAt}
      from moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    )
    update transactional_mails t
    set sealed_until = ${sealedUntil}
    from moved
    where t.organization_id = ${organizationId} and t.id = moved.id`
  return count > 0
}

/** Cancels a text that is not claimed yet. Returns false if it does not wait. */
export async function cancel(tx: Transaction, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const bucket = dayBucket(id)
  const { count } = await tx`
    with moved as (
      update messages
      set state = 'skipped', status = 'suppressed', reason = ${CANCELLED}
      where organization_id = ${organizationId} and bucket = ${bucket} and id = ${id}
        and state = 'queued' and channel = 'sms' and source = 'transactional'
      returning id
    ), unqueued as (
      delete from text_queue q
      using moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    )
    update transactional_mails t
    set sealed = null, sealed_until = null
    from moved
    where t.organization_id = ${organizationId} and t.id = moved.id`
  return count > 0
}

/** Encrypted bodies of texts, by id. Those that are no longer stored are absent. */
export async function listSealed(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, Uint8Array>> {
  const rows = await sql<{ id: Uuid; sealed: Uint8Array }[]>`
    select id, sealed
    from transactional_mails
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
      and sealed is not null`
  return new Map(rows.map(({ id, sealed }) => [id, sealed]))
}

export interface TextLogRow extends Omit<SingleText, 'isDue' | 'bodyUntil' | 'sendAt'> {
  region: string | null
}

export interface TextLogPage {
  limit: number
  /** Lowest bucket that is shown. */
  oldest: Uuid
  /** Id. Only texts before it are listed. */
  before?: Uuid | undefined
  status?: LogStatus | undefined
  recipient?: string | undefined
}

/**
 * Lists texts, newest first. They are read by the index of sources: mails of batches are not walked
 * past. Cancelled texts are not listed.
 */
export const listLogs = (
  sql: Executor,
  organizationId: Uuid,
  { limit, oldest, before, status, recipient }: TextLogPage,
) => sql<TextLogRow[]>`
  select m.id, m.state, m.status, m.reason, m.error, m.message_id, m.recipient,
    b.from_address as sender, m.parts, m.connection_id, c.region, m.claimed_at, m.created_at,
    m.sent_at, m.delivered_at, m.bounced_at
  from (
    select *
    from messages
    where organization_id = ${organizationId} and source = 'transactional' and channel = 'sms'
      and bucket >= ${oldest}
      and not (state = 'skipped' and coalesce(reason = ${CANCELLED}, false))
      ${before === undefined ? sql`` : sql`and id < ${before}`}
      ${recipient === undefined ? sql`` : sql`and recipient = ${recipient}`}
      ${
        status === undefined
          ? sql``
          : sql`and case when state in ('claimed', 'unknown') then 'pending' else status end
              = ${status}`
      }
    order by id desc
    limit ${limit}
  ) m
  left join message_bodies b on b.organization_id = ${organizationId} and b.bucket = m.bucket
    and b.id = m.id
  left join connections c on c.organization_id = ${organizationId} and c.id = m.connection_id
  order by m.id desc`
