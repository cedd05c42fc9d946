import type { DataOf, Notice } from '../domain/notice.ts'
import { type Uuid, uuidv7 } from '../ids.ts'
import * as outbox from './outbox.ts'
import type { Executor, Sql, Transaction } from './sql.ts'

/** The limiter's row of the operator's own sender: no customer's account number looks like it. */
export const OPERATOR_ACCOUNT = 'operator'

type NewNotice = Notice & {
  organizationId: Uuid
  /** What it is about; empty: the organization itself. */
  subject: string
  /** Nothing of this kind about this subject is told twice in it. */
  period: string
  /** ISO time. */
  at: string
}

/**
 * Tells the organization's owners, in the caller's transaction: exactly if what is told is stored.
 * False: they were told in this period, or there are none.
 */
export async function put(tx: Transaction, notice: NewNotice): Promise<boolean> {
  const { organizationId, kind, subject, period, data, at } = notice
  const id = uuidv7()
  const made = await tx`
    insert into notices (organization_id, id, kind, subject, period, data, created_at)
    values (${organizationId}, ${id}, ${kind}, ${subject}, ${period}, ${tx.json(data)}, ${at})
    on conflict (organization_id, kind, subject, period) do nothing`
  if (made.count === 0) return false
  const { count } = await tx`
    insert into notice_mails (organization_id, notice_id, user_id)
    select organization_id, ${id}, user_id
    from memberships
    where organization_id = ${organizationId} and role = 'owner'`
  if (count === 0) return false
  const payload = { noticeId: id }
  await outbox.put(tx, organizationId, { kind: 'send_notice', payload }, undefined)
  return true
}

interface Told<Kind> {
  organizationId: Uuid
  kind: Kind
  subject: string
  /** ISO time. */
  since: string
}

/** What owners were told about a subject since then, latest first. */
export const listSince = <Kind extends Notice['kind']>(
  sql: Executor,
  { organizationId, kind, subject, since }: Told<Kind>,
) => sql<{ data: DataOf<Kind> }[]>`
  select data
  from notices
  where organization_id = ${organizationId}
    and kind = ${kind}
    and subject = ${subject}
    and created_at > ${since}
  order by id desc`

export interface Place {
  organizationId: Uuid
  noticeId: Uuid
}

export type FoundNotice = Notice & {
  organizationName: string
  createdAt: string
  /** Mails still to be sent, and those that somebody is sending. */
  queued: number
  claimed: number
}

export async function find(
  sql: Sql,
  { organizationId, noticeId }: Place,
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

/** Sets aside what is still to be sent. */
export const skipQueued = (sql: Sql, { organizationId, noticeId }: Place, reason: string) => sql`
  update notice_mails
  set state = 'skipped', reason = ${reason}, settled_at = clock_timestamp()
  where organization_id = ${organizationId} and notice_id = ${noticeId} and state = 'queued'`

/**
 * Claims whose worker is lost: their calls may have begun. Nothing ever tells what became of the
 * operator's mail, so this is their end: better not told than told twice.
 */
export const giveUpClaims = (sql: Sql, { organizationId, noticeId }: Place, leaseMs: number) => sql`
  update notice_mails
  set state = 'unknown', reason = 'unknown_outcome', settled_at = clock_timestamp()
  where organization_id = ${organizationId}
    and notice_id = ${noticeId}
    and state = 'claimed'
    and claimed_at < clock_timestamp() - ${leaseMs} * interval '1 millisecond'`

interface Claim extends Place {
  claimId: Uuid
  limit: number
}

export interface Claimed {
  claimedAt: string
  recipients: { userId: Uuid; email: string }[]
}

/** Claims mails and checks in the same statement who is to be told: who owns it no more is not. */
export async function claim(
  sql: Sql,
  { organizationId, noticeId, claimId, limit }: Claim,
): Promise<Claimed> {
  const [row] = await sql<Claimed[]>`
    with candidate as materialized (
      select user_id
      from notice_mails
      where organization_id = ${organizationId}
        and notice_id = ${noticeId}
        and state = 'queued'
      order by user_id
      limit ${limit}
      for update skip locked
    ), checked as (
      select candidate.user_id, u.email
      from candidate
      left join memberships m on m.organization_id = ${organizationId}
        and m.user_id = candidate.user_id and m.role = 'owner'
      left join users u on u.id = m.user_id
    ), moved as (
      update notice_mails n
      set state = case when checked.email is null then 'skipped' else 'claimed' end,
        reason = case when checked.email is null then 'not_owner' end,
        settled_at = case when checked.email is null then now() end,
        claim_id = case when checked.email is null then null else ${claimId}::uuid end,
        claimed_at = case when checked.email is null then null else now() end
      from checked
      where n.organization_id = ${organizationId}
        and n.notice_id = ${noticeId}
        and n.user_id = checked.user_id
      returning n.user_id, n.state
    )
    select now() as claimed_at, coalesce((
        select json_agg(json_build_object('userId', checked.user_id, 'email', checked.email)
          order by checked.user_id)
        from checked
        join moved on moved.user_id = checked.user_id and moved.state = 'claimed'
      ), '[]') as recipients`
  if (!row) throw new Error('a claim answers one row')
  return row
}

export interface Settled {
  userId: Uuid
  state: 'queued' | 'sent' | 'failed' | 'unknown'
  messageId: string | null
  reason: string | null
}

/** Writes what became of one claim's mails, as far as they are its own still. */
export const settle = (
  sql: Sql,
  { organizationId, noticeId, claimId }: Omit<Claim, 'limit'>,
  mails: readonly Settled[],
) => sql`
  update notice_mails n
  set state = s.state,
    message_id = s.message_id,
    reason = s.reason,
    claim_id = case when s.state = 'unknown' then n.claim_id end,
    claimed_at = case when s.state = 'unknown' then n.claimed_at end,
    settled_at = case when s.state <> 'queued' then clock_timestamp() end
  from unnest(
    ${mails.map((mail) => mail.userId)}::uuid[],
    ${mails.map((mail) => mail.state)}::text[],
    ${mails.map((mail) => mail.messageId)}::text[],
    ${mails.map((mail) => mail.reason?.slice(0, 500) ?? null)}::text[]
  ) as s (user_id, state, message_id, reason)
  where n.organization_id = ${organizationId}
    and n.notice_id = ${noticeId}
    and n.user_id = s.user_id
    and n.claim_id = ${claimId}
    and n.state in ('claimed', 'unknown')`
