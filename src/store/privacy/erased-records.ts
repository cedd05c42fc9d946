import { type PersonNames, redact } from '../../domain/privacy/redaction.ts'
import type { Uuid } from '../../ids.ts'
import type { Executor, Sql } from '../db/sql.ts'

/** Rows that one statement looks at: what has to be searched must not become a long transaction. */
const PAGE = 2_000

/**
 * Takes a person out of the answers that are kept under Idempotency-Keys; a key that spells their
 * address or number goes whole. Everything of the organization is looked at, page after page: these
 * are rows of one day, and no index could find a text within them.
 */
export async function redactAnswers(
  sql: Sql,
  organizationId: Uuid,
  person: PersonNames,
): Promise<void> {
  let after = ''
  for (;;) {
    const [page] = await sql<{ last: string | null; rows: number }[]>`
      select max(key) as last, count(*) as rows
      from (${pageOf(sql, organizationId, after)}) as page`
    if (!page || page.last === null) return
    const found = await sql<{ key: string; answer: string }[]>`
      select key, answer
      from idempotency_keys
      where organization_id = ${organizationId} and key > ${after} and key <= ${page.last}
        and ${holdsAny(sql, 'answer', [...person.contactIds, ...person.texts])}`
    for (const { key, answer } of found) {
      await sql`
        update idempotency_keys
        set answer = ${JSON.stringify(redact(JSON.parse(answer), person))}
        where organization_id = ${organizationId} and key = ${key} and answer = ${answer}`
    }
    await sql`
      delete from idempotency_keys
      where organization_id = ${organizationId} and key > ${after} and key <= ${page.last}
        and ${holdsAny(sql, 'key', person.texts)}`
    if (page.rows < PAGE) return
    after = page.last
  }
}

const pageOf = (sql: Sql, organizationId: Uuid, after: string) => sql`
  select key
  from idempotency_keys
  where organization_id = ${organizationId} and key > ${after}
  order by key
  limit ${PAGE}`

const holdsAny = (sql: Executor, column: string, texts: readonly string[]) => sql`
  exists (
    select
    from unnest(${[...texts]}::text[]) as wanted
    where strpos(lower(${sql(column)}), lower(wanted)) > 0
  )`

/**
 * Events that could not be read or applied keep what they said; of those that speak of the person
 * nothing is kept. An event that was applied has lost it already.
 */
export async function emptyEventsAside(
  sql: Sql,
  organizationId: Uuid,
  { texts }: PersonNames,
): Promise<void> {
  let after = 0
  for (;;) {
    const [page] = await sql<{ last: number | null; rows: number }[]>`
      select max(position) as last, count(*) as rows
      from (
        select position
        from inbound_events
        where organization_id = ${organizationId} and position > ${after}
          and (error is not null or ignored is not null)
        order by position
        limit ${PAGE}
      ) as page`
    if (!page || page.last === null) return
    await sql`
      update inbound_events
      set body = '{}', error = case when error is not null then 'erased' end
      where organization_id = ${organizationId} and (error is not null or ignored is not null)
        and position > ${after} and position <= ${page.last}
        and exists (
          select
          from unnest(${[...texts]}::text[]) as wanted
          where strpos(lower(body::text), lower(wanted)) > 0 or strpos(lower(error), lower(wanted)) > 0
        )`
    if (page.rows < PAGE) return
    after = page.last
  }
}

/**
 * Whether an event that was received before `until` (ISO 8601) speaks of the person and is not
 * applied yet: it may still write a row of them.
 */
export async function anyEventWaits(
  sql: Executor,
  organizationId: Uuid,
  { texts }: PersonNames,
  until: string,
): Promise<boolean> {
  const waiting = await sql`
    select 1
    from (
      select body::text as said
      from inbound_events
      where organization_id = ${organizationId} and applied_at is null
        and received_at <= ${until}
    ) as waiting
    where ${holdsAny(sql, 'said', texts)}
    limit 1`
  return waiting.length > 0
}
