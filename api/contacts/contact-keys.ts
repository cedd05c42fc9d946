import type { AppError } from '../../src/domain/errors.ts'
import { cleanWord, normalAddress } from '../../src/domain/text.ts'
import { isUuid, type Uuid } from '../../src/runtime/ids.ts'
import * as contacts from '../../src/store/contacts/contacts.ts'
import type { Executor } from '../../src/store/db/sql.ts'
import { missing } from '../../src/core/access/ownership.ts'

export interface ContactName {
  id: string
  /** Forces how the name is read. */
  by?: 'id' | 'email' | 'externalId' | undefined
}

export function contactKeys({ id, by }: ContactName): contacts.ContactKey[] {
  const email = { email: normalAddress(id) }
  const externalId = { externalId: cleanWord(id) }
  if (by === 'id') return isUuid(id) ? [{ id }] : []
  if (by === 'email') return [email]
  if (by === 'externalId') return [externalId]
  if (isUuid(id)) return [{ id }, externalId]
  return id.includes('@') ? [email] : [externalId]
}

/**
 * Returns the id of the contact that a path names. Throws a 403 or 404 if the organization has
 * none.
 */
export async function contactId(
  sql: Executor,
  organizationId: Uuid,
  name: ContactName,
): Promise<Uuid> {
  for (const key of contactKeys(name)) {
    const id = await contacts.findId(sql, organizationId, key)
    if (id !== undefined) return id
  }
  throw await missingContact(sql, organizationId, name)
}

/**
 * Returns the refusal for a missing contact. Addresses and external ids are looked up in the
 * organization alone.
 */
export const missingContact = (
  sql: Executor,
  organizationId: Uuid,
  { id, by }: ContactName,
): Promise<AppError> =>
  missing(sql, 'contact', organizationId, by === undefined || by === 'id' ? id : '')
