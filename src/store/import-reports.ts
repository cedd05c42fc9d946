import type { Uuid } from '../ids.ts'
import type { Executor, Sql } from './sql.ts'

/** Rows that one statement looks at. */
const PAGE = 2_000

interface Place {
  importId: Uuid
  row: number
}

/** After the one place, up to the other; null: from the beginning, to the end. */
interface Page {
  after: Place | null
  last: Place | null
}

/** Pages of all reports of the organization, which are kept for a month; no index finds a text. */
async function* pagesOf(sql: Executor, organizationId: Uuid): AsyncGenerator<Page> {
  for (let after: Place | null = null; ; ) {
    const places: Place[] = await sql<Place[]>`
      select import_id, row
      from import_errors
      where ${isIn(sql, organizationId, { after, last: null })}
      order by import_id, row
      offset ${PAGE - 1}
      limit 1`
    const last: Place | null = places[0] ?? null
    yield { after, last }
    if (last === null) return
    after = last
  }
}

const isIn = (sql: Executor, organizationId: Uuid, { after, last }: Page) => sql`
  organization_id = ${organizationId}
  ${after === null ? sql`` : sql`and (import_id, row) > (${after.importId}, ${after.row})`}
  ${last === null ? sql`` : sql`and (import_id, row) <= (${last.importId}, ${last.row})`}`

const speaksOf = (sql: Executor, texts: readonly string[]) => sql`
  exists (
    select
    from unnest(${[...texts]}::text[]) as wanted
    where strpos(lower(record), lower(wanted)) > 0 or strpos(lower(message), lower(wanted)) > 0
  )`

/** Rows of import reports that speak of somebody. */
export async function* listSpeakingOf(
  sql: Executor,
  organizationId: Uuid,
  texts: readonly string[],
): AsyncGenerator<Record<string, unknown>> {
  for await (const page of pagesOf(sql, organizationId)) {
    yield* await sql<Record<string, unknown>[]>`
      select import_id, row, message, record
      from import_errors
      where ${isIn(sql, organizationId, page)} and ${speaksOf(sql, texts)}
      order by import_id, row`
  }
}

/** Empties them; that so many rows failed stays. */
export async function emptySpeakingOf(
  sql: Sql,
  organizationId: Uuid,
  texts: readonly string[],
): Promise<void> {
  for await (const page of pagesOf(sql, organizationId)) {
    await sql`
      update import_errors
      set record = '{}', message = 'erased'
      where ${isIn(sql, organizationId, page)} and ${speaksOf(sql, texts)}`
  }
}
