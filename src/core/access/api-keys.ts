import type { KeyScope } from '../../domain/access/access.ts'
import { refuse } from '../../domain/errors.ts'
import { toUtc } from '../../domain/times.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import type { ApiKey } from '../../schemas/access/api-key.ts'
import * as apiKeys from '../../store/access/api-keys.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { newApiKey } from '../../keys/tokens.ts'
import { type Actor, recordAudit } from './audit.ts'
import { missing } from './ownership.ts'

interface KeyInput {
  name: string
  scopes?: readonly KeyScope[] | undefined
  /** ISO 8601. Absent: the key works until it is revoked. */
  expiresAt?: string | undefined
}

/** Creates an API key, of full scope by default. The key is part of this answer only. */
export async function createKey(
  tx: Transaction,
  organizationId: Uuid,
  { name, scopes = ['full'], expiresAt }: KeyInput,
  actor: Actor,
): Promise<ApiKey & { key: string }> {
  const { key, prefix, hash } = newApiKey()
  const created = await apiKeys.create(tx, {
    organizationId,
    id: uuidv7(),
    name,
    prefix,
    hash,
    scopes,
    expiresAt: futureTime(expiresAt, actor.now),
  })
  await recordAudit(tx, organizationId, actor, {
    action: 'api_key.created',
    subject: { kind: 'api_key', id: created.id },
    detail: { scopes: created.scopes },
  })
  return { ...created, key }
}

export async function renameKey(
  tx: Transaction,
  organizationId: Uuid,
  { id, name }: { id: string; name: string },
  actor: Actor,
): Promise<ApiKey> {
  const renamed = isUuid(id) ? await apiKeys.rename(tx, { organizationId, id, name }) : undefined
  if (!renamed) throw await missing(tx, 'api_key', organizationId, id)
  const subject = { kind: 'api_key', id }
  await recordAudit(tx, organizationId, actor, { action: 'api_key.renamed', subject })
  return renamed
}

/**
 * Revokes a key permanently. Returns whether it was live. Throws a 404 or 403 if the organization
 * does not have it.
 */
export async function revokeKey(
  tx: Transaction,
  organizationId: Uuid,
  id: string,
  actor: Actor,
): Promise<boolean> {
  const wasLive = isUuid(id) ? await apiKeys.revoke(tx, organizationId, id) : undefined
  if (wasLive === undefined) throw await missing(tx, 'api_key', organizationId, id)
  const subject = { kind: 'api_key', id }
  if (wasLive) await recordAudit(tx, organizationId, actor, { action: 'api_key.revoked', subject })
  return wasLive
}

function futureTime(expiresAt: string | undefined, now: number): string | undefined {
  if (expiresAt === undefined) return undefined
  const utc = toUtc(expiresAt) ?? refuse('expiresAt', 'must be a time between the years 1 and 9999')
  if (Date.parse(utc) <= now) refuse('expiresAt', 'must be in the future')
  return utc
}
