import type { Uuid } from '../ids.ts'
import type { Erasure } from '../schemas/personal-data.ts'
import * as outbox from './outbox.ts'
import type { Executor, Transaction } from './sql.ts'

/** What names the person in what is stored. */
interface Named {
  contactId: Uuid
  email: string | null
  phone: string | null
  externalId: string | null
}

interface Asked {
  organizationId: Uuid
  erasureId: Uuid
  contactId: Uuid
  requestId?: string
}

const shown = (sql: Executor) => sql`id, contact_id, status, mails, requested_at, completed_at`

/**
 * Accepts an erasure: the contact is gone with all that hangs on it, so that no mail leaves any
 * more, and a workflow is promised that does the rest. Undefined when there is no such contact.
 */
export async function accept(
  tx: Transaction,
  { organizationId, erasureId, contactId, requestId }: Asked,
): Promise<Erasure | undefined> {
  const [gone] = await tx<Named[]>`
    select id as contact_id, email, phone, external_id
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for update`
  if (!gone) return undefined
  const awaited = await tx<outbox.ConfirmationKey[]>`
    select contact_id, topic_id, generation
    from subscriptions
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and status = 'pending' and cohort is null`
  await tx`
    delete from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  await outbox.putAll(
    tx,
    organizationId,
    [
      { kind: 'start_erasure', payload: { erasureId } },
      ...awaited.map((payload) => ({ kind: 'end_confirmation' as const, payload })),
    ],
    requestId,
  )
  const [accepted] = await tx<Erasure[]>`
    insert into erasures (organization_id, id, contact_id, email, phone, external_id)
    values (${organizationId}, ${erasureId}, ${contactId}, ${gone.email}, ${gone.phone},
      ${gone.externalId})
    returning ${shown(tx)}`
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
  requestedAt: string
}

export async function running(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Running | undefined> {
  const [found] = await sql<Running[]>`
    select contact_id, email, phone, external_id, requested_at
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
export const complete = (sql: Executor, organizationId: Uuid, id: Uuid) => sql`
  update erasures
  set status = 'completed', completed_at = clock_timestamp(), email = null, phone = null,
    external_id = null
  where organization_id = ${organizationId} and id = ${id} and status = 'running'`
