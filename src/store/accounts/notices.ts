import type { DataOf, Notice } from '../../domain/accounts/notice.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as outbox from '../platform/outbox.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

/** Row of the operator's own sender in the limiter. No customer's account number looks like it. */
export const OPERATOR_ACCOUNT = 'operator'

type NewNotice = Notice & {
  organizationId: Uuid
  /** Subject of the notice. Empty: the organization itself. */
  subject: string
  /** Period in which no two notices have the same kind and subject. */
  period: string
  /** ISO time. */
  at: string
}

/**
 * Notifies the organization's owners, or an invited person, in the caller's transaction. Returns
 * false if they were notified in this period, or there are none.
 */
export async function put(tx: Transaction, notice: NewNotice): Promise<boolean> {
  const { organizationId, subject, period, at, kind, data } = notice
  const id = uuidv7()
  const inserted = await tx`
    insert into notices (organization_id, id, kind, subject, period, data, created_at)
    values (${organizationId}, ${id}, ${kind}, ${subject}, ${period}, ${tx.json(data)}, ${at})
    on conflict (organization_id, kind, subject, period) do nothing`
  if (inserted.count === 0) return false
  const { count } =
    kind === 'invitation'
      ? await tx`
        insert into notice_mails (organization_id, notice_id, invitation_id)
        values (${organizationId}, ${id}, ${data.invitationId})`
      : await tx`
        insert into notice_mails (organization_id, notice_id, user_id)
        select organization_id, ${id}, user_id
        from memberships
        where organization_id = ${organizationId} and role = 'owner'`
  if (count === 0) return false
  const payload = { noticeId: id }
  await outbox.put(tx, organizationId, { kind: 'send_notice', payload }, undefined)
  return true
}

interface NoticeOf<Kind> {
  organizationId: Uuid
  kind: Kind
  subject: string
  /** ISO time. */
  since: string
}

export const listSince = <Kind extends Notice['kind']>(
  sql: Executor,
  { organizationId, kind, subject, since }: NoticeOf<Kind>,
) => sql<{ data: DataOf<Kind> }[]>`
  select data
  from notices
  where organization_id = ${organizationId}
    and kind = ${kind}
    and subject = ${subject}
    and created_at > ${since}
  order by id desc`

interface Mailed {
  count: number
  /** Null: none. */
  oldestAt: string | null
}

/** Counts invitation mails since then: of the organization, and to one address. */
export async function countInvitations(
  sql: Executor,
  { organizationId, email, since }: { organizationId: Uuid; email: string; since: string },
): Promise<{ all: Mailed; toAddress: Mailed }> {
  const [row] = await sql<
    { count: number; oldestAt: string | null; countTo: number; oldestTo: string | null }[]
  >`
    select count(*) as count, min(n.created_at) as oldest_at,
      count(i.id) as count_to, min(n.created_at) filter (where i.id is not null) as oldest_to
    from notices n
    left join invitations i on i.organization_id = n.organization_id
      and i.id::text = n.subject
      and i.email = ${email}
    where n.organization_id = ${organizationId}
      and n.kind = 'invitation'
      and n.created_at > ${since}`
  return {
    all: { count: row?.count ?? 0, oldestAt: row?.oldestAt ?? null },
    toAddress: { count: row?.countTo ?? 0, oldestAt: row?.oldestTo ?? null },
  }
}

export interface NoticeKey {
  organizationId: Uuid
  noticeId: Uuid
}

export type FoundNotice = Notice & {
  organizationName: string
  createdAt: string
  /** Mails that are not sent yet, including those being sent. */
  queued: number
  claimed: number
}

export async function find(
  sql: Sql,
  { organizationId, noticeId }: NoticeKey,
): Promise<FoundNotice | undefined> {
  const [notice] = await sql<FoundNotice[]>`
    select n.kind, n.data, n.created_at, o.name as organization_name,
      (select count(*) from notice_mails m
        where m.organization_id = n.organization_id and m.notice_id = n.id
          and m.state = 'queued') as queued,
      (select count(*) from notice_mails m
        where m.organization_id = n.organization_id and m.notice_id = n.id
          and m.state = 'claimed') as claimed
    from notices n
    join organizations o on o.id = n.organization_id
    where n.organization_id = ${organizationId} and n.id = ${noticeId}`
  return notice
}

/** Lists a page of notices with unsent mails, in the order of their ids. */
export const listOpen = (sql: Sql, after: Uuid | undefined, limit: number) => sql<
  { organizationId: Uuid; id: Uuid }[]
>`
  select distinct organization_id, notice_id as id
  from notice_mails
  where state in ('queued', 'claimed')
    ${after === undefined ? sql`` : sql`and notice_id > ${after}`}
  order by notice_id
  limit ${limit}`

