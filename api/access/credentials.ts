import type { Uuid } from '../../src/runtime/ids.ts'
import * as apiKeys from '../../src/store/access/api-keys.ts'
import { type Executor, type Sql, within } from '../../src/store/db/sql.ts'
import type { Caller } from '../caller.ts'

const MOST_TOUCHED = 10_000
const MINUTE_MS = 60_000

/** The caller and rights of a token when storage was asked. */
export interface Credential {
  id: Uuid
  caller: Caller
  isExpired: (now: number) => boolean
  touch: (sql: Executor, at: string) => PromiseLike<unknown>
}

export async function keyCredential(sql: Sql, hash: Buffer): Promise<Credential | undefined> {
  const key = await apiKeys.findLive(sql, hash)
  if (!key) return undefined
  const { id, organizationId, scopes, expiresAt } = key
  return {
    id,
    caller: {
      organizationId,
      sql: within(sql, organizationId),
      actor: { kind: 'key', keyId: id },
      scopes,
    },
    isExpired: (now) => expiresAt !== null && Date.parse(expiresAt) <= now,
    touch: (tenant) => apiKeys.touch(tenant, key),
  }
}

/** Returns a recorder of used credentials, once a minute and process. Nobody waits for it. */
export function useNoter(
  log: { warn: (about: object, message: string) => void },
  now: () => number,
): (credential: Credential) => void {
  const touched = new Map<Uuid, number>()
  return ({ id, caller, touch }) => {
    const minute = Math.floor(now() / MINUTE_MS)
    if (touched.get(id) === minute) return
    if (touched.size >= MOST_TOUCHED) touched.clear()
    touched.set(id, minute)
    touch(caller.sql, new Date(minute * MINUTE_MS).toISOString()).then(
      undefined,
      (error: unknown) => {
        log.warn({ err: error }, 'could not note the use of credentials')
      },
    )
  }
}
