import type { Uuid } from '../../runtime/ids.ts'
import type { EmailLog } from '../../schemas/delivery/email-log.ts'
import * as logs from '../../store/delivery/email-logs.ts'
import type { Executor } from '../../store/db/sql.ts'

/** Mails of one page of an export. */
const EXPORT_PAGE = 1_000

type Filters = Omit<logs.LogPage, 'bucket' | 'contactId' | 'limit' | 'before'>

/** Yields pages of logs, newest first. No transaction is open between two pages. */
export async function* exportEmailLogs(
  sql: Executor,
  organizationId: Uuid,
  filters: Filters,
): AsyncGenerator<EmailLog[]> {
  for (let before: Uuid | undefined; ; ) {
    const page = { ...filters, before, limit: EXPORT_PAGE }
    const rows = await listEmailLogs(sql, organizationId, page)
    yield rows
    before = rows.at(-1)?.id
    if (rows.length < EXPORT_PAGE) return
  }
}

/**
 * Lists logs, newest first. A batch names the only partition of its mails. An execution's mails are
 * found through its contact, so those of an erased contact are not found.
 */
export async function listEmailLogs(
  sql: Executor,
  organizationId: Uuid,
  page: Omit<logs.LogPage, 'bucket' | 'contactId'>,
): Promise<EmailLog[]> {
  const { batchId, executionId } = page
  const bucket =
    batchId === undefined ? undefined : await logs.findBatchBucket(sql, organizationId, batchId)
  if (bucket === null) return []
  const contactId =
    executionId === undefined
      ? undefined
      : await logs.findExecutionContact(sql, organizationId, executionId)
  if (contactId === null) return []
  return logs.list(sql, organizationId, { ...page, bucket, contactId })
}
