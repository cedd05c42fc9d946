import { conflict } from '../../domain/errors.ts'
import {
  type HookEventType,
  MOST_HOOK_ENDPOINTS,
  MOST_IN_FLIGHT,
} from '../../domain/hooks/hook-event.ts'
import { isUuid, type Uuid, uuidv7 } from '../../runtime/ids.ts'
import { hookSecretPlace, seal } from '../../keys/sealing.ts'
import type { Keyring } from '../../keys/tokens.ts'
import { newSigningSecret } from '../../keys/webhook-signatures.ts'
import type {
  HookEndpoint,
  HookEndpointInput,
  HookEndpointPatch,
} from '../../schemas/hooks/hook-endpoint.ts'
import * as organizations from '../../store/access/organizations.ts'
import type { Transaction } from '../../store/db/sql.ts'
import * as hookDeliveries from '../../store/hooks/hook-deliveries.ts'
import * as hookEndpoints from '../../store/hooks/hook-endpoints.ts'
import { type Actor, recordAudit } from '../access/audit.ts'
import { missing } from '../access/ownership.ts'
import { endOutage } from './end-outage.ts'
import { hookUrl } from './hook-url.ts'

const OVERLAP_MS = 86_400_000

export interface HookContext {
  tx: Transaction
  organizationId: Uuid
  keyring: Keyring
  actor: Actor
  /** Receivers may have no TLS: in development. */
  allowsHttp: boolean
  /** Dispatchers among which endpoints are shared out. */
  shards: number
}

/** Creates an endpoint. The secret is part of this answer only. */
export async function createEndpoint(
  context: HookContext,
  {
    url,
    description = null,
    eventTypes,
    sources = null,
    maxInFlight = MOST_IN_FLIGHT,
  }: HookEndpointInput,
): Promise<HookEndpoint & { secret: string }> {
  const { tx, organizationId, keyring, allowsHttp, shards } = context
  const storedUrl = hookUrl(url, { allowsHttp })
  await organizations.lock(tx, organizationId)
  if ((await hookEndpoints.count(tx, organizationId)) >= MOST_HOOK_ENDPOINTS) {
    throw conflict(
      `An organization can have ${MOST_HOOK_ENDPOINTS} webhook endpoints. Delete one that is not needed.`,
      { reason: 'endpoint_limit' },
    )
  }
  const id = uuidv7()
  const secret = newSigningSecret()
  await hookEndpoints.create(tx, {
    organizationId,
    id,
    shard: shardOf(id, shards),
    url: storedUrl,
    description,
    eventTypes,
    sources,
    maxInFlight,
    sealedSecret: seal(keyring, 'hook-secret', hookSecretPlace(organizationId, id), secret),
  })
  await audit(context, 'webhook_endpoint.created', id, { eventTypes })
  return { ...(await load(context, id)), secret }
}

const shardOf = (id: Uuid, shards: number): number => Number.parseInt(id.slice(-6), 16) % shards

/** Changes what the patch names. Enabling sends or drops what was held. */
export async function changeEndpoint(
  context: HookContext,
  id: string,
  { enabled, held = 'send', ...settings }: HookEndpointPatch,
): Promise<HookEndpoint> {
  const { tx, organizationId, allowsHttp } = context
  const stored = await lockAndLoad(context, id)
  const changed = { ...stored, ...settings }
  if (settings.url !== undefined) changed.url = hookUrl(settings.url, { allowsHttp })
  await hookEndpoints.change(tx, organizationId, id, changed)
  if (enabled === false) await hookEndpoints.disable(tx, organizationId, id)
  if (enabled === true) {
    await hookEndpoints.enable(tx, { organizationId, id, dropsHeld: held === 'drop' })
    const { failingSince } = stored
    if (failingSince !== null) await endOutage(tx, organizationId, id, Date.parse(failingSince))
  }
  const names = Object.keys({ ...settings, ...(enabled === undefined ? {} : { enabled }) })
  await audit(context, 'webhook_endpoint.changed', id, { fields: names })
  return load(context, id)
}

/** Gives an endpoint another secret. Both sign for a day. */
export async function rotateEndpointSecret(
  context: HookContext,
  id: string,
): Promise<{ secret: string; previousSecretUntil: string }> {
  const { tx, organizationId, keyring } = context
  const secret = newSigningSecret()
  const key = { organizationId, id }
  const sealed = seal(keyring, 'hook-secret', hookSecretPlace(organizationId, id), secret)
  const until = isUuid(id) ? await hookEndpoints.rotate(tx, key, sealed, OVERLAP_MS) : undefined
  if (until === undefined) throw await missing(tx, 'webhook_endpoint', organizationId, id)
  await audit(context, 'webhook_endpoint.secret_rotated', id)
  return { secret, previousSecretUntil: until }
}

export async function deleteEndpoint(context: HookContext, id: string): Promise<void> {
  const { tx, organizationId } = context
  const wasThere = isUuid(id) && (await hookEndpoints.remove(tx, organizationId, id))
  if (!wasThere) throw await missing(tx, 'webhook_endpoint', organizationId, id)
  await audit(context, 'webhook_endpoint.deleted', id)
}

/** Queues a sample event, whatever the endpoint wants and whether it is enabled. */
export async function testEndpoint(
  context: HookContext,
  id: string,
  type: HookEventType | undefined,
): Promise<{ deliveryId: Uuid }> {
  const { tx, organizationId } = context
  const { eventTypes } = await lockAndLoad(context, id)
  const deliveryId = uuidv7()
  const key = { organizationId, endpointId: id, id: deliveryId }
  await hookDeliveries.createTest(tx, key, type ?? eventTypes[0] ?? 'contact.created')
  await audit(context, 'webhook_endpoint.tested', id)
  return { deliveryId }
}

/** Returns the endpoint, locked. Throws a 404 or 403 if the organization does not have it. */
export async function lockAndLoad(
  { tx, organizationId }: Pick<HookContext, 'tx' | 'organizationId'>,
  id: string,
): Promise<HookEndpoint> {
  const isThere = isUuid(id) && (await hookEndpoints.lock(tx, organizationId, id))
  if (!isThere) throw await missing(tx, 'webhook_endpoint', organizationId, id)
  return load({ tx, organizationId }, id)
}

async function load(
  { tx, organizationId }: Pick<HookContext, 'tx' | 'organizationId'>,
  id: Uuid,
): Promise<HookEndpoint> {
  const endpoint = await hookEndpoints.find(tx, organizationId, id)
  if (!endpoint) throw new Error('an endpoint is gone that this transaction has locked')
  return endpoint
}

export const audit = (
  { tx, organizationId, actor }: Pick<HookContext, 'tx' | 'organizationId' | 'actor'>,
  action: string,
  id: Uuid,
  detail?: Record<string, unknown>,
): Promise<void> =>
  recordAudit(tx, organizationId, actor, {
    action,
    subject: { kind: 'webhook_endpoint', id },
    ...(detail === undefined ? {} : { detail }),
  })
