import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

/** What `owner_of` knows: the resources that are found by their id alone. */
export type Owned = 'batch' | 'connection' | 'contact' | 'template'

/**
 * The organization that has this resource, if any. The one look-up by id that crosses
 * organizations: it tells "not yours" from "not there" and is asked on a miss only.
 */
export async function ownerOf(sql: Executor, kind: Owned, id: Uuid): Promise<Uuid | undefined> {
  const [row] = await sql<{ owner: Uuid | null }[]>`select owner_of(${kind}, ${id}::uuid) as owner`
  return row?.owner ?? undefined
}

/** Makes an organization. Only the operator's command line and tests do this. */
export const create = (sql: Executor, { id, name }: { id: Uuid; name: string }) => sql`
  insert into organizations (id, name)
  values (${id}, ${name})`

/** Gives the organization an owner: a new user, or the one who has this address already. */
export const addOwner = async (
  sql: Executor,
  organizationId: Uuid,
  owner: { id: Uuid; email: string; name: string },
) => sql`
  with person as (
    insert into users (id, email, name)
    values (${owner.id}, ${owner.email}, ${owner.name})
    on conflict (email) do update set email = excluded.email
    returning id
  )
  insert into memberships (organization_id, user_id, role)
  select ${organizationId}, id, 'owner'
  from person`
