import type { Uuid } from '../../ids.ts'
import type { EmailLog } from '../../schemas/sending/email-log.ts'
import * as logs from '../../store/sending/email-logs.ts'
import type { Executor } from '../../store/db/sql.ts'

/**
 * Newest first. A batch names the only partition of its mails. An execution's mails are found
 * through its contact, so those of a contact that was erased are not.
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
