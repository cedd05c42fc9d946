import type { Uuid } from '../ids.ts'
import type { Sql, Transaction } from './sql.ts'

/** What a rotation needs of a connection that `register` holds. */
interface Rotation {
  organizationId: Uuid
  connectionId: Uuid
  /** SHA-256 of the new secret. */
  hash: Buffer
  /** Secrets that may be good at once. */
  most: number
}

/**
 * Makes `hash` the present secret; those before it stay good for 24 hours from the rotation that
 * replaced them. False, and nothing changes: as many as may be are good already. The caller holds
 * the connection's row.
 */
export async function rotate(
  tx: Transaction,
  { organizationId, connectionId, hash, most }: Rotation,
): Promise<boolean> {
  await tx`
    delete from connection_secrets
    where organization_id = ${organizationId} and connection_id = ${connectionId}
      and valid_until <= clock_timestamp()`
  const [row] = await tx<{ good: number }[]>`
    select count(*) as good
    from connection_secrets
    where organization_id = ${organizationId} and connection_id = ${connectionId}`
  if ((row?.good ?? 0) >= most) return false
  await tx`
    update connection_secrets
    set valid_until = clock_timestamp() + interval '24 hours'
    where organization_id = ${organizationId} and connection_id = ${connectionId}
      and valid_until is null`
  await tx`
    insert into connection_secrets (organization_id, connection_id, hash)
    values (${organizationId}, ${connectionId}, ${hash})`
  return true
}

/** None of them is good any more. */
export const forget = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  delete from connection_secrets
  where organization_id = ${organizationId} and connection_id = ${connectionId}`

/** What proves that a delivery event comes from an account's own event bus. */
export interface WebhookProof {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
  secretHash: Buffer
  /** Null: the present one. */
  validUntil: string | null
}

/**
 * Every good secret of every connection of an account number. Crosses organizations: the secret
 * decides which it is.
 */
export const listProofs = (sql: Sql, accountId: string) => sql<WebhookProof[]>`
  select organization_id, id, account_id, region, secret_hash, valid_until
  from webhook_proofs(${accountId})`
