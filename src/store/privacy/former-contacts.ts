import type { Uuid } from '../../ids.ts'
import type { Executor } from '../db/sql.ts'

/** More with one address than this were deleted by a program that makes them anew all the time. */
const MOST_FORMER = 999

/** Contacts that were deleted while they had the address, the latest first. */
export async function listByAddress(
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
export async function exists(
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
