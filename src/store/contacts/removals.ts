import type { Uuid } from '../../runtime/ids.ts'
import type { Executor, Transaction } from '../db/sql.ts'
import type { ConfirmationKey } from '../platform/outbox.ts'

export interface PersonalTexts {
  contactId: Uuid
  email: string | null
  phone: string | null
  externalId: string | null
}

export const lock = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) => tx`
  select id
  from contacts
  where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
  order by id
  for update`

/** Locks a contact and returns its identifying texts. Undefined: it does not exist. */
export async function lockNamed(
  tx: Transaction,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<PersonalTexts | undefined> {
  const [texts] = await tx<PersonalTexts[]>`
    select id as contact_id, email, phone, external_id
    from contacts
    where organization_id = ${organizationId} and id = ${contactId}
    for update`
  return texts
}

/** Lists confirmations of these contacts that have their own workflow. */
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

/** Deletes the contacts and everything that references them. Returns those that were there. */
export const remove = (tx: Transaction, organizationId: Uuid, ids: readonly Uuid[]) =>
  tx<{ id: Uuid; externalId: string | null }[]>`
    delete from contacts
    where organization_id = ${organizationId} and id = any(${[...ids]}::uuid[])
    returning id, external_id`
