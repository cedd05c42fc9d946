import type { Addressed } from '../../domain/address.ts'
import { uuidv7, type Uuid } from '../../runtime/ids.ts'
import type { Sql, Transaction } from '../db/sql.ts'

/**
 * Counts the emails of the last 24 hours by address key (hexadecimal). Keys without emails are left
 * out.
 */
export const countToday = (tx: Transaction, organizationId: Uuid, keys: readonly string[]) => tx<
  { key: string; mails: number }[]
>`
  select encode(address_key, 'hex') as key, count(*) as mails
  from confirmation_mails
  where organization_id = ${organizationId}
    and address_key in (select decode(key, 'hex') from unnest(${[...keys]}::text[]) as key)
    and created_at > now() - interval '1 day'
  group by address_key`

export async function record(
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<void> {
  if (addresses.length === 0) return
  await tx`
    insert into confirmation_mails (organization_id, id, address_key)
    select ${organizationId}, id, decode(key, 'hex')
    from unnest(
      ${addresses.map(() => uuidv7())}::uuid[],
      ${addresses.map(({ keys }) => keys[0].key)}::text[]
    ) as mail (id, key)`
}

/** Deletes emails older than a day, which no longer count. Returns their number. */
export const dropOld = async (sql: Sql, limit: number): Promise<number> => {
  const result = await sql`
    delete from confirmation_mails
    where (organization_id, id) in (
      select organization_id, id
      from confirmation_mails
      where created_at < now() - interval '1 day'
      order by created_at
      limit ${limit}
    )`
  return result.count
}
