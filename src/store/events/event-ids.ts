import { type Uuid, uuidv7 } from '../../ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** The callers' own ids of events: the same id within this time is the same event. */
const REMEMBERED_DAYS = 7
/** Rows of one statement. */
const MOST_DELETED = 5_000

/**
 * Remembers ids, each given once, and returns those that other requests brought before, or bring at
 * this moment: the second waits here until the transaction of the first has ended.
 */
export async function remember(
  tx: Transaction,
  organizationId: Uuid,
  given: readonly string[],
): Promise<Set<string>> {
  if (given.length === 0) return new Set()
  const request = uuidv7()
  // In one order everywhere, so that two requests wait for each other instead of deadlocking. As
  // lines of text: no id has control characters, and an array costs a third more.
  const sorted = [...given].sort().join('\n')
  const [remembered] = await tx<{ count: number }[]>`
    with remembered as (
      insert into event_ids (organization_id, event_id, request)
      select ${organizationId}, event_id, ${request}
      from string_to_table(${sorted}, chr(10)) as event_id
      on conflict (organization_id, event_id) do update
      set request = excluded.request, received_at = excluded.received_at
      where event_ids.received_at <= excluded.received_at - ${REMEMBERED_DAYS} * interval '1 day'
      returning 1
    )
    select count(*) as count
    from remembered`
  if (remembered?.count === given.length) return new Set()
  const others = await tx<{ eventId: string }[]>`
    select event_id
    from event_ids
    where organization_id = ${organizationId}
      and event_id = any(string_to_array(${sorted}, chr(10)))
      and request <> ${request}`
  return new Set(others.map(({ eventId }) => eventId))
}

/** Forgets what this transaction remembered of events that were not stored after all. */
export const forget = (tx: Transaction, organizationId: Uuid, given: readonly string[]) => tx`
  delete from event_ids
  where organization_id = ${organizationId} and event_id = any(${[...given]}::text[])`

/** Those of the ids that are remembered. Waits for no other transaction. */
export async function known(
  sql: Executor,
  organizationId: Uuid,
  given: readonly string[],
): Promise<Set<string>> {
  if (given.length === 0) return new Set()
  const rows = await sql<{ eventId: string }[]>`
    select event_id
    from event_ids
    where organization_id = ${organizationId}
      and event_id = any(${[...given]}::text[])
      and received_at > statement_timestamp() - ${REMEMBERED_DAYS} * interval '1 day'`
  return new Set(rows.map(({ eventId }) => eventId))
}

/**
 * Deletes a bounded number of ids that are no longer remembered and returns how many. Waits for no
 * other transaction: an id that is being used again at this moment stays.
 */
export async function deleteOld(sql: Executor): Promise<number> {
  const { count } = await sql`
    delete from event_ids i
    using (
      select organization_id, event_id, received_at
      from event_ids
      where received_at < statement_timestamp() - ${REMEMBERED_DAYS} * interval '1 day'
      limit ${MOST_DELETED}
      for update skip locked
    ) old
    where i.organization_id = old.organization_id and i.event_id = old.event_id
      and i.received_at = old.received_at`
  return count
}
