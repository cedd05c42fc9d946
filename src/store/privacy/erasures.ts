import type { Uuid } from '../../runtime/ids.ts'
import type { Erasure } from '../../schemas/privacy/personal-data.ts'
import type { PersonalTexts } from '../contacts/removals.ts'
import type { Executor, Transaction } from '../db/sql.ts'

const shownColumns = (sql: Executor) =>
  sql`id, contact_id, status, mails, requested_at, completed_at`

export interface NewErasure extends PersonalTexts {
  organizationId: Uuid
  erasureId: Uuid
  /** The contact, and deleted contacts with the same address. */
  contactIds: readonly Uuid[]
}

export async function create(
  tx: Transaction,
  { organizationId, erasureId, contactId, contactIds, email, phone, externalId }: NewErasure,
): Promise<Erasure | undefined> {
  const [created] = await tx<Erasure[]>`
    insert into erasures (organization_id, id, contact_id, contact_ids, email, phone, external_id)
    values (${organizationId}, ${erasureId}, ${contactId}, ${[...contactIds]}::uuid[], ${email},
      ${phone}, ${externalId})
    on conflict (organization_id, contact_id) do nothing
    returning ${shownColumns(tx)}`
  return created
}

export async function find(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Erasure | undefined> {
  const [erasure] = await sql<Erasure[]>`
    select ${shownColumns(sql)}
    from erasures
    where organization_id = ${organizationId} and id = ${id}`
  return erasure
}

export async function findOfContact(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<Erasure | undefined> {
  const [erasure] = await sql<Erasure[]>`
    select ${shownColumns(sql)}
    from erasures
    where organization_id = ${organizationId} and contact_id = ${contactId}`
  return erasure
}

export const listOpen = (sql: Executor, after: Uuid | undefined, limit: number) => sql<
  { organizationId: Uuid; id: Uuid }[]
>`
  select organization_id, id
  from erasures
  where status = 'running' ${after === undefined ? sql`` : sql`and id > ${after}`}
  order by id
  limit ${limit}`

/** A running erasure. Undefined when it is done. */
export interface Running extends PersonalTexts {
  contactIds: Uuid[]
  requestedAt: string
}

export async function findRunning(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<Running | undefined> {
  const [erasure] = await sql<Running[]>`
    select contact_id, contact_ids, email, phone, external_id, requested_at
    from erasures
    where organization_id = ${organizationId} and id = ${id} and status = 'running'`
  return erasure
}

/**
 * Records which transactions may still write what they have read of the contact: those that began
 * before now, such as a freeze of an audience with the contact.
 */
export const noteHorizon = (sql: Executor, organizationId: Uuid, id: Uuid) => sql`
  update erasures
  set horizon = pg_snapshot_xmax(pg_current_snapshot())
  where organization_id = ${organizationId} and id = ${id} and horizon is null`

/** Returns whether all of them have ended. The next statement sees what they wrote. */
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

/** `running → completed`. The row stays as proof. */
export async function complete(sql: Executor, organizationId: Uuid, id: Uuid): Promise<void> {
  await sql`
    delete from former_addresses
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
