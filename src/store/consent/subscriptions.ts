import type { SubscriptionStatus } from '../../domain/consent/subscription.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface Pair {
  contactId: Uuid
  topicId: Uuid
}

/** Facts that decide about a pair. Without a subscription its fields are null. */
export interface PairFacts extends Pair {
  email: string | null
  emailStatus: string | null
  emailOptedOutAt: string | null
  doubleOptIn: boolean
  status: SubscriptionStatus | null
  generation: number | null
  cohort: Uuid | null
  confirmedAt: string | null
  optedOutAt: string | null
  mailedAt: string | null
  now: string
}

/** Pairs whose contact or topic does not exist are left out. */
export const listFacts = (tx: Transaction, organizationId: Uuid, pairs: readonly Pair[]) =>
  tx<PairFacts[]>`
    select wanted.contact_id, wanted.topic_id, c.email, c.email_status,
      c.email_opted_out_at, t.double_opt_in, s.status, s.generation, s.cohort,
      s.confirmed_at, s.opted_out_at, s.mailed_at,
      clock_timestamp()::timestamptz(3) as now
    from (
      select distinct contact_id, topic_id
      from ${unnested(tx, pairs)}
    ) wanted
    join contacts c on c.organization_id = ${organizationId} and c.id = wanted.contact_id
    join topics t on t.organization_id = ${organizationId} and t.id = wanted.topic_id
    left join subscriptions s on s.organization_id = ${organizationId}
      and s.contact_id = wanted.contact_id and s.topic_id = wanted.topic_id
    order by wanted.contact_id, wanted.topic_id`

export const listPairs = (sql: Executor, organizationId: Uuid, contactIds: readonly Uuid[]) =>
  sql<Pair[]>`
    select contact_id, topic_id
    from subscriptions
    where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])`

export const listOfContact = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<
  {
    topicId: Uuid
    topicSlug: string
    topicName: string
    status: SubscriptionStatus
    subscribedAt: string | null
  }[]
>`
  select s.topic_id, t.slug as topic_slug, t.name as topic_name, s.status, s.subscribed_at
  from subscriptions s
  join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
  where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
  order by s.topic_id`

interface NewStatus {
  status: SubscriptionStatus
  isMailed?: boolean
  mails?: 0 | 1
  cohort?: Uuid | undefined
}

/**
 * Sets a status and a new generation. The contacts are locked, so nobody else writes these rows.
 */
export async function setStatus(
  tx: Transaction,
  organizationId: Uuid,
  pairs: readonly Pair[],
  { status, isMailed = false, mails = 0, cohort }: NewStatus,
): Promise<void> {
  if (pairs.length === 0) return
  await tx`
    insert into subscriptions as s (organization_id, contact_id, topic_id, status, cohort,
      requested_at, mailed_at, subscribed_at)
    select ${organizationId}, contact_id, topic_id, ${status}, ${cohort ?? null}::uuid,
      case when ${status} = 'pending' then clock_timestamp() end,
      case when ${isMailed} then clock_timestamp() end,
      case when ${status} = 'subscribed' then clock_timestamp() end
    from ${unnested(tx, pairs)}
    order by contact_id, topic_id
    on conflict (organization_id, contact_id, topic_id) do update
    set status = excluded.status,
      generation = s.generation + 1,
      cohort = excluded.cohort,
      requested_at = coalesce(excluded.requested_at, s.requested_at),
      mailed_at = coalesce(excluded.mailed_at, s.mailed_at),
      mails = ${mails},
      mail_id = null,
      subscribed_at = coalesce(excluded.subscribed_at, s.subscribed_at),
      opted_out_at = case when excluded.status = 'subscribed' then null else s.opted_out_at end,
      updated_at = greatest(s.updated_at, clock_timestamp())`
}

export const recordOptOuts = (tx: Transaction, organizationId: Uuid, pairs: readonly Pair[]) => tx`
  insert into subscriptions as s (organization_id, contact_id, topic_id, status, opted_out_at)
  select ${organizationId}, contact_id, topic_id, 'unsubscribed', clock_timestamp()
  from ${unnested(tx, pairs)}
  order by contact_id, topic_id
  on conflict (organization_id, contact_id, topic_id) do update
  set opted_out_at = excluded.opted_out_at`

export const voidConfirmations = (
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
) => tx<Pair[]>`
  update subscriptions
  set confirmed_at = null
  where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
  returning contact_id, topic_id`

const unnested = (tx: Transaction, pairs: readonly Pair[]) => tx`
  unnest(
    ${pairs.map(({ contactId }) => contactId)}::uuid[],
    ${pairs.map(({ topicId }) => topicId)}::uuid[]
  ) as pair (contact_id, topic_id)`
