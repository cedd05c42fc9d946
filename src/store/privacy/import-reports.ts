import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Sql } from '../db/sql.ts'
import { findNamed, mayName, type Person } from './named-texts.ts'

const PAGE = 500

interface Position {
  importId: Uuid
  row: number
}

/** Bounds: after the first, up to the second. Null: unbounded. */
interface Page {
  after: Position | null
  last: Position | null
}

/**
 * Pages of all reports of the organization, which are stored for a month. No index finds a text.
 */
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

export interface ReportedPerson {
  person: Person
  externalId: string | null
}

interface ReportRow extends Position {
  message: string
  record: string
}

/** Rows of a page that contain an address, the number or, as a whole value, the external id. */
async function rowsOf(
  sql: Executor,
  organizationId: Uuid,
  page: Page,
  { person, externalId }: ReportedPerson,
  hasId: (record: string, quotedId: string) => boolean,
): Promise<ReportRow[]> {
  const quotedId = externalId === null ? null : JSON.stringify(externalId)
  const rows = await sql<ReportRow[]>`
    select import_id, row, message, record
    from import_errors
    where ${isIn(sql, organizationId, page)}
      and (${mayName(sql, 'record', person)} or ${mayName(sql, 'message', person)}
        or strpos(record, ${quotedId}) > 0)
    order by import_id, row`
  const textOf = ({ record, message }: ReportRow) => `${record} ${message}`
  const isNamedIn = await findNamed(sql, organizationId, person, rows.map(textOf))
  return rows.filter(
    (row) => isNamedIn(textOf(row)) || (quotedId !== null && hasId(row.record, quotedId)),
  )
}

const EXTERNAL_ID = '"external[\\s_-]?id"\\s*:\\s*'
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

export async function* listNaming(
  sql: Executor,
  organizationId: Uuid,
  reported: ReportedPerson,
): AsyncGenerator<Record<string, unknown>> {
  const hasId = (record: string, quotedId: string) =>
    new RegExp(EXTERNAL_ID + escaped(quotedId), 'iu').test(record)
  for await (const page of pagesOf(sql, organizationId)) {
    for (const row of await rowsOf(sql, organizationId, page, reported, hasId)) yield { ...row }
  }
}

/**
 * Empties the rows that name this person. Their numbers stay. Any field of a file may hold the
 * external id.
 */
export async function emptyNaming(
  sql: Sql,
  organizationId: Uuid,
  reported: ReportedPerson,
): Promise<void> {
  const hasId = (record: string, quotedId: string) => record.includes(quotedId)
  for await (const page of pagesOf(sql, organizationId)) {
    const rows = await rowsOf(sql, organizationId, page, reported, hasId)
    if (rows.length === 0) continue
    await sql`
      update import_errors e
      set record = '{}', message = 'erased'
      from unnest(
        ${rows.map(({ importId }) => importId)}::uuid[], ${rows.map(({ row }) => row)}::int[]
      ) as named (import_id, row)
      where e.organization_id = ${organizationId} and e.import_id = named.import_id
        and e.row = named.row`
  }
}
