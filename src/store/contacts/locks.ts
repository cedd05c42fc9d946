import type { Uuid } from '../../runtime/ids.ts'
import type { Transaction } from '../db/sql.ts'

/**
 * Locks contacts in the order of their ids, so that two transactions that lock several wait for
 * each other instead of deadlocking. Returns those that exist.
 */
export async function lockAll(
  tx: Transaction,
  organizationId: Uuid,
  contactIds: readonly Uuid[],
): Promise<Set<Uuid>> {
  const rows = await tx<{ id: Uuid }[]>`
    select id
    from contacts
    where organization_id = ${organizationId}
      and id = any(${[...new Set(contactIds)]}::uuid[])
    order by id
    for no key update`
  return new Set(rows.map(({ id }) => id))
}
