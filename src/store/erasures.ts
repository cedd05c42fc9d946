import type { Uuid } from '../ids.ts'
import type { Erasure } from '../schemas/personal-data.ts'
import { contactsDeleted } from './execution-exits.ts'
import * as outbox from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'

/** What names the person in what is stored. */
export interface Named {
  contactId: Uuid
  email: string | null
  phone: string | null
  externalId: string | null
}

const shown = (sql: Executor) => sql`id, contact_id, status, mails, requested_at, completed_at`

/**
 * Deletes the contact with all that hangs on it, so that no mail leaves any more; answers what
 * named it. Confirmations that were awaited are awaited no more, and what runs for it is cancelled.
 * Undefined when there is no such contact.
 */
export async function removeContact(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  requestId: string,
): Promise<Named | undefined> {
  const [named] = await tx<Named[]>`
    select id as contact_id, email, phone, external_id
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for update`
  if (!named) return undefined
  await contactsDeleted(tx, organizationId, [contactId], requestId)
  const awaited = await tx<outbox.ConfirmationKey[]>`
    select contact_id, topic_id, generation
    from subscriptions
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and status = 'pending' and cohort is null`
  await tx`
    delete from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  const ended = awaited.map((payload) => ({ kind: 'end_confirmation' as const, payload }))
  await outbox.putAll(tx, organizationId, ended, requestId)
  return named
}

/** More with one address than this were deleted by a program that makes them anew all the time. */
const MOST_FORMER = 999

/** Contacts that were deleted while they had the address, the latest first. */
export async function listFormer(
  sql: Executor,
  organizationId: Uuid,
  addressHash: Buffer,
): Promise<Uuid[]> {
  const rows = await sql<{ contactId: Uuid }[]>`
    select contact_id
    from former_contacts
    where organization_id = ${organizationId} and address_hash = ${addressHash}
    order by deleted_at desc, contact_id desc
    limit ${MOST_FORMER}`
  return rows.map(({ contactId }) => contactId)
}

/** Whether a contact with this id was deleted here. */
export async function isFormer(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<boolean> {
  const rows = await sql`
    select
    from former_contacts
    where organization_id = ${organizationId} and contact_id = ${contactId}`
  return rows.length > 0
}

interface Asked extends Named {
  organizationId: Uuid
  erasureId: Uuid
  /** Who was deleted before with the same address. */
  former: readonly Uuid[]
  requestId: string
}

/** Accepts an erasure and promises its workflow; undefined when there is one already. */
export async function accept(
  tx: Transaction,
  { organizationId, erasureId, contactId, former, requestId, ...named }: Asked,
): Promise<Erasure | undefined> {
  const contactIds = [...new Set([contactId, ...former])]
  const [accepted] = await tx<Erasure[]>`
    insert into erasures (organization_id, id, contact_id, contact_ids, email, phone, external_id)
    values (${organizationId}, ${erasureId}, ${contactId}, ${contactIds}::uuid[], ${named.email},
      ${named.phone}, ${named.externalId})
    on conflict (organization_id, contact_id) do nothing
    returning ${shown(tx)}`
  if (!accepted) return undefined
  await outbox.put(tx, organizationId, { kind: 'start_erasure', payload: { erasureId } }, requestId)
  return accepted
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Erasure | undefined> {
  const [erasure] = await sql<Erasure[]>`
    select ${shown(sql)}
    from erasures
    where organization_id = ${organizationId} and id = ${id}`
  return erasure
}

/** The erasure of a contact that is gone because of it. */
export async function findOfContact(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<Erasure | undefined> {
  const [erasure] = await sql<Erasure[]>`
    select ${shown(sql)}
    from erasures
    where organization_id = ${organizationId} and contact_id = ${contactId}`
  return erasure
}

/** What is being erased; undefined when it is done. */
export interface Running extends Named {
  contactIds: Uuid[]
  requestedAt: string
}

export async function running(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Running | undefined> {
  const [found] = await sql<Running[]>`
    select contact_id, contact_ids, email, phone, external_id, requested_at
    from erasures
    where organization_id = ${organizationId} and id = ${id} and status = 'running'`
  return found
}

/**
 * Notes which transactions may still write what they have read of the contact: those that began
 * before now, such as a freeze of an audience that it was in.
 */
export const noteHorizon = (sql: Executor, organizationId: Uuid, id: Uuid) => sql`
  update erasures
  set horizon = pg_snapshot_xmax(pg_current_snapshot())
  where organization_id = ${organizationId} and id = ${id} and horizon is null`

/** Whether all of those have ended. What they wrote is seen by the next statement. */
export async function horizonPassed(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean> {
  const [row] = await sql<{ passed: boolean }[]>`
    select coalesce(pg_snapshot_xmin(pg_current_snapshot()) >= horizon, false) as passed
    from erasures
    where organization_id = ${organizationId} and id = ${id}`
  return row?.passed ?? false
}

export const countMails = (sql: Executor, organizationId: Uuid, id: Uuid, mails: number) => sql`
  update erasures
  set mails = mails + ${mails}
  where organization_id = ${organizationId} and id = ${id}`

/** `running → completed`: what is left is the proof. */
export async function complete(sql: Executor, organizationId: Uuid, id: Uuid): Promise<void> {
  await sql`
    delete from former_contacts
    where organization_id = ${organizationId}
      and contact_id in (
        select unnest(contact_ids)
        from erasures
        where organization_id = ${organizationId} and id = ${id}
      )`
  await sql`
    update erasures
    set status = 'completed', completed_at = clock_timestamp(), email = null, phone = null,
      external_id = null
    where organization_id = ${organizationId} and id = ${id} and status = 'running'`
}
