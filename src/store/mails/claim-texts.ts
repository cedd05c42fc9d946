import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import { canText, type TextSet } from './text-queue.ts'

/** A claimed text. What it says is kept encrypted, in `transactional_mails`. */
export interface ClaimedText {
  id: Uuid
  recipient: string
  sender: string
  /** Milliseconds since it was to be sent. */
  waitedMs: number
}

/** Returns the numbers of texts that still wait. */
export const listRecipients = (sql: Executor, { organizationId, bucket, ids }: TextSet) => sql<
  { id: Uuid; recipient: string }[]
>`
  select id, recipient
  from messages
  where organization_id = ${organizationId} and bucket = ${bucket} and id = any(${[...ids]}::uuid[])
    and recipient is not null and state = 'queued'`

interface ClaimTexts extends TextSet {
  connectionId: Uuid
  claimId: Uuid
  /** Texts that the list of numbers forbids. It is locked: what it says is true of this claim. */
  refused: readonly { id: Uuid; reason: string }[]
}

/**
 * Claims those of `ids` that still wait and are due, and checks who may be texted. Others become
 * `skipped`. Whoever has the number now decides, whichever contact the text was for.
 *
 * The caller holds the locks of the numbers (`suppressions.lock`, in `share` mode), so that an
 * opt-out is either committed before, and seen, or waits until the claim is committed.
 */
export async function claimTexts(
  tx: Transaction,
  { organizationId, connectionId, bucket, claimId, ids, refused }: ClaimTexts,
): Promise<{ claimedAt: string; texts: ClaimedText[] }> {
  const [row] = await tx<{ claimedAt: string; texts: ClaimedText[] }[]>`
    with live as (
      select 1
      from connections c
      where c.organization_id = ${organizationId} and c.id = ${connectionId}
        and ${canText(tx, tx`c`)}
    ), candidate as materialized (
      select m.*
      from (select unnest(${[...ids]}::uuid[]) as id order by 1) wanted
      cross join lateral (
        select id, contact_id, recipient
        from messages
        where organization_id = ${organizationId} and bucket = ${bucket} and id = wanted.id
          and state = 'queued' and channel = 'sms' and send_at <= statement_timestamp()
          and exists (select from live)
        for update skip locked
      ) m
    ), checked as (
      select candidate.id,
        case
          when refused.reason is not null then refused.reason
          when candidate.recipient is null then 'no_phone'
          when holder.sms_status = 'opted_out' then 'opted_out'
          when holder.sms_status = 'invalid' then 'invalid_number'
          when candidate.contact_id is not null and not exists (
            select
            from contacts c
            where c.organization_id = ${organizationId} and c.id = candidate.contact_id
          )
          then 'contact_deleted'
        end as reason
      from candidate
      left join lateral (
        select c.sms_status
        from contacts c
        where c.organization_id = ${organizationId} and c.phone = candidate.recipient
        limit 1
      ) holder on true
      left join unnest(
        ${refused.map(({ id }) => id)}::uuid[],
        ${refused.map(({ reason }) => reason)}::text[]
      ) as refused (id, reason) on refused.id = candidate.id
    ), moved as (
      update messages m
      set state = case when checked.reason is null then 'claimed' else 'skipped' end,
        status = case when checked.reason is null then 'pending'
          when checked.reason = 'opted_out' then 'opted_out'
          else 'suppressed' end,
        reason = checked.reason,
        claim_id = case when checked.reason is null then ${claimId}::uuid end,
        claimed_at = case when checked.reason is null then statement_timestamp() end
      from checked
      where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = checked.id
      returning m.id, m.state, m.recipient, m.send_at
    ), unqueued as (
      delete from text_queue q
      using moved
      where q.organization_id = ${organizationId} and q.bucket = ${bucket} and q.id = moved.id
    ), leased as (
      insert into claims (organization_id, id, connection_id, bucket, channel, message_ids,
        claimed_at)
      select ${organizationId}, ${claimId}, ${connectionId}, ${bucket}, 'sms', array_agg(id),
        statement_timestamp()
      from moved
      where state = 'claimed'
      having count(*) > 0
    )
    select statement_timestamp() as claimed_at,
      coalesce((
        select json_agg(json_build_object('id', m.id, 'recipient', m.recipient,
          'sender', b.from_address,
          'waitedMs', extract(epoch from statement_timestamp() - m.send_at) * 1000) order by m.id)
        from moved m
        join message_bodies b on b.organization_id = ${organizationId} and b.bucket = ${bucket}
          and b.id = m.id
        where m.state = 'claimed'
      ), '[]') as texts`
  if (!row) throw new Error('a claim returned no row')
  return row
}
