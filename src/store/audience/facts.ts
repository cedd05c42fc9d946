import type { Condition } from '../../domain/audience/condition.ts'
import { askedEvents, filtersOf } from '../../domain/audience/condition-check.ts'
import type { EventStats, Facts } from '../../domain/audience/condition-eval.ts'
import { earliestAbout, type Uuid } from '../../ids.ts'
import { columns, withStats } from './contact-columns.ts'
import type { Executor } from '../db/sql.ts'

/** What conditions ask about that is not the contact's. */
export type About = Pick<Facts, 'trigger' | 'event' | 'now'>

/**
 * What these conditions ask about a contact, and no more than that; undefined: there is no such
 * contact.
 */
export async function load(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  conditions: readonly Condition[],
  about: About,
): Promise<Facts | undefined> {
  const [contact] = await sql<Facts['contact'][]>`
    select ${columns(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId} and contacts.id = ${contactId}`
  if (!contact) return undefined
  const asksTopics = conditions.some((condition) =>
    filtersOf(condition).some(({ field }) => field === 'topics'),
  )
  const names = [...new Set(conditions.flatMap(askedEvents))]
  return {
    ...about,
    contact,
    ...(asksTopics ? { topics: await topicsOf(sql, organizationId, contactId) } : {}),
    ...(names.length > 0 ? { events: await eventsOf(sql, organizationId, contactId, names) } : {}),
  }
}

/** What conditions ask about contacts themselves, by their ids. */
export async function contacts(
  sql: Executor,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<Map<Uuid, Facts['contact']>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<Facts['contact'][]>`
    select ${columns(sql)}
    from ${withStats(sql)}
    where contacts.organization_id = ${organizationId}
      and contacts.id = any(${[...new Set(ids)]}::uuid[])`
  return new Map(rows.map((row) => [row.id, row]))
}

const topicsOf = (sql: Executor, organizationId: Uuid, contactId: Uuid) => sql<
  { id: Uuid; slug: string }[]
>`
  select t.id, t.slug
  from subscriptions s
  join topics t on t.organization_id = s.organization_id and t.id = s.topic_id
  where s.organization_id = ${organizationId} and s.contact_id = ${contactId}
    and s.status = 'subscribed'`

async function eventsOf(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  names: readonly string[],
): Promise<Map<string, EventStats>> {
  const rows = await sql<({ name: string } & EventStats)[]>`
    select name, count(*) as count, max(occurred_at) as last_at
    from events
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and id >= ${earliestAbout(contactId)} and name = any(${[...names]}::text[])
    group by name`
  return new Map(rows.map(({ name, ...stats }) => [name, stats]))
}

/** One of a contact's own properties; undefined: they have none of that name. */
export async function property(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  key: string,
): Promise<unknown> {
  const [row] = await sql<{ value: unknown }[]>`
    select properties -> ${key} as value
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  return row?.value ?? undefined
}
