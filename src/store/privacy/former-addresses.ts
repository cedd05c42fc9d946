import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

/** More with one address than this were deleted by a program that makes them anew all the time. */
const MOST_FORMER = 999
/** Addresses and numbers of one person that are searched for. */
const MOST_ADDRESSES = 10_000

export interface FormerAddress {
  kind: 'email' | 'phone'
  /** The first 16 bytes of SHA-256(organization id, address) in hexadecimal. */
  hash: string
}

/** Addresses and numbers that the contacts had, each once. */
export const listOf = (sql: Executor, organizationId: Uuid, contactIds: readonly Uuid[]) => sql<
  FormerAddress[]
>`
  select distinct kind, encode(address_hash, 'hex') as hash
  from former_addresses
  where organization_id = ${organizationId} and contact_id = any(${[...contactIds]}::uuid[])
  limit ${MOST_ADDRESSES}`

/**
 * Contacts that were deleted while they had `address` or, before this contact left it, an address
 * that it had. The latest first.
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
 * The contact that was deleted last of those that ever had the address; one that had it to the end
 * comes before others.
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

/** Whether a contact with this id was deleted here. */
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

/** Notes addresses of a contact that is gone, which only its mails told. */
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
