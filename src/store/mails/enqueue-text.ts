import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

export interface NewText {
  organizationId: Uuid
  /** UUIDv7, created once when the text is decided. Its day names the partition. */
  id: Uuid
  connectionId: Uuid
  /** Null: no contact has the number. */
  contactId: Uuid | null
  /** E.164. */
  recipient: string
  sender: string
  parts: number
  /** Earliest time of sending, ISO 8601. Null: now. */
  sendAt: string | null
  /** Reason for which the text is not sent. It then has only a `skipped` row in the ledger. */
  refused: 'opted_out' | 'invalid_number' | null
}

/**
 * Enqueues a text message: its row in the ledger, its sender and its row in the queue of texts, in
 * the caller's transaction. No text is sent in another way.
 */
export async function enqueueText(tx: Transaction, text: NewText): Promise<void> {
  const { organizationId, id, connectionId, contactId, recipient, sender, parts } = text
  const { sendAt, refused } = text
  const bucket = dayBucket(id)
  const status = refused === null ? 'queued' : refused === 'opted_out' ? refused : 'suppressed'
  await tx`
    with text as (
      insert into messages (organization_id, bucket, id, dedupe_key, channel, source, connection_id,
        contact_id, recipient, parts, send_at, state, status, reason)
      values (${organizationId}, ${bucket}, ${id}, ${id}, 'sms', 'transactional', ${connectionId},
        ${contactId}, ${recipient}, ${parts},
        coalesce(${sendAt}::timestamptz, date_trunc('milliseconds', now())),
        ${refused === null ? 'queued' : 'skipped'}, ${status}, ${refused})
      returning organization_id, bucket, id, connection_id, parts, send_at, state
    ), body as (
      insert into message_bodies (organization_id, bucket, id, from_address, subject)
      select organization_id, bucket, id, ${sender}, ''
      from text
    )
    insert into text_queue (organization_id, bucket, id, connection_id, sender, parts, send_at)
    select organization_id, bucket, id, connection_id, ${sender}, parts, send_at
    from text
    where state = 'queued'`
}
