import type { Uuid } from '../../runtime/ids.ts'
import type { Sql, Transaction } from '../db/sql.ts'

export const deleteExpired = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  delete from connection_secrets
  where organization_id = ${organizationId} and connection_id = ${connectionId}
    and valid_until <= statement_timestamp()`

export async function count(
  tx: Transaction,
  organizationId: Uuid,
  connectionId: Uuid,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count
    from connection_secrets
    where organization_id = ${organizationId} and connection_id = ${connectionId}`
  return row?.count ?? 0
}

/** Makes the current secret expire in 24 hours. */
export const expirePresent = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  update connection_secrets
  set valid_until = clock_timestamp() + interval '24 hours'
  where organization_id = ${organizationId} and connection_id = ${connectionId}
    and valid_until is null`

/** `hash`: SHA-256 of the new current secret. */
export const insert = (
  tx: Transaction,
  organizationId: Uuid,
  connectionId: Uuid,
  hash: Buffer,
) => tx`
  insert into connection_secrets (organization_id, connection_id, hash)
  values (${organizationId}, ${connectionId}, ${hash})`

export const forget = (tx: Transaction, organizationId: Uuid, connectionId: Uuid) => tx`
  delete from connection_secrets
  where organization_id = ${organizationId} and connection_id = ${connectionId}`

/**
 * Returns false if no verification of the connection ever succeeded. Cross-tenant: its proof was
 * checked before.
 */
export async function wasEverVerified(sql: Sql, connectionId: Uuid): Promise<boolean> {
  const [row] = await sql<{ isKnown: boolean | null }[]>`
    select was_ever_verified(${connectionId}) as is_known`
  return row?.isKnown === true
}

/** Proof that a delivery event comes from an account's own event bus. */
export interface WebhookProof {
  organizationId: Uuid
  id: Uuid
  accountId: string
  region: string
  secretHash: Buffer
  /** Null: the current secret. */
  validUntil: string | null
}

/**
 * Returns every valid secret of every connection of an account number, of all organizations. The
 * secret decides which connection it is.
 */
export const listProofs = (sql: Sql, accountId: string) => sql<WebhookProof[]>`
  select organization_id, id, account_id, region, secret_hash, valid_until
  from webhook_proofs(${accountId})`
