import { MERGE_FIELDS, type MergeValues } from '../../domain/contacts/contact-fields.ts'
import type { Uuid } from '../../runtime/ids.ts'
import { columnsOf } from '../audience/contact-columns.ts'
import type { Sql } from '../db/sql.ts'

/** Fields of the contact that a mail may contain. */
export interface Recipient extends MergeValues {
  id: Uuid
  contactId: Uuid
  email: string
  variant: number | null
}

interface ClaimRange {
  organizationId: string
  batchId: string
  attempt: number
  bucket: Uuid
  connectionId: string
  claimId: Uuid
  /** Range of row ids, `from` included, `to` not. */
  from: Uuid
  to: Uuid
  limit: number
}

export interface ClaimedRange {
  /** False: the batch is no longer to be sent, and nothing was claimed. */
  live: boolean
  /** Time of the claim by the clock of Postgres. Every call is signed with it. */
  claimedAt: string
  skipped: number
  recipients: Recipient[]
}

/**
 * Claims up to `limit` queued rows of a batch's range for the caller to mail now, and checks again
 * who may be mailed: the same statement makes the other rows `skipped`.
 *
 * It is one statement with one commit, so that nobody who unsubscribed before it is mailed by it.
 * `skip locked` lets several workers share a range without waiting for each other.
 */
export const claimRange = async (sql: Sql, claim: ClaimRange): Promise<ClaimedRange> => {
  const { organizationId, batchId, attempt, bucket, connectionId, claimId, from, to, limit } = claim
  const [row] = await sql<
    { live: boolean; claimedAt: string; skipped: number; recipients: Recipient[] }[]
  >`
    with live as (
      select b.topic_id, b.ab_winner
      from batches b
      join connections c on c.organization_id = b.organization_id and c.id = b.connection_id
      where b.organization_id = ${organizationId} and b.id = ${batchId} and b.attempt = ${attempt}
        and b.status = 'processing' and b.paused_reason is null and c.is_verified and c.disconnected_at is null
    ), candidate as materialized (
      select m.id, m.contact_id, m.variant
      from messages m
      where m.organization_id = ${organizationId} and m.bucket = ${bucket}
        and m.id >= ${from} and m.id < ${to} and m.state = 'queued'
        and exists (select from live)
      order by m.id
      limit ${limit}
      for update skip locked
    ), checked as (
      select candidate.id as row_id, candidate.contact_id, ${columnsOf(sql, MERGE_FIELDS, 'c')},
        coalesce(candidate.variant, live.ab_winner) as variant,
        case
          when c.id is null then 'contact_deleted'
          when c.email is null then 'no_address'
          when c.email_status <> 'active' then c.email_status
          when live.topic_id is not null and s.status is distinct from 'subscribed'
          then 'topic_unsubscribed'
        end as reason
      from candidate
      cross join live
      left join contacts c on c.organization_id = ${organizationId} and c.id = candidate.contact_id
      left join subscriptions s on s.organization_id = ${organizationId}
        and s.contact_id = candidate.contact_id and s.topic_id = live.topic_id
    ), moved as (
      update messages m
      set state = case when checked.reason is null then 'claimed' else 'skipped' end,
        status = case when checked.reason is null then 'pending'
          when checked.reason in ('unsubscribed', 'topic_unsubscribed') then 'opted_out'
          else 'suppressed' end,
        reason = checked.reason,
        claim_id = case when checked.reason is null then ${claimId}::uuid end,
        claimed_at = case when checked.reason is null then now() end,
        recipient = coalesce(checked.email, m.recipient),
        variant = checked.variant
      from checked
      where m.organization_id = ${organizationId} and m.bucket = ${bucket} and m.id = checked.row_id
      returning m.id, m.state
    ), leased as (
      insert into claims (organization_id, id, connection_id, bucket, batch_id, message_ids, claimed_at)
      select ${organizationId}, ${claimId}, ${connectionId}, ${bucket}, ${batchId}, array_agg(id), now()
      from moved
      where state = 'claimed'
      having count(*) > 0
    ), counted as (
      update batches
      set skipped = batches.skipped + refused.rows, updated_at = clock_timestamp(),
        progressed_at = clock_timestamp()
      from (select count(*) as rows from moved where state = 'skipped') refused
      where refused.rows > 0
        and batches.organization_id = ${organizationId} and batches.id = ${batchId}
    )
    select exists (select from live) as live, now() as claimed_at,
      (select count(*) from moved where state = 'skipped') as skipped,
      coalesce((
        select json_agg(json_build_object('id', row_id, 'contactId', contact_id,
          ${MERGE_FIELDS.map((field) => sql`${field}::text, ${sql(field)},`)} 'variant', variant)
          order by row_id)
        from checked
        where reason is null
      ), '[]') as recipients`
  if (!row) throw new Error('a claim returned no row')
  return row
}
