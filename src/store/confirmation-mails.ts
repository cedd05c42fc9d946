import type { Addressed } from '../domain/address.ts'
import { MOST_CONFIRMATION_MAILS_A_DAY } from '../domain/subscription.ts'
import { uuidv7, type Uuid } from '../ids.ts'
import type { Sql, Transaction } from './sql.ts'

/** Confirmation mails to each address in a day, with those that are decided right now. */
export interface MailCounts {
  get: (address: Addressed) => number
  add: (address: Addressed) => void
  /** Whether one more may go, which then counts. */
  takeOne: (address: Addressed) => boolean
}

/** Addresses are known by any of their keys: a rotation of peppers does not begin a new day. */
export async function countToday(
  tx: Transaction,
  organizationId: Uuid,
  addresses: readonly Addressed[],
): Promise<MailCounts> {
  const keys = addresses.flatMap((address) => address.keys.map(({ key }) => key))
  const rows =
    keys.length === 0
      ? []
      : await tx<{ key: string; mails: number }[]>`
    select encode(address_key, 'hex') as key, count(*) as mails
    from confirmation_mails
    where organization_id = ${organizationId}
      and address_key in (select decode(key, 'hex') from unnest(${keys}::text[]) as key)
      and created_at > now() - interval '1 day'
    group by address_key`
  const counts = new Map(rows.map(({ key, mails }) => [key, mails]))
  const get = ({ keys }: Addressed): number =>
    keys.reduce((sum, { key }) => sum + (counts.get(key) ?? 0), 0)
  const add = ({ keys }: Addressed): void => {
    counts.set(keys[0].key, (counts.get(keys[0].key) ?? 0) + 1)
  }
  const takeOne = (address: Addressed): boolean => {
    if (get(address) >= MOST_CONFIRMATION_MAILS_A_DAY) return false
    add(address)
    return true
  }
  return { get, add, takeOne }
}

/** Counts one mail to each address. */
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

/** Mails of more than a day ago count no more. Answers how many were dropped. */
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
