import type { Uuid } from '../../ids.ts'
import type { Executor, Sql } from '../db/sql.ts'

/** Rows that one statement looks at. */
const PAGE = 2_000

interface Position {
  importId: Uuid
  row: number
}

/** After the one place, up to the other; null: from the beginning, to the end. */
interface Page {
  after: Position | null
  last: Position | null
}

/** Pages of all reports of the organization, which are kept for a month; no index finds a text. */
async function* pagesOf(sql: Executor, organizationId: Uuid): AsyncGenerator<Page> {
  for (let after: Position | null = null; ; ) {
    const positions: Position[] = await sql<Position[]>`
      select import_id, row
      from import_errors
      where ${isIn(sql, organizationId, { after, last: null })}
      order by import_id, row
      offset ${PAGE - 1}
      limit 1`
    const last: Position | null = positions[0] ?? null
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

/** What names somebody in a report. */
export interface Named {
  /** One address, in each of its spellings. */
  emails: readonly string[]
  phone: string | null
  externalId: string | null
}

const ESCAPED_SPACE = /\\[nrt]/g
/** What an address or a number cannot begin after, or end before: it would be a longer one. */
const BEFORE = "(?<![\\p{L}\\p{N}.!#$%*+_~^`-]|[\\p{L}\\p{N}]')"
const AFTER = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])'
const EXTERNAL_ID = '"external[\\s_-]?id"\\s*:\\s*'
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Whether a text names them, and not somebody whose address or number theirs is a part of. */
function namer({ emails, phone, externalId }: Named): (text: string) => boolean {
  const patterns = [...emails, phone].flatMap((text) =>
    text === null ? [] : [`${BEFORE}${escaped(text)}${AFTER}`],
  )
  if (externalId !== null) patterns.push(EXTERNAL_ID + escaped(JSON.stringify(externalId)))
  const named = new RegExp(patterns.join('|'), 'iu')
  return (text) => named.test(text.replace(ESCAPED_SPACE, ' '))
}

/** Rows of import reports that name this person, and no other by mistake. */
export async function* listSpeakingOf(
  sql: Executor,
  organizationId: Uuid,
  named: Named,
): AsyncGenerator<Record<string, unknown>> {
  const { emails, phone, externalId } = named
  const id = externalId === null ? null : JSON.stringify(externalId)
  const texts = [...emails, phone, id].filter((text) => text !== null)
  if (texts.length === 0) return
  const names = namer(named)
  for await (const page of pagesOf(sql, organizationId)) {
    const rows = await sql<{ message: string; record: string }[]>`
      select import_id, row, message, record
      from import_errors
      where ${isIn(sql, organizationId, page)} and ${speaksOf(sql, texts)}
      order by import_id, row`
    for (const row of rows) if (names(row.record) || names(row.message)) yield { ...row }
  }
}

/**
 * Empties rows that hold one of the texts; their number stays. Wider than the list: a
 * row too many is a row less of a report, one too few is an address that is kept.
 */
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
