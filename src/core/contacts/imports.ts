import { AppError, conflict } from '../../domain/errors.ts'
import { isUuid, type Uuid } from '../../runtime/ids.ts'
import type { Import } from '../../schemas/contacts/import.ts'
import * as organizations from '../../store/access/organizations.ts'
import * as imports from '../../store/contacts/imports.ts'
import type { Executor, Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { type Actor, recordAudit } from '../access/audit.ts'
import { missing } from '../access/ownership.ts'
import { requireStorageRoom } from '../access/plan.ts'

export type { Upload } from '../../store/contacts/imports.ts'

/**
 * Open imports of one organization. Each is written page by page, so that others get their turn.
 */
const MOST_OPEN_IMPORTS = 5
/** Silence after which an upload counts as abandoned by its process. */
const SILENT_MS = 120_000

/** Returns an import. Throws a 403 or 404 if the organization does not have it. */
export async function requireImport(
  sql: Executor,
  organizationId: Uuid,
  id: string,
): Promise<Import> {
  const foundImport = isUuid(id) ? await imports.find(sql, organizationId, id) : undefined
  if (foundImport) return foundImport
  throw await missing(sql, 'import', organizationId, id)
}

/**
 * Begins an import whose rows follow page by page. The id is the request's: a second request with
 * it takes an upload up again that was interrupted, is refused (409) while the first one is being
 * received, and gets the import as it is when all its rows were received.
 */
export async function beginImport(
  tx: Transaction,
  organizationId: Uuid,
  input: Omit<imports.NewImport, 'requestId'>,
  { requestId }: Actor,
): Promise<imports.Upload | Import> {
  const { id } = input
  await organizations.lock(tx, organizationId)
  const existingImport = await imports.find(tx, organizationId, id)
  if (existingImport === undefined) {
    if ((await imports.countOpen(tx, organizationId)) >= MOST_OPEN_IMPORTS) throw tooManyImports()
    await requireStorageRoom(tx, organizationId)
  } else if (existingImport.status !== 'receiving' && existingImport.status !== 'aborted')
    return existingImport
  const upload =
    existingImport === undefined
      ? await imports.create(tx, organizationId, { ...input, requestId })
      : await imports.restart(tx, organizationId, id, SILENT_MS)
  if (upload) return upload
  throw conflict('This upload is still running', { reason: 'idempotency_in_progress' })
}

export async function addImportPage(
  sql: Executor,
  upload: imports.Upload,
  page: imports.NewPage,
): Promise<void> {
  if (!(await imports.addPage(sql, upload, page))) throw takenOver()
}

/**
 * Ends an upload whose pages are all stored, and starts the import of its rows. Throws a 409 if the
 * import was cancelled or taken over meanwhile.
 */
export async function handOverImport(
  tx: Transaction,
  upload: imports.Upload,
  { format, dryRun }: Pick<imports.NewImport, 'format' | 'dryRun'>,
  actor: Actor,
): Promise<void> {
  const { organizationId, id } = upload
  if (!(await imports.finishUpload(tx, upload))) throw takenOver()
  const start = { kind: 'start_import', payload: { importId: id } } as const
  await outbox.put(tx, organizationId, start, actor.requestId)
  await recordAudit(tx, organizationId, actor, {
    action: 'import.created',
    subject: { kind: 'import', id },
    detail: { format, dryRun },
  })
}

/** Fails an interrupted or refused upload with its error, and deletes its pages. */
export async function abortImport(
  sql: Executor,
  upload: imports.Upload,
  error: unknown,
): Promise<void> {
  const why = error instanceof AppError ? error.message : 'The upload was interrupted'
  // A refusal may name what the file says, and that cannot always be stored.
  await imports.abortUpload(sql, upload, why.replaceAll('\0', '\ufffd'))
}

/**
 * Cancels an import. Written rows stay. A repeated call succeeds; an import that has ended
 * otherwise is a 409.
 */
export async function cancelImport(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  actor: Actor,
): Promise<Import> {
  const { id: importId } = await requireImport(tx, organizationId, id)
  const cancelled = await imports.cancel(tx, organizationId, importId)
  if (cancelled) {
    const subject = { kind: 'import', id: importId }
    await recordAudit(tx, organizationId, actor, { action: 'import.cancelled', subject })
    return cancelled
  }
  const endedImport = await requireImport(tx, organizationId, importId)
  if (endedImport.status === 'cancelled') return endedImport
  throw conflict(`The import is ${endedImport.status} and cannot be cancelled`, {
    reason: 'import_ended',
  })
}

const tooManyImports = () =>
  conflict(`${MOST_OPEN_IMPORTS} imports are running. Wait for one to end`, {
    reason: 'too_many_imports',
  })

const takenOver = () =>
  conflict('The import was cancelled during its upload', { reason: 'import_ended' })
