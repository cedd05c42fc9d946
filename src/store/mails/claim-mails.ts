import type { Uuid } from '../../runtime/ids.ts'
import type { Sql } from '../db/sql.ts'
import * as executions from '../flows/executions.ts'
import * as hookFacts from '../hooks/hook-facts.ts'
import * as outbox from '../platform/outbox.ts'
import type { MailSet } from './mail-queue.ts'

/** A claimed mail with its content. */
export interface QueuedMail {
  id: Uuid
  recipient: string
  from: string
  replyTo: string | null
  subject: string
  html: string | null
  text: string | null
  headers: { name: string; value: string }[]
  /** Null: the mail is not of a flow. */
  flowId: Uuid | null
}

/**
 * Returns mails that only the suppression list can allow: mail without a contact, and transactional
 * mail, whose address need not be the contact's. What another worker holds is listed, too: it may
 * come back to the queue before the claim.
 */
export const listToLookUp = (sql: Sql, { organizationId, bucket, ids }: MailSet) => sql<
  { id: Uuid; recipient: string; source: string }[]
>`
  select id, recipient, source
  from messages
  where organization_id = ${organizationId} and bucket = ${bucket} and id = any(${[...ids]}::uuid[])
    and (contact_id is null or source = 'transactional') and recipient is not null`

interface ClaimMails extends MailSet {
  connectionId: string
  claimId: Uuid
  /** Mails that the suppression list forbids, looked up just before. */
  refused?: readonly { id: Uuid; reason: string }[]
}

/**
 * Claims those of `ids` that still wait and are due, and checks who may be mailed. Transactional
 * and confirmation mail goes to active and unsubscribed addresses, other mail to active ones only.
 * Mail to others becomes `skipped`, and so does a confirmation that is no longer awaited. It is one
 * statement, like the claim of a batch's range (`claimRange`).
 *
 * Mail of an execution is sent only while its step awaits this mail: not after the execution has
 * ended, and not after a retry has made another mail. The mail and its links are rendered for one
 * address. If the contact's address has changed, the mail is skipped, and its step is woken and
 * makes one for the new address.
 *
 * Each subquery beside the contact has a `limit`. Without it the planner makes a join, which reads
 * all of the organization's rows, for mail of other sources as well.
 */
export const claimMails = async (
  sql: Sql,
  { organizationId, connectionId, bucket, claimId, ids, refused = [] }: ClaimMails,
) => {
  const [row] = await sql<{ claimedAt: string; skipped: number; mails: QueuedMail[] }[]>`
    with live as (
      select 1
      from connections
      where organization_id = ${organizationId} and id = ${connectionId}
        and is_verified and disconnected_at is null
    ), candidate as materialized (
      select m.*
      from (select unnest(${[...ids]}::uuid[]) as id order by 1) wanted
      cross join lateral (
        select id, contact_id, source, recipient, execution_id, topic_id
        from messages
        where organization_id = ${organizationId} and bucket = ${bucket} and id = wanted.id
          and state = 'queued' and send_at <= statement_timestamp() and exists (select from live)
        for update skip locked
      ) m
    ), checked as (
      select candidate.id, run.flow_id,
        case
          when candidate.source = 'workflow' and run.execution_id is null then 'execution_ended'
          when refused.reason is not null then refused.reason
          when candidate.contact_id is null then null
          when c.id is null then 'contact_deleted'
          -- Transactional mail keeps its address, which the list has allowed.
          when candidate.source = 'transactional'
            and lower(c.email) is distinct from lower(candidate.recipient)
          then null
          when c.email is null then 'no_address'
          when candidate.source = 'confirmation' and awaited.mail_id is null then 'not_awaited'
          when c.email_status = 'unsubscribed' and candidate.source <> 'workflow' then null
          when c.email_status <> 'active' then c.email_status
          when candidate.source = 'workflow' and c.email <> candidate.recipient
          then 'address_changed'
          when candidate.topic_id is not null and topic.status is distinct from 'subscribed'
          then 'topic_unsubscribed'
        end as reason
      from candidate
      left join contacts c on c.organization_id = ${organizationId} and c.id = candidate.contact_id
      left join lateral (
        select s.mail_id
        from subscriptions s
        where candidate.source = 'confirmation' and s.organization_id = ${organizationId}
          and s.contact_id = candidate.contact_id and s.mail_id = candidate.id
          and s.status = 'pending'
        limit 1
      ) awaited on true
      left join lateral (
        select e.id as execution_id, e.flow_id
        from executions e
        join execution_steps step on step.organization_id = ${organizationId}
          and step.execution_id = e.id
        where candidate.source = 'workflow' and e.organization_id = ${organizationId}
          and e.id = candidate.execution_id and e.status in ${executions.live(sql)}
          and step.mail_id = candidate.id and step.status = 'executing'
        limit 1
      ) run on true
      left join lateral (
        select s.status
        from subscriptions s
        where candidate.source = 'workflow' and s.organization_id = ${organizationId}
          and s.contact_id = candidate.contact_id and s.topic_id = candidate.topic_id
        limit 1
      ) topic on true
      left join unnest(
        ${refused.map(({ id }) => id)}::uuid[],
        ${refused.map(({ reason }) => reason)}::text[]
      ) as refused (id, reason) on refused.id = candidate.id
    ), moved as (
      update messages m
      set state = case when checked.reason is null then 'claimed' else 'skipped' end,
        status = case when checked.reason is null then 'pending'
          when checked.reason in ('unsubscribed', 'topic_unsubscribed') then 'opted_out'
          else 'suppressed' end,
        reason = checked.reason,
        claim_id = case when checked.reason is null then ${claimId}::uuid end,
        claimed_at = case when checked.reason is null then now() end
      from checked
      where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = checked.id
      returning m.organization_id, m.bucket, m.id, m.source, m.state, m.reason, m.contact_id,
        m.recipient, m.execution_id, checked.flow_id
    ), unqueued as (
      delete from mail_queue q
      using moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    ), leased as (
      insert into claims (organization_id, id, connection_id, bucket, message_ids, claimed_at)
      select ${organizationId}, ${claimId}, ${connectionId}, ${bucket}, array_agg(id), now()
      from moved
      where state = 'claimed'
      having count(*) > 0
    ), hooked as (${hookFacts.ofSkippedMails(sql, sql`select * from moved where state = 'skipped'`)}
    ), woken as (${outbox.wake(
      sql,
      organizationId,
      sql`
      select execution_id
      from moved
      where state = 'skipped' and reason <> 'execution_ended'`,
    )})
    select now() as claimed_at,
      (select count(*) from moved where state = 'skipped') as skipped,
      coalesce((
        select json_agg(json_build_object('id', m.id, 'recipient', m.recipient,
          'from', b.from_address, 'replyTo', b.reply_to, 'subject', b.subject, 'html', b.html,
          'text', b.text, 'headers', b.headers, 'flowId', m.flow_id) order by m.id)
        from moved m
        join message_bodies b on b.organization_id = ${organizationId} and b.bucket = ${bucket}
          and b.id = m.id
        where m.state = 'claimed'
      ), '[]') as mails`
  if (!row) throw new Error('a claim returned no row')
  return row
}
