import type { Uuid } from '../../runtime/ids.ts'
import type { Executor } from '../db/sql.ts'

// Used by the operator's command line as letterloom_worker. The API uses `sessions` and `members`.

export interface User {
  id: Uuid
  email: string
  name: string
  /** Null: no password yet. */
  passwordChangedAt: string | null
  createdAt: string
}

export const list = (sql: Executor) => sql<User[]>`
  select id, email, name, password_changed_at, created_at
  from users
  order by created_at, id`

export async function findByEmail(sql: Executor, email: string): Promise<Uuid | undefined> {
  const [user] = await sql<{ id: Uuid }[]>`
    select id
    from users
    where email = ${email}`
  return user?.id
}

interface NewUser {
  id: Uuid
  email: string
  name: string
  passwordHash: string
}

export async function create(
  sql: Executor,
  { id, email, name, passwordHash }: NewUser,
): Promise<boolean> {
  const { count } = await sql`
    insert into users (id, email, name, password_hash, password_changed_at)
    values (${id}, ${email}, ${name}, ${passwordHash}, now())
    on conflict (email) do nothing`
  return count > 0
}

export async function setPassword(sql: Executor, id: Uuid, passwordHash: string): Promise<void> {
  await sql`
    update users
    set password_hash = ${passwordHash}, password_changed_at = now()
    where id = ${id}`
  await sql`
    update sessions
    set revoked_at = now()
    where user_id = ${id} and revoked_at is null`
}
