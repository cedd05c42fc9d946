import { randomUUID } from 'node:crypto'
import { conflict } from '../../domain/errors.ts'
import { type Uuid, uuidv7 } from '../../runtime/ids.ts'
import * as connections from '../../store/accounts/connections.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as outbox from '../../store/platform/outbox.ts'
import { type Keyring, newWebhookSecret, sha256 } from '../../keys/tokens.ts'
import { requireRoom } from '../access/plan.ts'
import { rotateSecret } from './rotate-secret.ts'

/**
 * Limit of valid secrets. Each rotation keeps the previous secret for a day, and a client may
 * rotate in a loop.
 */
const MOST_SECRETS = 100
/**
 * Limit of records. Disconnected accounts do not count for the plan and stay in the list, which is
 * a single answer.
 */
const MOST_RECORDS = 10_000

interface Registration {
  accountId: string
  region: string
  name: string | undefined
  features: Record<string, unknown> | undefined
}

interface Registered extends connections.Registered {
  webhookSecret: string
}

/**
 * Registers or updates a cloud account, gives it a new webhook secret and starts its verification.
 * Throws a 402 if the plan has no room for it, and a 409 for too many records or secrets.
 */
export async function register(
  tx: Transaction,
  organizationId: Uuid,
  registration: Registration,
  { keyring, requestId }: { keyring: Keyring; requestId: string },
): Promise<Registered> {
  const { accountId, region } = registration
  await requireRoom(tx, organizationId, 'connections', () =>
    connections.countUnless(tx, { organizationId, accountId, region }),
  )
  const webhookSecret = newWebhookSecret(keyring, accountId)
  const registered = await connections.register(tx, {
    ...registration,
    organizationId,
    id: uuidv7(),
    externalId: randomUUID(),
  })
  const { id: connectionId, created } = registered
  if (created && (await connections.countRecords(tx, organizationId)) > MOST_RECORDS) {
    const message = `The organization has records of ${MOST_RECORDS} accounts, including disconnected ones. Register one of those again`
    throw conflict(message, { reason: 'too_many_connections' })
  }
  const isRotated = await rotateSecret(tx, {
    organizationId,
    connectionId,
    hash: sha256(webhookSecret),
    most: MOST_SECRETS,
  })
  if (!isRotated) {
    const message = `This account has had ${MOST_SECRETS} webhook secrets in 24 hours. Use PATCH to change it without a new secret`
    throw conflict(message, { reason: 'too_many_secrets' })
  }
  const payload = { connectionId }
  await outbox.put(tx, organizationId, { kind: 'verify_connection', payload }, requestId)
  return { ...registered, webhookSecret }
}
