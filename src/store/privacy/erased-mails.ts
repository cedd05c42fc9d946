import { span, type Uuid } from '../../runtime/ids.ts'
import * as outbox from '../platform/outbox.ts'
import type { Executor, Transaction } from '../db/sql.ts'

/** Selects mails of the contacts, and mails to their addresses that name no contact. */
export interface Mailed {
  organizationId: Uuid
  contactIds: Uuid[]
  /** The person's addresses, as 16 bytes of SHA-256 in hexadecimal. */
  addressHashes: string[]
  /** Mail after this time (ISO 8601) is based on a new decision. */
  until: string
}

export interface MailKey {
  bucket: Uuid
  id: Uuid
}

/**
 * The three ways to find the mails, each by an index that leads with the organization: rows of
 * batches by their dedupe key, which is the contact; other mail by the contact; mail without a
 * contact by the hash of its address.
 */
const waysToMails = (sql: Executor, mailed: Mailed) => [
  ...waysByContact(sql, mailed),
  ...(mailed.addressHashes.length === 0 ? [] : [wayByAddress(sql, mailed)]),
]

export const waysByContact = (sql: Executor, { organizationId, contactIds }: Mailed) => [
  sql`messages.organization_id = ${organizationId}
      and messages.dedupe_key = any(${contactIds}::uuid[])
      and messages.contact_id = messages.dedupe_key and messages.source = 'batch'`,
  sql`messages.organization_id = ${organizationId}
      and messages.contact_id = any(${contactIds}::uuid[]) and messages.source <> 'batch'`,
]

/** Mail to an address that belongs to a contact again stays. */
export const wayByAddress = (
  sql: Executor,
  { organizationId, contactIds, addressHashes, until }: Mailed,
) => sql`
  messages.organization_id = ${organizationId}
  and messages.contact_id is null and messages.recipient is not null
  and address_hash(messages.organization_id, messages.recipient) = any(array(
    select decode(hash, 'hex') from unnest(${addressHashes}::text[]) as hash
  ))
  and messages.created_at <= ${until}
  and not exists (
    select
    from contacts
    where contacts.organization_id = ${organizationId} and contacts.email = messages.recipient
      and contacts.created_at <= ${until} and contacts.id <> all(${contactIds}::uuid[])
  )
  and not exists (
    select
    from contacts
    where contacts.organization_id = ${organizationId} and contacts.phone = messages.recipient
      and contacts.created_at <= ${until} and contacts.id <> all(${contactIds}::uuid[])
  )`

/** Open mails may only be written by the holder of their claim. They get their outcome first. */
const isOpen = (sql: Executor) => sql`messages.state in ('claimed', 'unknown')`

/** Up to `limit` that can be emptied now, by bucket and id. */
export async function listSettled(
  sql: Executor,
  mailed: Mailed,
  limit: number,
): Promise<MailKey[]> {
  const foundMails: MailKey[] = []
  for (const way of waysToMails(sql, mailed)) {
    if (foundMails.length === limit) break
    const keys = await sql<MailKey[]>`
      select bucket, id
      from messages
      where ${way} and not ${isOpen(sql)}
      order by bucket, id
      limit ${limit - foundMails.length}`
    foundMails.push(...keys)
  }
  return foundMails
}

export async function findRecipient(sql: Executor, mailed: Mailed): Promise<string | undefined> {
  for (const way of waysToMails(sql, mailed)) {
    const [mail] = await sql<{ recipient: string }[]>`
      select recipient
      from messages
      where ${way} and recipient is not null
      limit 1`
    if (mail) return mail.recipient
  }
  return undefined
}

export async function anyLeft(sql: Executor, mailed: Mailed): Promise<boolean> {
  for (const way of waysToMails(sql, mailed)) {
    const remainingMails = await sql`select 1 from messages where ${way} limit 1`
    if (remainingMails.length > 0) return true
  }
  return false
}

export interface Emptied {
  count: number
  /** Addresses of their mails, since a contact may have had another one at the time. */
  recipients: string[]
}

/**
 * Empties mails of one bucket: recipient, content and the provider's data. The rows stay for
 * counters and rates. Waiting single mail is skipped here. The queued row of a batch is skipped and
 * counted by the claim, which finds no contact.
 *
 * Two statements: appliers of delivery events lock the mail first, so the second statement sees
 * what they wrote before, and afterwards they find a mail without a recipient.
 */
export async function empty(
  tx: Transaction,
  mailed: Mailed,
  bucket: Uuid,
  ids: Uuid[],
): Promise<Emptied> {
  const { organizationId, contactIds } = mailed
  const lockedMails = await tx<{ id: Uuid; recipient: string | null }[]>`
    select m.*
    from (select unnest(${ids}::uuid[]) as id order by 1) wanted
    cross join lateral (
      select id, recipient
      from messages
      where organization_id = ${organizationId} and bucket = ${bucket} and id = wanted.id
        and not ${isOpen(tx)}
        and (contact_id = any(${contactIds}::uuid[]) or (${wayByAddress(tx, mailed)}))
      for update
    ) m`
  if (lockedMails.length === 0) return { count: 0, recipients: [] }
  const rows = lockedMails.map(({ id }) => id)
  const [first, last] = span(rows)
  const one = (column: string) => tx`
    ${tx(column)} between ${first} and ${last} and ${tx(column)} = any(${rows}::uuid[])`
  await tx`
    with emptied as (
      update messages
      set contact_id = null, recipient = null, subject = null, error = null,
        dedupe_key = case when source = 'batch' then id else dedupe_key end,
        state = case when ${isWaiting(tx)} then 'skipped' else state end,
        status = case when ${isWaiting(tx)} then 'suppressed' else status end,
        reason = case when ${isWaiting(tx)} then 'contact_deleted' else reason end
      where organization_id = ${organizationId} and bucket = ${bucket} and ${one('id')}
      returning execution_id, state, reason
    ), woken as (${outbox.wake(
      tx,
      organizationId,
      tx`
      select execution_id
      from emptied
      where state = 'skipped' and reason = 'contact_deleted'`,
    )}
    ), unqueued as (
      delete from mail_queue
      where organization_id = ${organizationId} and bucket = ${bucket} and ${one('id')}
    ), texts_unqueued as (
      delete from text_queue
      where organization_id = ${organizationId} and bucket = ${bucket} and ${one('id')}
    ), unsaid as (
      delete from message_bodies
      where organization_id = ${organizationId} and bucket = ${bucket} and ${one('id')}
    ), unsealed as (
      update transactional_mails
      set tags = '[]', sealed = null, sealed_until = null
      where organization_id = ${organizationId} and ${one('id')}
    ), untold as (
      update hook_deliveries
      set extra = null, answer = null
      where organization_id = ${organizationId} and contact_id is null and ${one('mail_id')}
    )
    update delivery_events
    set data = '{}'
    where organization_id = ${organizationId} and bucket = ${bucket} and ${one('log_id')}
      and data <> '{}'`
  return {
    count: lockedMails.length,
    recipients: lockedMails.flatMap(({ recipient }) => recipient ?? []),
  }
}

const isWaiting = (sql: Executor) => sql`state = 'queued' and source <> 'batch'`
