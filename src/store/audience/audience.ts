/** Turns audiences into SQL. Every value is a parameter. */
import type { Audience, Criterion } from '../../domain/audience/audience.ts'
import type { Condition } from '../../domain/audience/condition.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import type { Executor, Part } from '../db/sql.ts'
import { holds } from './condition-sql.ts'
import { columns, withStats } from './contact-columns.ts'
import { between, type Range } from './range.ts'

export const isIn = (
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  range: Range = {},
): Part => sql`
  contacts.organization_id = ${organizationId} ${between(sql, sql`contacts.id`, range)}
  ${audience.map((each) => sql`and (${meets(sql, organizationId, each, range)})`)}`

function meets(sql: Executor, organizationId: Uuid, criterion: Criterion, range: Range): Part {
  switch (criterion.type) {
    case 'all':
      return sql`true`
    case 'topic':
      return subscribes(sql, organizationId, criterion.topicId, range)
    case 'contacts':
      return sql`contacts.id = any(${[...criterion.contactIds]}::uuid[])`
    case 'condition': {
      const { condition, now } = criterion
      return sql`contacts.id in (${membersOf(sql, organizationId, condition, { now, ...range })})`
    }
    case 'except': {
      const { topicIds, conditions, now } = criterion
      const inTopics =
        topicIds.length === 0 ? [] : [subscribes(sql, organizationId, topicIds, range)]
      const inSegments = conditions.map((condition) => {
        const members = membersOf(sql, organizationId, condition, { now, ...range })
        return sql`exists (select from (${members}) members where members.id = contacts.id)`
      })
      const denied = [...inTopics, ...inSegments].map((each) => sql`and not ${each}`)
      return sql`${[sql`true`, ...denied]}`
    }
    case 'mailable':
      return sql`email is not null and email_status = 'active'`
    case 'filters': {
      const { emailStatus, smsStatus, preferredChannel: channel } = criterion
      const { createdAfter, createdUntil, updatedAfter } = criterion
      return sql`
        true
        ${emailStatus === undefined ? sql`` : sql`and email_status = ${emailStatus}`}
        ${smsStatus === undefined ? sql`` : sql`and sms_status = ${smsStatus}`}
        ${channel === undefined ? sql`` : sql`and preferred_channel = ${channel}`}
        ${createdAfter === undefined ? sql`` : sql`and contacts.created_at > ${createdAfter}`}
        ${createdUntil === undefined ? sql`` : sql`and contacts.created_at <= ${createdUntil}`}
        ${updatedAfter === undefined ? sql`` : sql`and contacts.updated_at > ${updatedAfter}`}`
    }
  }
}

/**
 * Subscribers are bounded by the page's range, too, so that their index is read from the end of the
 * last page. Postgres does not conclude that by itself.
 */
const subscribes = (
  sql: Executor,
  organizationId: Uuid,
  topic: string | readonly string[],
  range: Range,
) => sql`
  exists (
    select
    from subscriptions s
    where s.organization_id = ${organizationId}
      and ${typeof topic === 'string' ? sql`s.topic_id = ${topic}` : sql`s.topic_id = any(${[...topic]}::uuid[])`}
      and s.status = 'subscribed' and s.contact_id = contacts.id
      ${between(sql, sql`s.contact_id`, range)}
  )`

/**
 * Ids of the contacts that meet a condition. A set, which the planner may join: a negated predicate
 * would be evaluated for each contact.
 */
const membersOf = (
  sql: Executor,
  organizationId: Uuid,
  condition: Condition,
  { now, ...range }: Range & { now: string },
) => sql`
  select contacts.id
  from contacts
  where contacts.organization_id = ${organizationId}
    ${between(sql, sql`contacts.id`, range)}
    and ${holds(sql, organizationId, condition, now, { range })}`

export const list = (
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  { limit, offset = 0, ...range }: Range & { limit: number; offset?: number },
) => sql<Contact[]>`
  select ${columns(sql)}
  from ${withStats(sql)}
  where ${isIn(sql, organizationId, audience, range)}
  order by contacts.id desc
  limit ${limit}
  offset ${offset}`

export const listIds = (
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  { limit, ...range }: Range & { limit: number },
) => sql<{ id: Uuid }[]>`
  select id
  from contacts
  where ${isIn(sql, organizationId, audience, range)}
  order by id
  limit ${limit}`

/**
 * Returns the last of the next `size` contacts of an organization, newest first or by id.
 * Undefined: there are fewer.
 */
export async function endOfStretch(
  sql: Executor,
  organizationId: Uuid,
  range: Range,
  { size, isNewestFirst }: { size: number; isNewestFirst: boolean },
): Promise<Uuid | undefined> {
  const [row] = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} ${between(sql, sql`id`, range)}
    order by id ${isNewestFirst ? sql`desc` : sql``}
    limit 1
    offset ${size - 1}`
  return row?.id
}

export const countByStatus = (sql: Executor, organizationId: Uuid, audience: Audience) => sql<
  { reason: string; count: number }[]
>`
  select case when email is null then 'no_address' else email_status end as reason,
    count(*) as count
  from contacts
  where ${isIn(sql, organizationId, audience)}
  group by 1
  order by 1`

/**
 * Counts the contacts in one of `parts` equal parts. 1: all of them. Conditions are counted without
 * a limit, which would make the planner read contact by contact and, for a rare condition, cost
 * many times the whole set.
 */
export async function countAll(
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  parts: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from contacts
    where ${isIn(sql, organizationId, audience)} ${isInPart(sql, parts)}`
  return row?.total ?? 0
}

/** Uses a hash of its own, so that a condition on a bucket does not match a whole part or none. */
export const isInPart = (sql: Executor, parts: number): Part =>
  parts === 1
    ? sql``
    : sql`and (uuid_hash(contacts.id)::bigint + 2147483648) % ${parts}::bigint = 0`

/** Counts up to `most`, since counting millions costs more than a page. */
export async function count(
  sql: Executor,
  organizationId: Uuid,
  audience: Audience,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select
      from contacts
      where ${isIn(sql, organizationId, audience)}
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}
