import type { Uuid } from '../ids.ts'
import type { Executor } from './sql.ts'

export interface ApiKey {
  organizationId: Uuid
  id: Uuid
  scopes: string[]
  expiresAt: string | null
  lastUsedAt: string | null
}

/** The live key with this hash. Crosses organizations: the key itself says whose it is. */
export async function findLive(sql: Executor, hash: Buffer): Promise<ApiKey | undefined> {
  const [key] = await sql<ApiKey[]>`
    select organization_id, id, scopes, expires_at, last_used_at
    from live_api_key(${hash})`
  return key
}

/** Notes the minute of use; nothing happens when it is noted already. */
export const touch = (
  sql: Executor,
  { organizationId, id }: Pick<ApiKey, 'organizationId' | 'id'>,
) =>
  sql`
  update api_keys
  set last_used_at = date_trunc('minute', now())
  where organization_id = ${organizationId}
    and id = ${id}
    and (last_used_at is null or last_used_at < date_trunc('minute', now()))`

export interface NewKey {
  organizationId: Uuid
  id: Uuid
  name: string
  prefix: string
  hash: Buffer
  scopes: readonly string[]
  expiresAt?: string | undefined
}

export const create = (sql: Executor, key: NewKey) => sql`
  insert into api_keys (organization_id, id, name, prefix, hash, scopes, expires_at)
  values (${key.organizationId}, ${key.id}, ${key.name}, ${key.prefix}, ${key.hash},
    ${[...key.scopes]}, ${key.expiresAt ?? null})`

/** True when the key was live until now. */
export async function revoke(sql: Executor, organizationId: Uuid, id: Uuid): Promise<boolean> {
  const { count } = await sql`
    update api_keys
    set revoked_at = now()
    where organization_id = ${organizationId} and id = ${id} and revoked_at is null`
  return count > 0
}
