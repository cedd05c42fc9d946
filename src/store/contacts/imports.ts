import type { Uuid } from '../../runtime/ids.ts'
import type { Import } from '../../schemas/contacts/import.ts'
import type { Executor } from '../db/sql.ts'

export interface NewImport {
  id: Uuid
  format: Import['format']
  onDuplicate: Import['onDuplicate']
  dryRun: boolean
  /** `resubscribe` may lift `complained` and `suppressed`. */
  mayLift: boolean
  requestId: string | undefined
}

export interface Upload {
  organizationId: Uuid
  id: Uuid
  attempt: number
}

const importColumns = (sql: Executor) => sql`
  id, status, format, on_duplicate, dry_run, rows, created, updated, skipped, failed,
  email_status_kept, phones_left_out, error, created_at, started_at, finished_at`

export async function countOpen(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ open: number }[]>`
    select count(*) as open
    from imports
    where organization_id = ${organizationId} and finished_at is null`
  return row?.open ?? 0
}

/** Undefined: the id exists already. */
export async function create(
  sql: Executor,
  organizationId: Uuid,
  { id, format, onDuplicate, dryRun, mayLift, requestId }: NewImport,
): Promise<Upload | undefined> {
  const [inserted] = await sql<{ attempt: number }[]>`
    insert into imports (organization_id, id, format, on_duplicate, dry_run, may_lift, request_id)
    values (${organizationId}, ${id}, ${format}, ${onDuplicate}, ${dryRun}, ${mayLift},
      ${requestId ?? null})
    on conflict do nothing
    returning attempt`
  return inserted && { organizationId, id, attempt: inserted.attempt }
}

/**
 * Restarts an upload whose first attempt is silent for `silentMs` or was abandoned, and deletes its
 * pages. Undefined: there is none.
 */
export async function restart(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  silentMs: number,
): Promise<Upload | undefined> {
  const [again] = await sql<{ attempt: number }[]>`
    with again as (
      update imports
      set status = 'receiving', attempt = attempt + 1, rows = 0, pages = 0, has_topics = false,
        error = null, finished_at = null, received_at = clock_timestamp(), updated_at = now()
      where organization_id = ${organizationId}
        and id = ${id}
        and (status = 'aborted' or (status = 'receiving'
          and received_at < statement_timestamp() - ${silentMs} * interval '1 millisecond'))
      returning attempt
    ), dropped as (
      delete from import_chunks
      where organization_id = ${organizationId} and import_id = ${id} and exists (select from again)
    )
    select attempt from again`
  return again && { organizationId, id, attempt: again.attempt }
}

export interface NewPage {
  page: number
  rows: number
  hasTopics: boolean
  /** JSON. */
  text: string
}

/**
 * Stores a page of an upload. Returns false if the import was cancelled or taken over meanwhile.
 */
export async function addPage(
  sql: Executor,
  { organizationId, id, attempt }: Upload,
  { page, rows, hasTopics, text }: NewPage,
): Promise<boolean> {
  const { count } = await sql`
    with alive as (
      update imports
      set rows = rows + ${rows}, pages = ${page + 1}, has_topics = has_topics or ${hasTopics},
        received_at = clock_timestamp(), updated_at = now()
      where organization_id = ${organizationId}
        and id = ${id}
        and status = 'receiving'
        and attempt = ${attempt}
        and pages = ${page}
      returning id
    )
    insert into import_chunks (organization_id, import_id, page, rows)
    select ${organizationId}, id, ${page}, ${text}
    from alive`
  return count === 1
}

export async function finishUpload(
  sql: Executor,
  { organizationId, id, attempt }: Upload,
): Promise<boolean> {
  const { count } = await sql`
    update imports
    set status = 'pending', updated_at = now()
    where organization_id = ${organizationId}
      and id = ${id}
      and status = 'receiving'
      and attempt = ${attempt}`
  return count === 1
}

export const abortUpload = (
  sql: Executor,
  { organizationId, id, attempt }: Upload,
  error: string,
) => sql`
  with aborted as (
    update imports
    set status = 'aborted', error = ${error}, finished_at = clock_timestamp(), updated_at = now()
    where organization_id = ${organizationId}
      and id = ${id}
      and status = 'receiving'
      and attempt = ${attempt}
    returning id
  )
  delete from import_chunks
  where organization_id = ${organizationId} and import_id in (select id from aborted)`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Import | undefined> {
  const [foundImport] = await sql<Import[]>`
    select ${importColumns(sql)}
    from imports
    where organization_id = ${organizationId} and id = ${id}`
  return foundImport
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { limit, before }: { limit: number; before: Uuid | undefined },
) => sql<Import[]>`
  select ${importColumns(sql)}
  from imports
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

/**
 * Cancels a live import. Written rows stay. Undefined: it is over. The workflow notices at its next
 * page.
 */
export async function cancel(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Import | undefined> {
  const [cancelled] = await sql<Import[]>`
    update imports
    set status = 'cancelled', finished_at = clock_timestamp(), updated_at = now()
    where organization_id = ${organizationId}
      and id = ${id}
      and status in ('receiving', 'pending', 'running')
    returning ${importColumns(sql)}`
  return cancelled
}

export interface ImportError {
  row: number
  message: string
  record: string
}

export const listErrors = (
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
  { after, limit }: { after: number; limit: number },
) => sql<ImportError[]>`
  select row, message, record
  from import_errors
  where organization_id = ${organizationId} and import_id = ${id} and row > ${after}
  order by row
  limit ${limit}`

/** Lists a page of received imports that are not over, in the order of their ids. */
export const listOpen = (sql: Executor, after: Uuid | undefined, limit: number) => sql<
  { organizationId: Uuid; id: Uuid }[]
>`
  select organization_id, id
  from imports
  where status in ('pending', 'running') ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

/** Fails uploads without progress for `silentMs`, whose process has died. */
export async function abortSilent(sql: Executor, silentMs: number): Promise<number> {
  const { count } = await sql`
    update imports
    set status = 'aborted', error = 'The upload was interrupted', finished_at = clock_timestamp(),
      updated_at = now()
    where status = 'receiving'
      and received_at < statement_timestamp() - ${silentMs} * interval '1 millisecond'`
  return count
}

export async function dropPages(sql: Executor, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_chunks
    where (organization_id, import_id, page) in (
      select c.organization_id, c.import_id, c.page
      from import_chunks c
      join imports i on i.organization_id = c.organization_id and i.id = c.import_id
      where i.finished_at is not null
      limit ${limit}
    )`
  return count
}

/** Deletes reports of imports that ended `days` ago or earlier, at most `limit` rows. */
export async function dropErrors(sql: Executor, days: number, limit: number): Promise<number> {
  const { count } = await sql`
    delete from import_errors
    where (organization_id, import_id, row) in (
      select e.organization_id, e.import_id, e.row
      from imports i
      join import_errors e on e.organization_id = i.organization_id and e.import_id = i.id
      where i.finished_at < now() - ${days} * interval '1 day'
      limit ${limit}
    )`
  return count
}
