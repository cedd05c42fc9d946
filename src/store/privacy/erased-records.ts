import { redact } from '../../domain/privacy/redaction.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql } from '../db/sql.ts'
import { findNamed, mayName, type Person } from './named-texts.ts'

/** Rows of one statement, so that a search does not become a long transaction. */
const PAGE = 500

/**
 * Removes a person from the answers stored under Idempotency-Keys. A key that contains their
 * address or number is deleted. All answers of the organization are read page by page: they are
 * rows of one day, and no index could find a text in them.
 */
export async function redactAnswers(sql: Sql, organizationId: Uuid, person: Person): Promise<void> {
  let after = ''
  for (;;) {
    const [page] = await sql<{ last: string | null; rows: number }[]>`
      select max(key) as last, count(*) as rows
      from (${pageOf(sql, organizationId, after)}) as page`
    if (!page || page.last === null) return
    const storedAnswers = await sql<{ key: string; answer: string | null }[]>`
      select key, answer
      from idempotency_keys
      where organization_id = ${organizationId} and key > ${after} and key <= ${page.last}
        and (${mayName(sql, 'answer', person)} or ${mayName(sql, 'key', person)}
          or exists (
            select
            from unnest(${[...person.contactIds]}::text[]) as wanted
            where strpos(answer, wanted) > 0
          ))`
    const isNamedIn = await findNamed(
      sql,
      organizationId,
      person,
      storedAnswers.flatMap(({ key, answer }) => (answer === null ? [key] : [key, answer])),
    )
    for (const { key, answer } of storedAnswers) {
      if (isNamedIn(key)) {
        await sql`
          delete from idempotency_keys
          where organization_id = ${organizationId} and key = ${key}`
      } else if (answer !== null) {
        const value: unknown = JSON.parse(answer)
        const redacted = JSON.stringify(redact(value, { ...person, isNamedIn }))
        if (redacted === JSON.stringify(value)) continue
        await sql`
          update idempotency_keys
          set answer = ${redacted}
          where organization_id = ${organizationId} and key = ${key} and answer = ${answer}`
      }
    }
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

/**
 * Empties unreadable and failed events that mention the person. Applied events have no content
 * anyway.
 */
export async function emptyEventsAside(
  sql: Sql,
  organizationId: Uuid,
  person: Person,
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
    const storedEvents = await sql<{ position: number; body: string; error: string | null }[]>`
      select position, body::text as body, error
      from inbound_events
      where organization_id = ${organizationId} and (error is not null or ignored is not null)
        and position > ${after} and position <= ${page.last}
        and (${mayName(sql, 'body', person)} or ${mayName(sql, 'error', person)})`
    const textOf = ({ body, error }: { body: string; error: string | null }) =>
      error === null ? body : `${body} ${error}`
    const isNamedIn = await findNamed(sql, organizationId, person, storedEvents.map(textOf))
    const namingEvents = storedEvents.filter((event) => isNamedIn(textOf(event)))
    if (namingEvents.length > 0) {
      await sql`
        update inbound_events
        set body = '{}', error = case when error is not null then 'erased' end
        where organization_id = ${organizationId} and (error is not null or ignored is not null)
          and position = any(${namingEvents.map(({ position }) => position)}::bigint[])`
    }
    if (page.rows < PAGE) return
    after = page.last
  }
}

/**
 * Returns whether an event that was received before `until` (ISO 8601) mentions the person and is
 * not applied yet: it may still write a row about them.
 */
export async function anyEventWaits(
  sql: Executor,
  organizationId: Uuid,
  person: Person,
): Promise<boolean> {
  const waiting = await sql<{ body: string }[]>`
    select body::text as body
    from inbound_events
    where organization_id = ${organizationId} and applied_at is null
      and received_at <= ${person.until} and ${mayName(sql, 'body', person)}`
  const bodies = waiting.map(({ body }) => body)
  const isNamedIn = await findNamed(sql, organizationId, person, bodies)
  return bodies.some(isNamedIn)
}
