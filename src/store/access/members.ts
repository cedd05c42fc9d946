import type { Role } from '../../domain/access/access.ts'
import type { Uuid } from '../../runtime/ids.ts'
import type { Member } from '../../schemas/access/member.ts'
import type { Executor } from '../db/sql.ts'

interface Place {
  id: Uuid
  createdAt: string
}

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Place | undefined; limit: number },
) => sql<Member[]>`
  select u.id, u.email, coalesce(m.given_name, u.name) as name, m.role, m.created_at
  from memberships m
  join users u on u.id = m.user_id
  where m.organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and (m.created_at, m.user_id) < (${before.createdAt}, ${before.id})`}
  order by m.created_at desc, m.user_id desc
  limit ${limit}`

export async function find(
  sql: Executor,
  organizationId: Uuid,
  userId: Uuid,
): Promise<Member | undefined> {
  const [member] = await sql<Member[]>`
    select u.id, u.email, coalesce(m.given_name, u.name) as name, m.role, m.created_at
    from memberships m
    join users u on u.id = m.user_id
    where m.organization_id = ${organizationId} and m.user_id = ${userId}`
  return member
}

/**
 * Returns whether a member has this address. Only members are read: looking up the address itself
 * would take a different time if somebody else had it.
 */
export async function hasAddress(
  sql: Executor,
  organizationId: Uuid,
  email: string,
): Promise<boolean> {
  const [row] = await sql<{ isMember: boolean }[]>`
    with own as materialized (
      select u.email
      from memberships m
      join users u on u.id = m.user_id
      where m.organization_id = ${organizationId}
    )
    select exists (select from own where email = ${email}) as is_member`
  return row?.isMember === true
}

/** Returns the person with this address, or creates one with this id and name. Cross-tenant. */
export async function findOrAddPerson(
  sql: Executor,
  person: { id: Uuid; email: string; name: string },
): Promise<Uuid> {
  const [row] = await sql<{ id: Uuid }[]>`
    select find_or_add_person(${person.id}, ${person.email}, ${person.name}) as id`
  if (!row) throw new Error('an upsert returned no row')
  return row.id
}

interface NewMember {
  organizationId: Uuid
  userId: Uuid
  role: Role
  /** Display name chosen by the inviter. Null: the name of the person's account. */
  givenName: string | null
}

export async function add(
  sql: Executor,
  { organizationId, userId, role, givenName }: NewMember,
): Promise<boolean> {
  const { count } = await sql`
    insert into memberships (organization_id, user_id, role, given_name)
    values (${organizationId}, ${userId}, ${role}, ${givenName})
    on conflict do nothing`
  return count > 0
}

export async function setRole(
  sql: Executor,
  {
    organizationId,
    userId,
    role,
    at,
  }: {
    organizationId: Uuid
    userId: Uuid
    role: Role
    at: string
  },
): Promise<void> {
  await sql`
    update memberships
    set role = ${role}
    where organization_id = ${organizationId} and user_id = ${userId}`
  await sql`
    update sessions
    set revoked_at = ${at}
    where organization_id = ${organizationId} and user_id = ${userId} and revoked_at is null`
}

/** Also ends their sessions in this organization. */
export const remove = (sql: Executor, organizationId: Uuid, userId: Uuid) => sql`
  delete from memberships
  where organization_id = ${organizationId} and user_id = ${userId}`

export async function countOwners(sql: Executor, organizationId: Uuid): Promise<number> {
  const [row] = await sql<{ owners: number }[]>`
    select count(*) as owners
    from memberships
    where organization_id = ${organizationId} and role = 'owner'`
  return row?.owners ?? 0
}
