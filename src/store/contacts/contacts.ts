import type { Uuid } from '../../runtime/ids.ts'
import type { Contact } from '../../schemas/contacts/contact.ts'
import { columns, withStats } from '../audience/contact-columns.ts'
import type { Executor } from '../db/sql.ts'

export type ContactKey = { id: Uuid } | { externalId: string } | { email: string }

/** Includes all its topics, also those it unsubscribed from. */
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

/** Returns contacts of any organizations, without their topics. */
export const listEach = (sql: Executor, keys: readonly { organizationId: Uuid; id: Uuid }[]) => sql<
  (Omit<Contact, 'topics'> & { organizationId: Uuid })[]
>`
  select contacts.organization_id, ${columns(sql)}
  from ${withStats(sql)}
  where (contacts.organization_id, contacts.id) in (
    select *
    from unnest(
      ${keys.map(({ organizationId }) => organizationId)}::uuid[],
      ${keys.map(({ id }) => id)}::uuid[]
    )
  )`

/** Topics as JSON, with times in the driver's format. */
const topics = (sql: Executor) => sql`
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
  ), '[]') as topics`

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

/** Returns the column of a key, and the value to look for. */
function place(key: ContactKey): [column: string, value: string] {
  if ('id' in key) return ['contacts.id', key.id]
  if ('email' in key) return ['email', key.email]
  return ['externalId', key.externalId]
}
