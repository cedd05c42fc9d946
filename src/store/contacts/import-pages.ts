import type { ContactChanges } from '../../domain/contacts/contact-changes.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { ImportStatus } from '../../schemas/contacts/import.ts'
import type { ImportError } from './imports.ts'
import type { Executor, Sql, Transaction } from '../db/sql.ts'

/**
 * A row of a page that waits to be written. Rows that broke a rule have their problem.
 * `withoutPhone` is reported for a row with an unreadable phone, after the rest is written.
 */
export type ImportRow =
  | {
      row: number
      values: ContactChanges & { resubscribe?: boolean }
      topicIds?: Uuid[]
      withoutPhone?: ImportError
    }
  | ImportError

export interface Run {
  organizationId: Uuid
  importId: Uuid
}

export interface DueImport {
  nextPage: number
  rows: number
  onDuplicate: 'update' | 'skip'
  dryRun: boolean
  mayLift: boolean
  hasTopics: boolean
  requestId: string | null
}

/**
 * `pending → running`. Returns the status of the import after the call. Undefined: it does not
 * exist.
 */
export async function begin(
  sql: Sql,
  { organizationId, importId }: Run,
): Promise<ImportStatus | undefined> {
  await sql`
    update imports
    set status = 'running', started_at = coalesce(started_at, clock_timestamp()), updated_at = now()
    where organization_id = ${organizationId} and id = ${importId} and status = 'pending'`
  const [row] = await sql<{ status: ImportStatus }[]>`
    select status from imports where organization_id = ${organizationId} and id = ${importId}`
  return row?.status
}

/**
 * Takes the next page of a running import. Its row is locked, so that a page is written once even
 * if several workers try, and the page is deleted with the transaction that writes it. Undefined:
 * the import is over.
 */
export async function takePage(
  tx: Transaction,
  { organizationId, importId }: Run,
): Promise<{ dueImport: DueImport; rows: ImportRow[] } | undefined> {
  const [pageRow] = await tx<(DueImport & { text: string | null })[]>`
    with due as (
      select next_page, rows, on_duplicate, dry_run, may_lift, has_topics, request_id
      from imports
      where organization_id = ${organizationId} and id = ${importId} and status = 'running'
      for no key update
    ), taken as (
      delete from import_chunks c
      using due
      where c.organization_id = ${organizationId}
        and c.import_id = ${importId}
        and c.page = due.next_page
      returning c.rows
    )
    select due.*, (select rows from taken) as text
    from due`
  if (!pageRow) return undefined
  const { text, ...dueImport } = pageRow
  if (text === null) throw new Error(`page ${dueImport.nextPage} of an import is missing`)
  return { dueImport, rows: JSON.parse(text) as ImportRow[] }
}

export interface Tally {
  created: number
  updated: number
  skipped: number
  emailStatusKept: number
  errors: ImportError[]
  withoutPhone: ImportError[]
}

/**
 * Counts a page and moves on to the next. After the last one the import is completed. Failed rows
 * are in the report as long as the organization has room for it, and are always counted.
 */
export async function recordPage(
  tx: Transaction,
  { organizationId, importId }: Run,
  { created, updated, skipped, emailStatusKept, errors: failures, withoutPhone }: Tally,
): Promise<{ done: boolean }> {
  const errors = [...failures, ...withoutPhone]
  if (errors.length > 0) {
    await tx`
      insert into import_errors (organization_id, import_id, row, message, record)
      select ${organizationId}, ${importId}, row, message, record
      from (select has_storage_room(${organizationId}) as has_room) storage
      join unnest(
        ${errors.map(({ row }) => row)}::int[],
        ${errors.map(({ message }) => message)}::text[],
        ${errors.map(({ record }) => record)}::text[]
      ) as error (row, message, record) on storage.has_room`
  }
  const [after] = await tx<{ done: boolean }[]>`
    update imports
    set next_page = next_page + 1,
      created = created + ${created},
      updated = updated + ${updated},
      skipped = skipped + ${skipped},
      failed = failed + ${failures.length},
      phones_left_out = phones_left_out + ${withoutPhone.length},
      email_status_kept = email_status_kept + ${emailStatusKept},
      status = case when next_page + 1 = pages then 'completed' else status end,
      finished_at = case when next_page + 1 = pages then clock_timestamp() end,
      updated_at = now()
    where organization_id = ${organizationId} and id = ${importId}
    returning status = 'completed' as done`
  return { done: after?.done ?? true }
}

/** Returns whether this cohort has awaited confirmations. */
export async function asks(sql: Executor, organizationId: Uuid, cohort: Uuid): Promise<boolean> {
  const [row] = await sql<{ asks: boolean }[]>`
    select exists (
      select from subscriptions
      where organization_id = ${organizationId} and cohort = ${cohort} and status = 'pending'
    ) as asks`
  return row?.asks ?? false
}

/** Fails an import that an operator stopped. One without rows is over at once. */
export const fail = (sql: Sql, { organizationId, importId }: Run, error: string) => sql`
  update imports
  set status = 'failed', error = ${error}, finished_at = clock_timestamp(), updated_at = now()
  where organization_id = ${organizationId}
    and id = ${importId}
    and status in ('pending', 'running')`

export const completeEmpty = (sql: Sql, { organizationId, importId }: Run) => sql`
  update imports
  set status = 'completed', finished_at = clock_timestamp(), updated_at = now()
  where organization_id = ${organizationId}
    and id = ${importId}
    and status = 'running'
    and pages = 0`

/** Analyzes the table of contacts for the planner after large imports: see decision 0097. */
export const tellPlanner = async (sql: Sql): Promise<void> => {
  await sql`select analyze_contacts()`
}
