import { PRIORITIES, type SingleMailSource } from '../../domain/mails/mail-priority.ts'
import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'
import * as hookFacts from '../hooks/hook-facts.ts'

export interface SingleMail {
  organizationId: string
  /** UUIDv7, created once when the mail is decided. Its day names the partition. */
  id: Uuid
  /**
   * Identifies the decision, so that a repeated enqueue with the same key in the same bucket does
   * nothing.
   */
  dedupeKey?: Uuid
  source: SingleMailSource
  connectionId: string
  contactId?: string
  /** The execution that waits for the mail's outcome. Mail of source `workflow` has one. */
  executionId?: Uuid
  /** The mail is sent only if its contact is subscribed to this topic when it is claimed. */
  topicId?: Uuid
  templateId?: Uuid
  recipient: string
  from: string
  replyTo?: string | null
  subject: string
  html?: string | null
  text?: string | null
  headers?: { name: string; value: string }[]
  /** Earliest time of sending. Absent: now, rounded down, so that the mail is due at once. */
  sendAt?: string
  /** Reason for which the mail is not sent. It then has only a `skipped` row in the ledger. */
  refused?: string | undefined
}

/**
 * Enqueues a single mail: its row in the ledger, its content and its row in the mail queue, in the
 * caller's transaction. No single mail is sent in another way. Returns false if the same decision
 * was enqueued before.
 */
export const enqueue = async (sql: Executor, message: SingleMail): Promise<boolean> =>
  (await enqueueAll(sql, [message])) === 1

/** Enqueues mails of any organizations. Returns how many are new. */
export async function enqueueAll(sql: Executor, messages: readonly SingleMail[]): Promise<number> {
  const rows = messages.map((message) => ({
    organization_id: message.organizationId,
    bucket: dayBucket(message.id),
    id: message.id,
    dedupe_key: message.dedupeKey ?? message.id,
    source: message.source,
    priority: PRIORITIES[message.source],
    connection_id: message.connectionId,
    contact_id: message.contactId ?? null,
    execution_id: message.executionId ?? null,
    topic_id: message.topicId ?? null,
    template_id: message.templateId ?? null,
    recipient: message.recipient,
    send_at: message.sendAt ?? null,
    from_address: message.from,
    reply_to: message.replyTo ?? null,
    subject: message.subject,
    html: message.html ?? null,
    text: message.text ?? null,
    headers: message.headers ?? [],
    refused: message.refused ?? null,
  }))
  const [added] = await sql<{ mails: number }[]>`
    with given as (
      select *
      from jsonb_to_recordset(${sql.json(rows)}) as row (organization_id uuid, bucket uuid, id uuid,
        dedupe_key uuid, source text, priority smallint, connection_id uuid, contact_id uuid,
        execution_id uuid, topic_id uuid, template_id uuid, recipient text, send_at timestamptz,
        from_address text, reply_to text, subject text, html text, text text, headers jsonb,
        refused text)
    ), mail as (
      insert into messages (organization_id, bucket, id, dedupe_key, source, connection_id,
        contact_id, execution_id, topic_id, template_id, recipient, from_domain, subject, send_at,
        state, status, reason)
      select organization_id, bucket, id, dedupe_key, source, connection_id, contact_id,
        execution_id, topic_id, template_id, recipient,
        lower(substring(from_address from '[^@]+$')), subject,
        coalesce(send_at, date_trunc('milliseconds', now())),
        case when refused is null then 'queued' else 'skipped' end,
        case when refused is null then 'queued' else 'suppressed' end, refused
      from given
      on conflict (organization_id, bucket, dedupe_key) do nothing
      returning organization_id, bucket, id, source, contact_id, reason, send_at
    ), body as (
      insert into message_bodies (organization_id, bucket, id, from_address, reply_to, subject,
        html, text, headers)
      select organization_id, bucket, id, given.from_address, given.reply_to, given.subject,
        given.html, given.text, given.headers
      from mail
      join given using (organization_id, bucket, id)
    ), queued as (
      insert into mail_queue (organization_id, bucket, id, connection_id, priority, send_at)
      select organization_id, bucket, id, given.connection_id, given.priority, mail.send_at
      from mail
      join given using (organization_id, bucket, id)
      where given.refused is null
    )${
      messages.some(({ refused }) => refused !== undefined)
        ? sql`, hooked as (${hookFacts.ofSkippedMails(sql, sql`select * from mail`)})`
        : sql``
    }
    select count(*) as mails from mail`
  return added?.mails ?? 0
}
