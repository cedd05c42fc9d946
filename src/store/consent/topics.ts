import type { SubscriptionStatus } from '../../domain/consent/subscription.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { TopicSummary } from '../../schemas/consent/topic.ts'
import type { Executor, Transaction } from '../db/sql.ts'

export interface TopicNames {
  topicIds?: readonly string[] | undefined
  topicSlugs?: readonly string[] | undefined
}

export async function identify(
  sql: Executor,
  organizationId: Uuid,
  { topicIds = [], topicSlugs = [] }: TopicNames,
): Promise<Map<string, Uuid>> {
  if (topicIds.length + topicSlugs.length === 0) return new Map()
  const rows = await sql<{ id: Uuid; slug: string }[]>`
    select id, slug
    from topics
    where organization_id = ${organizationId}
      and (id = any(${topicIds.filter(isUuid)}::uuid[])
        or slug = any(${[...topicSlugs]}::text[]))`
  return new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]))
}

export async function listSlugs(
  sql: Executor,
  organizationId: Uuid,
  topicIds: readonly Uuid[],
): Promise<Map<Uuid, string>> {
  if (topicIds.length === 0) return new Map()
  const topics = await sql<{ id: Uuid; slug: string }[]>`
    select id, slug
    from topics
    where organization_id = ${organizationId} and id = any(${[...new Set(topicIds)]}::uuid[])`
  return new Map(topics.map(({ id, slug }) => [id, slug]))
}

const columns = (sql: Executor) => sql`
  id, name, slug, description, double_opt_in, public, template_id, from_address as "from",
  from_name, connection_id as cloud_account_id, created_at, updated_at`

export type TopicValues = Omit<TopicSummary, 'id' | 'createdAt' | 'updatedAt'>

interface NewTopic extends TopicValues {
  organizationId: Uuid
  id: Uuid
}

export async function create(sql: Executor, topic: NewTopic): Promise<TopicSummary | undefined> {
  const [created] = await sql<TopicSummary[]>`
    insert into topics (organization_id, id, name, slug, description, double_opt_in, public,
      template_id, from_address, from_name, connection_id)
    values (${topic.organizationId}, ${topic.id}, ${topic.name}, ${topic.slug},
      ${topic.description}, ${topic.doubleOptIn}, ${topic.public}, ${topic.templateId},
      ${topic.from}, ${topic.fromName}, ${topic.cloudAccountId})
    on conflict (organization_id, slug) do nothing
    returning ${columns(sql)}`
  return created
}

export async function count(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count
    from topics
    where organization_id = ${organizationId}`
  return row?.count ?? 0
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TopicSummary | undefined> {
  const foundTopics = await sql<TopicSummary[]>`
    select ${columns(sql)}
    from topics
    where organization_id = ${organizationId}
      and (id = ${isUuid(idOrSlug) ? idOrSlug : null}::uuid or slug = ${idOrSlug})`
  return foundTopics.find(({ id }) => id === idOrSlug.toLowerCase()) ?? foundTopics[0]
}

/** Topics of any organizations. */
export const listEach = (sql: Executor, keys: readonly { organizationId: Uuid; id: Uuid }[]) => sql<
  { organizationId: Uuid; id: Uuid; slug: string; name: string }[]
>`
  select organization_id, id, slug, name
  from topics
  where (organization_id, id) in (
    select *
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ id }) => id)}::uuid[]
    )
  )`

export async function findId(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Uuid | undefined> {
  const [topic] = await sql<{ id: Uuid }[]>`
    select id
    from topics
    where organization_id = ${organizationId} and id = ${id}`
  return topic?.id
}

export async function lock(
  tx: Transaction,
  organizationId: Uuid,
  idOrSlug: string,
): Promise<TopicSummary | undefined> {
  const topic = await find(tx, organizationId, idOrSlug)
  if (!topic) return undefined
  const [locked] = await tx<TopicSummary[]>`
    select ${columns(tx)}
    from topics
    where organization_id = ${organizationId} and id = ${topic.id}
    for update`
  return locked
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<TopicSummary[]>`
  select ${columns(sql)}
  from topics
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

/** A public topic and a contact's status in it. Null: no subscription. */
export interface PublicTopic {
  topicId: Uuid
  name: string
  description: string | null
  status: SubscriptionStatus | null
}

export const listPublic = (
  sql: Executor,
  organizationId: Uuid,
  { contactId, limit }: { contactId: Uuid; limit: number },
) => sql<PublicTopic[]>`
  select t.id as topic_id, t.name, t.description, s.status
  from topics t
  left join subscriptions s on s.organization_id = t.organization_id and s.topic_id = t.id
    and s.contact_id = ${contactId}
  where t.organization_id = ${organizationId} and t.public
  order by t.name, t.id
  limit ${limit}`

/** The topic is locked. A unique violation means that another topic has the slug. */
export async function update(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  topic: TopicValues,
): Promise<TopicSummary | undefined> {
  const [updated] = await tx<TopicSummary[]>`
    update topics
    set name = ${topic.name},
      slug = ${topic.slug},
      description = ${topic.description},
      double_opt_in = ${topic.doubleOptIn},
      public = ${topic.public},
      template_id = ${topic.templateId},
      from_address = ${topic.from},
      from_name = ${topic.fromName},
      connection_id = ${topic.cloudAccountId},
      updated_at = greatest(updated_at, clock_timestamp())
    where organization_id = ${organizationId} and id = ${id}
    returning ${columns(tx)}`
  return updated
}

/** Returns the existing topics and locks them against deletion. */
export async function keep(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const keptTopics = await tx<{ id: Uuid }[]>`
    select id
    from topics
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    order by id
    for key share`
  return new Set(keptTopics.map(({ id }) => id))
}

/**
 * Deletes a locked topic with its subscriptions. Awaited confirmations end. Those of imports find
 * nothing left when their next timer fires.
 */
export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  id: Uuid,
  requestId: string,
): Promise<void> {
  await tx`
    insert into outbox (organization_id, kind, payload, request_id)
    select ${organizationId}, 'end_confirmation', jsonb_build_object('contactId', contact_id,
      'topicId', topic_id, 'generation', generation), ${requestId}
    from subscriptions
    where organization_id = ${organizationId} and topic_id = ${id} and status = 'pending'
      and cohort is null`
  await tx`
    delete from topics
    where organization_id = ${organizationId} and id = ${id}`
}

/** Counts subscribed and awaited subscriptions, each up to `most`. */
export async function countByStatus(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  most: number,
): Promise<{ subscribed: number; pending: number }> {
  const countUpToMost = (status: 'subscribed' | 'pending') => sql`
    (
      select count(*)
      from (
        select
        from subscriptions
        where organization_id = ${organizationId} and topic_id = ${id} and status = ${status}
        limit ${most}
      ) counted
    )`
  const [row] = await sql<{ subscribed: number; pending: number }[]>`
    select ${countUpToMost('subscribed')} as subscribed, ${countUpToMost('pending')} as pending`
  return row ?? { subscribed: 0, pending: 0 }
}
