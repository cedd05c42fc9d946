import type { ContactFields } from '../domain/contact-update.ts'
import type { Uuid } from '../ids.ts'
import type { Executor, Json, Transaction } from './sql.ts'

/** What a flow may change of a contact, which is locked; undefined: it is gone. */
export async function read(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<ContactFields | undefined> {
  const [fields] = await sql<ContactFields[]>`
    select first_name, last_name, company, job_title, preferred_channel, properties
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}`
  return fields
}

/**
 * Writes them. No flow starts because of it (`contact_updated`): two flows that answer each
 * other's changes would never stop.
 */
export const write = (
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
  fields: ContactFields,
) => tx`
  update contacts
  set first_name = ${fields.firstName},
    last_name = ${fields.lastName},
    company = ${fields.company},
    job_title = ${fields.jobTitle},
    preferred_channel = ${fields.preferredChannel},
    properties = ${tx.json(fields.properties as Json)},
    updated_at = greatest(updated_at, clock_timestamp())
  where organization_id = ${organizationId} and id = ${contactId}`
