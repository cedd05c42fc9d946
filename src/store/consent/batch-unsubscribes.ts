import type { Uuid } from '../../ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** The address that a batch mailed this contact at; null when the mail or its address is gone. */
export async function findRecipient(
  sql: Executor,
  organizationId: Uuid,
  { batchId, contactId }: { batchId: Uuid; contactId: Uuid },
): Promise<string | null> {
  const [batch] = await sql<{ bucket: Uuid | null }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  if (!batch?.bucket) return null
  const [mail] = await sql<{ recipient: string | null }[]>`
    select recipient
    from messages
    where organization_id = ${organizationId} and bucket = ${batch.bucket}
      and dedupe_key = ${contactId}`
  return mail?.recipient ?? null
}

/** Counts one more person who unsubscribed by a mail of the batch. */
export const count = (tx: Transaction, organizationId: Uuid, batchId: Uuid) => tx`
  update batches
  set unsubscribed = unsubscribed + 1
  where organization_id = ${organizationId} and id = ${batchId}`
