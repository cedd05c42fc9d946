import type { Uuid } from '../../runtime/ids.ts'
import type { ApiKey } from '../../schemas/access/api-key.ts'
import type { Executor } from '../db/sql.ts'

export interface LiveKey {
  organizationId: Uuid
  id: Uuid
  scopes: string[]
  expiresAt: string | null
  lastUsedAt: string | null
}

/** Returns the live key with this hash. Cross-tenant: the key itself names its organization. */
export async function findLive(sql: Executor, hash: Buffer): Promise<LiveKey | undefined> {
  const [key] = await sql<LiveKey[]>`
    select organization_id, id, scopes, expires_at, last_used_at
    from live_api_key(${hash})`
  return key
}

export const touch = (
  sql: Executor,
  { organizationId, id }: Pick<LiveKey, 'organizationId' | 'id'>,
) =>
  sql`
  update api_keys
  set last_used_at = date_trunc('minute', now())
  where organization_id = ${organizationId}
    and id = ${id}
    and (last_used_at is null or last_used_at < date_trunc('minute', now()))`

const shownColumns = (sql: Executor) => sql`
  id, name, prefix, scopes, expires_at, last_used_at, created_at, revoked_at`

export const list = (
  sql: Executor,
  organizationId: Uuid,
  { before, limit }: { before: Uuid | undefined; limit: number },
) => sql<ApiKey[]>`
  select ${shownColumns(sql)}
  from api_keys
  where organization_id = ${organizationId}
    ${before === undefined ? sql`` : sql`and id < ${before}`}
  order by id desc
  limit ${limit}`

export interface NewKey {
  organizationId: Uuid
  id: Uuid
  name: string
  prefix: string
  hash: Buffer
  scopes: readonly string[]
  expiresAt?: string | undefined
}

export async function create(sql: Executor, key: NewKey): Promise<ApiKey> {
  const [created] = await sql<ApiKey[]>`
    insert into api_keys (organization_id, id, name, prefix, hash, scopes, expires_at)
    values (${key.organizationId}, ${key.id}, ${key.name}, ${key.prefix}, ${key.hash},
      ${[...key.scopes]}, ${key.expiresAt ?? null})
    returning ${shownColumns(sql)}`
  if (!created) throw new Error('an insert returned no row')
  return created
}

export async function rename(
  sql: Executor,
  { organizationId, id, name }: { organizationId: Uuid; id: Uuid; name: string },
): Promise<ApiKey | undefined> {
  const [renamed] = await sql<ApiKey[]>`
    update api_keys
    set name = ${name}
    where organization_id = ${organizationId} and id = ${id}
    returning ${shownColumns(sql)}`
  return renamed
}

/** Returns whether the key was live. Undefined: it does not exist. */
export async function revoke(
  sql: Executor,
  organizationId: Uuid,
  id: Uuid,
): Promise<boolean | undefined> {
  const { count } = await sql`
    update api_keys
    set revoked_at = now()
    where organization_id = ${organizationId} and id = ${id} and revoked_at is null`
  if (count > 0) return true
  const knownKeys = await sql`
    select from api_keys
    where organization_id = ${organizationId} and id = ${id}`
  return knownKeys.length > 0 ? false : undefined
}
