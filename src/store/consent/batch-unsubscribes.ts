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

/** A mail of a batch. */
interface Mail {
  batchId: Uuid
  bucket: Uuid
  id: Uuid
}

/**
 * Locks the mail of a batch to this contact, so that it can be marked: mails are locked before
 * addresses and contacts everywhere. Undefined: there is none.
 */
export async function lockMail(
  tx: Transaction,
  organizationId: Uuid,
  { batchId, contactId }: { batchId: Uuid; contactId: Uuid },
): Promise<Mail | undefined> {
  const [batch] = await tx<{ bucket: Uuid | null }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  if (!batch?.bucket) return undefined
  const [mail] = await tx<{ bucket: Uuid; id: Uuid }[]>`
    select bucket, id
    from messages
    where organization_id = ${organizationId} and bucket = ${batch.bucket}
      and dedupe_key = ${contactId}
    for update`
  return mail && { ...mail, batchId }
}

/**
 * Marks a mail as one by whose link somebody unsubscribed, and counts it in its batch: both once,
 * so that the batch and the metrics say the same, whoever subscribes again and leaves again.
 */
export const markMail = (
  tx: Transaction,
  organizationId: Uuid,
  { batchId, bucket, id }: Mail,
) => tx`
  with marked as (
    update messages
    set unsubscribed_at = clock_timestamp()
    where organization_id = ${organizationId} and bucket = ${bucket} and id = ${id}
      and unsubscribed_at is null
    returning id
  )
  update batches
  set unsubscribed = unsubscribed + 1
  from marked
  where batches.organization_id = ${organizationId} and batches.id = ${batchId}`
