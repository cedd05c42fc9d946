import { MockActivityEnvironment } from '@temporalio/testing'
import { Webhook } from 'standardwebhooks'
import { createDrainHooks, type DrainHooksDeps } from '../../activities/hooks/drain-hooks.ts'
import { HOOK_EVENT_TYPES } from '../../src/domain/hooks/hook-event.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { hookSecretPlace, seal } from '../../src/keys/sealing.ts'
import type { Keyring } from '../../src/keys/tokens.ts'
import { newSigningSecret } from '../../src/keys/webhook-signatures.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import type { Client } from './api.ts'
import { bodyOf, type createServers } from './servers.ts'

export interface HookCall {
  path: string
  headers: Record<string, string>
  body: string
  // Tests know the type.
  // oxlint-disable-next-line typescript/no-explicit-any
  event: any
}

/** Answer of a receiver: a status with body and headers, none at all, or a broken connection. */
export type HookAnswer =
  | number
  | { status: number; body?: string; headers?: Record<string, string> }
  | 'hangs'
  | 'resets'

/** A receiver on loopback that notes what it is called with. */
export async function startHookReceiver(
  { http }: Pick<ReturnType<typeof createServers>, 'http'>,
  answer: (call: HookCall) => HookAnswer | Promise<HookAnswer> = () => 200,
) {
  const calls: HookCall[] = []
  const port = await http(async (request, response) => {
    const body = await bodyOf(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const call = { path: request.url ?? '', headers, body, event: JSON.parse(body) }
    calls.push(call)
    const answered = await answer(call)
    if (answered === 'hangs') return
    if (answered === 'resets') return void request.socket.resetAndDestroy()
    const {
      status,
      body: text,
      headers: more,
    } = typeof answered === 'number'
      ? { status: answered, body: undefined, headers: undefined }
      : answered
    response.writeHead(status, more).end(text)
  })
  return { url: `http://127.0.0.1:${port}`, calls }
}

/** Throws if the call's signature is not one of the secret's. */
export const verifyCall = (secret: string, { headers, body }: HookCall): unknown =>
  new Webhook(secret).verify(body, headers)

/** Creates an endpoint of all types, or those in `input`. */
export async function createEndpoint(
  client: Client,
  url: string,
  input: object = {},
): Promise<{ id: Uuid; secret: string }> {
  const { status, text, body } = await client.post('/v1/webhook-endpoints', {
    url,
    eventTypes: HOOK_EVENT_TYPES,
    ...input,
  })
  if (status !== 201) throw new Error(`refused with ${status}: ${text}`)
  return body
}

interface SeededEndpoint {
  organizationId: Uuid
  url: string
  shard: number
  isDisabled?: boolean
}

/** Writes endpoints of all types past the API, with `count` deliveries that wait for each. */
export async function seedEndpoints(
  sql: Sql,
  keyring: Keyring,
  endpoints: readonly SeededEndpoint[],
  count: number,
): Promise<Uuid[]> {
  const ids = endpoints.map(() => uuidv7())
  const sealed = endpoints.map(({ organizationId }, n) => {
    const place = hookSecretPlace(organizationId, ids[n] ?? '')
    return seal(keyring, 'hook-secret', place, newSigningSecret()).toString('hex')
  })
  await sql`
    insert into hook_endpoints (organization_id, id, shard, url, event_types, sealed_secret,
      disabled_at, disabled_reason)
    select organization_id, id, shard, url, ${[...HOOK_EVENT_TYPES]}, decode(sealed, 'hex'),
      case when is_disabled then now() end, case when is_disabled then 'requested' end
    from unnest(
      ${endpoints.map(({ organizationId }) => organizationId)}::uuid[],
      ${ids}::uuid[],
      ${endpoints.map(({ shard }) => shard)}::smallint[],
      ${endpoints.map(({ url }) => url)}::text[],
      ${sealed}::text[],
      ${endpoints.map(({ isDisabled = false }) => String(isDisabled))}::text[]::boolean[]
    ) as e (organization_id, id, shard, url, sealed, is_disabled)`
  await sql`
    insert into hook_deliveries (organization_id, id, endpoint_id, event_id, type, occurred_at,
      priority, state, attempts, tries)
    select organization_id, new_delivery_id(), id, gen_random_uuid(), 'contact.deleted', now(), 1,
      'pending', 0, '[]'
    from hook_endpoints
    cross join generate_series(1, ${count})
    where id = any(${ids}::uuid[])`
  return ids
}

/** Runs the dispatchers' activity, by default until nothing is due. */
export function createDrainer(
  deps: Pick<DrainHooksDeps, 'sql' | 'keyring'> & Partial<DrainHooksDeps>,
) {
  const drainHooks = createDrainHooks({
    fetcher: createFetcher({ allowed: ['127.0.0.1'] }),
    warmMs: 0,
    ...deps,
  })
  const drain = (shard: number) => new MockActivityEnvironment().run(() => drainHooks({ shard }))
  return {
    drain,
    /** Drains a shard until it is stopped. */
    start(shard: number) {
      const environment = new MockActivityEnvironment()
      const running = environment.run(() => drainHooks({ shard }))
      return {
        stop: async () => {
          environment.cancel()
          await running
        },
      }
    },
    /** Drains the shards of these endpoints. */
    async drainOf(...ids: Uuid[]): Promise<void> {
      const rows = await deps.sql<{ shard: number }[]>`
        select distinct shard from hook_endpoints where id = any(${ids}::uuid[])`
      await Promise.all(rows.map(({ shard }) => drain(shard)))
    },
  }
}

/** Makes everything due that waits for an endpoint, and opens its gate. */
export async function makeDue(sql: Sql, endpointId: Uuid): Promise<void> {
  await sql`
    update hook_queue set due_at = now() - interval '1 second' where endpoint_id = ${endpointId}`
  await sql`
    update hook_endpoints set gate_until = now() - interval '1 second'
    where id = ${endpointId} and gate_until is not null`
}

/** Moves everything about an endpoint back, as if so much time had passed. */
export async function letTimePass(sql: Sql, endpointId: Uuid, ms: number): Promise<void> {
  const passed = sql`${ms} * interval '1 millisecond'`
  await sql`
    update hook_queue set due_at = due_at - ${passed}, queued_at = queued_at - ${passed}
    where endpoint_id = ${endpointId}`
  await sql`
    update hook_deliveries
    set tries = (
      select coalesce(jsonb_agg(each || jsonb_build_object('at',
        to_jsonb((each ->> 'at')::timestamptz - ${passed})) order by position), '[]')
      from jsonb_array_elements(tries) with ordinality as t (each, position)
    )
    where endpoint_id = ${endpointId}`
  await sql`
    update hook_endpoints
    set gate_until = gate_until - ${passed}, failing_since = failing_since - ${passed},
      disabled_at = disabled_at - ${passed}, drop_before = drop_before - ${passed}
    where id = ${endpointId}`
  // Since when an endpoint fails tells one notice from another.
  await sql`
    update notices
    set period = to_char((period::timestamptz - ${passed}) at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    where subject = ${endpointId} and kind = 'webhook_failing'`
}
