import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/**
 * More deleted contacts with one address than this come from a program that recreates them all the
 * time.
 */
const MOST_FORMER = 999
const MOST_ADDRESSES = 10_000

export interface FormerAddress {
  kind: 'email' | 'phone'
  hash: string
}

export const listOf = (sql: Executor, organizationId: Uuid, contactIds: readonly Uuid[]) => sql<
  FormerAddress[]
>`
  select distinct kind, encode(address_hash, 'hex') as hash
  from former_addresses
  where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
  limit ${MOST_ADDRESSES}`

/**
 * Contacts that had `address` at their deletion, or an address that this contact had before. The
 * latest first.
 */
export async function listEarlierHolders(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  address: string | null,
): Promise<Uuid[]> {
  const rows = await sql<{ contactId: Uuid }[]>`
    select f.contact_id
    from former_addresses f
    where f.organization_id = ${organizationId} and f.kind = 'email'
      and f.contact_deleted_at is not null and f.is_last
      and f.address_hash = any(array(
        select address_hash
        from former_addresses
        where organization_id = ${organizationId} and contact_id = ${contactId}
        union all
        select decode(${address}, 'hex')
      ))
      and (
        f.address_hash = decode(${address}, 'hex')
        or f.contact_deleted_at <= (
          select left_at
          from former_addresses own
          where own.organization_id = ${organizationId} and own.contact_id = ${contactId}
            and own.address_hash = f.address_hash
        )
      )
    group by f.contact_id
    order by max(f.contact_deleted_at) desc, f.contact_id desc
    limit ${MOST_FORMER}`
  return rows.map((row) => row.contactId)
}

/**
 * The last deleted contact that ever had the address. One that had it at its deletion comes first.
 */
export async function findDeleted(
  sql: Executor,
  organizationId: Uuid,
  hash: string,
): Promise<Uuid | undefined> {
  const [latest] = await sql<{ contactId: Uuid }[]>`
    select contact_id
    from former_addresses
    where organization_id = ${organizationId} and kind = 'email' and contact_deleted_at is not null
      and address_hash = decode(${hash}, 'hex')
    order by is_last desc, contact_deleted_at desc, contact_id desc
    limit 1`
  return latest?.contactId
}

export async function exists(
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
): Promise<boolean> {
  const rows = await sql`
    select
    from former_addresses
    where organization_id = ${organizationId} and contact_id = ${contactId}
      and contact_deleted_at is not null
    limit 1`
  return rows.length > 0
}

/** Records addresses of a deleted contact that only its mails told. */
export const add = (
  sql: Executor,
  organizationId: Uuid,
  contactId: Uuid,
  hashes: readonly string[],
) => sql`
  insert into former_addresses (organization_id, contact_id, address_hash, kind, contact_deleted_at)
  select ${organizationId}, ${contactId}, decode(hash, 'hex'), 'email', now()
  from unnest(${[...hashes]}::text[]) as hash
  on conflict do nothing`
