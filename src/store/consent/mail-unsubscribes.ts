import { dayBucket, type Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** The mail that contained an unsubscribe link: a batch's mail to the contact, or a single mail. */
export interface MailOfLink {
  contactId: Uuid
  batchId?: Uuid | undefined
  mailId?: Uuid | undefined
}

/** The mailed address. Null: it or its mail is gone, or the link names none. */
export async function findRecipient(
  sql: Executor,
  organizationId: Uuid,
  mail: MailOfLink,
): Promise<string | null> {
  const place = await placeOf(sql, organizationId, mail)
  if (!place) return null
  const [row] = await sql<{ recipient: string | null }[]>`
    select recipient
    from messages
    where organization_id = ${organizationId} and bucket = ${place.bucket}
      and ${ofLink(sql, place)}`
  return row?.recipient ?? null
}

interface Mail {
  bucket: Uuid
  id: Uuid
  batchId: Uuid | null
}

/**
 * Locks the mail of a link so that it can be marked. Mails are locked before addresses and contacts
 * everywhere. Undefined: there is none, or the link names none.
 */
export async function lockMail(
  tx: Transaction,
  organizationId: Uuid,
  mail: MailOfLink,
): Promise<Mail | undefined> {
  const place = await placeOf(tx, organizationId, mail)
  if (!place) return undefined
  const [lockedMail] = await tx<Mail[]>`
    select bucket, id, batch_id
    from messages
    where organization_id = ${organizationId} and bucket = ${place.bucket}
      and ${ofLink(tx, place)}
    for update`
  return lockedMail
}

interface Place {
  bucket: Uuid
  by: 'id' | 'dedupe_key'
  key: Uuid
}

async function placeOf(
  sql: Executor,
  organizationId: Uuid,
  { contactId, batchId, mailId }: MailOfLink,
): Promise<Place | undefined> {
  if (mailId !== undefined) return { bucket: dayBucket(mailId), by: 'id', key: mailId }
  if (batchId === undefined) return undefined
  const [batch] = await sql<{ bucket: Uuid | null }[]>`
    select bucket
    from batches
    where organization_id = ${organizationId} and id = ${batchId}`
  return batch?.bucket ? { bucket: batch.bucket, by: 'dedupe_key', key: contactId } : undefined
}

const ofLink = (sql: Executor, { by, key }: Place) => sql`${sql(by)} = ${key}`

/**
 * Marks a mail as one that led to an unsubscription, and counts it in its batch. Both happen once,
 * so that batch and metrics agree even if somebody subscribes and unsubscribes again.
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
