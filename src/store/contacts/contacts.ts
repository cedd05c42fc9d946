import type { Uuid } from '../../ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import {
  columns,
  type ContactFilters,
  fitting,
  subscribersOf,
  withStats,
} from '../audience/filters.ts'
import { type Executor, sameForAll } from '../db/sql.ts'

export type ContactKey = { id: Uuid } | { externalId: string } | { email: string }

/** With its topics, those it left included. */
export async function find(
  sql: Executor,
  organizationId: Uuid,
  key: ContactKey,
): Promise<Contact | undefined> {
  const [column, value] = place(key)
  const [contact] = await sql<Contact[]>`
    select ${columns(sql)}, ${topics(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId} and ${sql(column)} = ${value}`
  return contact
}

/** Times inside of JSON are written as the driver writes them everywhere else. */
const topics = sameForAll(
  (sql) => sql`
  coalesce((
    select json_agg(
      json_build_object(
        'topicId', t.id,
        'topicSlug', t.slug,
        'topicName', t.name,
        'status', s.status,
        'subscribedAt',
        to_char(s.subscribed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      )
      order by t.id
    )
    from subscriptions s
    join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
    where s.organization_id = contacts.organization_id and s.contact_id = contacts.id
  ), '[]') as topics`,
)

/** Its id alone: whom a write is about. */
export async function findId(
  sql: Executor,
  organizationId: Uuid,
  key: ContactKey,
): Promise<Uuid | undefined> {
  const [column, value] = place(key)
  const [row] = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and ${sql(column)} = ${value}`
  return row?.id
}

/** The column that a key is looked up in, and what is looked for. */
function place(key: ContactKey): [column: string, value: string] {
  if ('id' in key) return ['contacts.id', key.id]
  if ('email' in key) return ['email', key.email]
  return ['externalId', key.externalId]
}

export interface ContactPage extends ContactFilters {
  limit: number
  offset?: number | undefined
  /** Only contacts made before this one. */
  before?: Uuid | undefined
}

/** Newest first. */
export const list = (sql: Executor, organizationId: Uuid, page: ContactPage) => sql<Contact[]>`
  select ${columns(sql)}
  from ${withStats(sql)} ${subscribersOf(sql, page.topicId)}
  where ${fitting(sql, organizationId, page)}
    ${page.before === undefined ? sql`` : sql`and contacts.id < ${page.before}`}
  order by contacts.id desc
  limit ${page.limit}
  offset ${page.offset ?? 0}`

/**
 * How many there are, counted up to `most`: a count of millions on every page would cost more than
 * it.
 */
export async function count(
  sql: Executor,
  organizationId: Uuid,
  filters: ContactFilters,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select 1
      from contacts ${subscribersOf(sql, filters.topicId)}
      where ${fitting(sql, organizationId, filters)}
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}

/** How many could be mailed now, counted up to `most`. */
export async function countMailable(
  sql: Executor,
  organizationId: Uuid,
  most: number,
): Promise<number> {
  const [row] = await sql<{ total: number }[]>`
    select count(*) as total
    from (
      select 1
      from contacts
      where organization_id = ${organizationId}
        and email_status = 'active'
        and email is not null
      limit ${most}
    ) as counted`
  return row?.total ?? 0
}

/** Those of `ids` that are contacts of the organization. */
export async function listExisting(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Uuid[]> {
  const rows = await sql<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return rows.map(({ id }) => id)
}
