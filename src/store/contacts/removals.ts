import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { ConfirmationKey } from '../platform/outbox.ts'

/** Texts that identify the person in stored data. */
export interface PersonalTexts {
  contactId: Uuid
  email: string | null
  phone: string | null
  externalId: string | null
}

/** Locks contacts in the order of their ids, as every writer of sets does. */
export const lock = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  select id
  from contacts
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
  order by id
  for update`

/** Locks one contact and returns what names it; undefined when there is no such contact. */
export async function lockNamed(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<PersonalTexts | undefined> {
  const [named] = await tx<PersonalTexts[]>`
    select id as contact_id, email, phone, external_id
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for update`
  return named
}

/** Confirmations of these contacts that a workflow of their own waits for. */
export const listAwaited = (sql: Executor, organizationId: Uuid, ids: readonly Uuid[]) => sql<
  ConfirmationKey[]
>`
  select contact_id, topic_id, generation
  from subscriptions
  where organization_id = ${organizationId}
    and contact_id = any(${[...ids]}::uuid[])
    and status = 'pending'
    and cohort is null
  order by contact_id, topic_id`

/** Deletes the contacts with all that references them; returns how many there were. */
export async function remove(
  tx: Transaction,
  organizationId: Uuid,
  ids: readonly Uuid[],
): Promise<number> {
  const { count } = await tx`
    delete from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])`
  return count
}
