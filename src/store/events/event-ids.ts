import type { EventKey } from '../../domain/events/event-key.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Time in which the caller's id identifies an event, in days. */
const REMEMBERED_DAYS = 7
/** Rows of one statement. */
const MOST_DELETED = 5_000

/**
 * Stores distinct keys, and returns those of earlier or concurrent requests: the second request
 * waits here until the transaction of the first has ended.
 */
export async function remember(
  tx: Transaction,
  organizationId: Uuid,
  keys: readonly EventKey[],
): Promise<EventKey[]> {
  if (keys.length === 0) return []
  const request = uuidv7()
  const keyRows = rows(tx, keys)
  // In one order everywhere, so that two requests wait for each other instead of deadlocking.
  const [remembered] = await tx<{ count: number }[]>`
    with given as (${keyRows}), remembered as (
      insert into event_ids (organization_id, event_id, name, contact_id, request)
      select ${organizationId}, event_id, name, contact_id, ${request}
      from given
      where (${former(tx, organizationId)}) is null
      order by event_id collate "C", name collate "C", contact_id
      on conflict (organization_id, event_id, name, contact_id) do update
      set request = excluded.request, received_at = excluded.received_at
      where event_ids.received_at <= excluded.received_at - ${REMEMBERED_DAYS} * interval '1 day'
      returning 1
    )
    select count(*) as count
    from remembered`
  if (remembered?.count === keys.length) return []
  return tx<EventKey[]>`
    with given as (${keyRows})
    select event_id, name, contact_id
    from given
    where (${former(tx, organizationId)}) or (
      select true
      from event_ids i
      where i.organization_id = ${organizationId} and i.event_id = given.event_id
        and i.name = given.name and i.contact_id = given.contact_id and i.request <> ${request}
    )`
}

/** Keys as rows, from lines of text, since an array costs a third more. */
const rows = (sql: Executor, keys: readonly EventKey[]) => sql`
  select event_id, name, contact_id::uuid
  from rows from (
    string_to_table(${keys.map(({ eventId }) => eventId).join('\n')}, chr(10)),
    string_to_table(${keys.map(({ name }) => name).join('\n')}, chr(10)),
    string_to_table(${keys.map(({ contactId }) => contactId).join('\n')}, chr(10))
  ) as line (event_id, name, contact_id)`

/**
 * True for a stored id of `given` from before names counted, otherwise null. A scalar, so that each
 * is an index look-up: a join would read all ids of the organization.
 */
const former = (sql: Executor, organizationId: Uuid) => sql`
  select true
  from event_ids f
  where f.organization_id = ${organizationId} and f.event_id = given.event_id and f.name = ''
    and f.received_at > statement_timestamp() - ${REMEMBERED_DAYS} * interval '1 day'`

/** Deletes keys that this transaction stored for events that were not stored after all. */
export async function forget(
  tx: Transaction,
  organizationId: Uuid,
  keys: readonly EventKey[],
): Promise<void> {
  if (keys.length === 0) return
  await tx`
    delete from event_ids i
    using (${rows(tx, keys)}) given
    where i.organization_id = ${organizationId} and i.event_id = given.event_id
      and i.event_id = any(${keys.map(({ eventId }) => eventId)}::text[])
      and i.name = given.name and i.contact_id = given.contact_id`
}

/**
 * Returns the indexes of stored keys. Without a contact: events of any contact. Waits for no other
 * transaction.
 */
export async function known(
  sql: Executor,
  organizationId: Uuid,
  keys: readonly (Omit<EventKey, 'contactId'> & Partial<EventKey>)[],
): Promise<Set<number>> {
  if (keys.length === 0) return new Set()
  const places = await sql<{ place: number }[]>`
    select given.n::integer - 1 as place
    from unnest(
      ${keys.map(({ eventId }) => eventId)}::text[],
      ${keys.map(({ name }) => name)}::text[],
      ${keys.map(({ contactId }) => contactId ?? null)}::uuid[]
    ) with ordinality as given (event_id, name, contact_id, n)
    where (
      select true
      from event_ids i
      where i.organization_id = ${organizationId} and i.event_id = given.event_id
        and (
          i.name = ''
          or i.name = given.name and i.contact_id = coalesce(given.contact_id, i.contact_id)
        )
        and i.received_at > statement_timestamp() - ${REMEMBERED_DAYS} * interval '1 day'
      limit 1
    )`
  return new Set(places.map(({ place }) => place))
}

/**
 * Deletes a bounded number of expired keys and returns their number. Waits for no other
 * transaction: a key that is being used again at this moment stays.
 */
export async function deleteOld(sql: Executor): Promise<number> {
  const { count } = await sql`
    delete from event_ids i
    using (
      select organization_id, event_id, name, contact_id, received_at
      from event_ids
      where received_at < statement_timestamp() - ${REMEMBERED_DAYS} * interval '1 day'
      limit ${MOST_DELETED}
      for update skip locked
    ) old
    where i.organization_id = old.organization_id and i.event_id = old.event_id
      and i.name = old.name and i.contact_id = old.contact_id and i.received_at = old.received_at`
  return count
}