export const skipQueued = (
  sql: Sql,
  { organizationId, noticeId }: NoticeKey,
  reason: string,
) => sql`
  update notice_mails
  set state = 'skipped', reason = ${reason}, settled_at = clock_timestamp()
  where organization_id = ${organizationId} and notice_id = ${noticeId} and state = 'queued'`

/**
 * Ends claims of lost workers, whose calls may have begun. No event reports the outcome of the
 * operator's mail. A missing notice is better than a repeated one.
 */
export const giveUpClaims = (
  sql: Sql,
  { organizationId, noticeId }: NoticeKey,
  leaseMs: number,
) => sql`
  update notice_mails
  set state = 'unknown', reason = 'unknown_outcome', settled_at = clock_timestamp()
  where organization_id = ${organizationId}
    and notice_id = ${noticeId}
    and state = 'claimed'
    and claimed_at < statement_timestamp() - ${leaseMs} * interval '1 millisecond'`

interface Claim extends NoticeKey {
  claimId: Uuid
  limit: number
}

export interface Claimed {
  claimedAt: string
  /** Recipients by the id of the owner or the invitation. */
  recipients: { id: Uuid; email: string }[]
}

/**
 * Claims mails, and checks in the same statement that each goes to a present owner, or to a person
 * whose open invitation has this link.
 */
export async function claim(
  sql: Sql,
  { organizationId, noticeId, claimId, limit }: Claim,
): Promise<Claimed> {
  const [row] = await sql<Claimed[]>`
    with candidate as materialized (
      select recipient_id, user_id, invitation_id
      from notice_mails
      where organization_id = ${organizationId}
        and notice_id = ${noticeId}
        and state = 'queued'
      order by recipient_id
      limit ${limit}
      for update skip locked
    ), checked as (
      select candidate.recipient_id, coalesce(u.email, i.email) as email,
        case when candidate.user_id is null then 'invitation_over' else 'not_owner' end as refusal
      from candidate
      left join memberships m on m.organization_id = ${organizationId}
        and m.user_id = candidate.user_id and m.role = 'owner'
      left join users u on u.id = m.user_id
      left join invitations i on i.organization_id = ${organizationId}
        and i.id = candidate.invitation_id
        and i.accepted_at is null
        and i.revoked_at is null
        and i.expires_at > now()
        and i.generation::text = (
          select period
          from notices
          where organization_id = ${organizationId} and id = ${noticeId})
    ), moved as (
      update notice_mails n
      set state = case when checked.email is null then 'skipped' else 'claimed' end,
        reason = case when checked.email is null then checked.refusal end,
        settled_at = case when checked.email is null then now() end,
        claim_id = case when checked.email is null then null else ${claimId}::uuid end,
        claimed_at = case when checked.email is null then null else now() end
      from checked
      where n.organization_id = ${organizationId}
        and n.notice_id = ${noticeId}
        and n.recipient_id = checked.recipient_id
      returning n.recipient_id, n.state
    )
    select now() as claimed_at, coalesce((
        select json_agg(json_build_object('id', checked.recipient_id, 'email', checked.email)
          order by checked.recipient_id)
        from checked
        join moved on moved.recipient_id = checked.recipient_id and moved.state = 'claimed'
      ), '[]') as recipients`
  if (!row) throw new Error('a claim answers one row')
  return row
}

export interface NoticeResult {
  id: Uuid
  state: 'queued' | 'sent' | 'failed' | 'unknown'
  messageId: string | null
  reason: string | null
}

/** Stores the results of one claim's mails that still belong to it. */
export const recordResults = (
  sql: Sql,
  { organizationId, noticeId, claimId }: Omit<Claim, 'limit'>,
  mails: readonly NoticeResult[],
) => sql`
  update notice_mails n
  set state = s.state,
    message_id = s.message_id,
    reason = s.reason,
    claim_id = case when s.state = 'unknown' then n.claim_id end,
    claimed_at = case when s.state = 'unknown' then n.claimed_at end,
    settled_at = case when s.state <> 'queued' then clock_timestamp() end
  from unnest(
    ${mails.map((mail) => mail.id)}::uuid[],
    ${mails.map((mail) => mail.state)}::text[],
    ${mails.map((mail) => mail.messageId)}::text[],
    ${mails.map((mail) => mail.reason?.slice(0, 500) ?? null)}::text[]
  ) as s (recipient_id, state, message_id, reason)
  where n.organization_id = ${organizationId}
    and n.notice_id = ${noticeId}
    and n.recipient_id = s.recipient_id
    and n.claim_id = ${claimId}
    and n.state in ('claimed', 'unknown')`
