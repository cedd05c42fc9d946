/**
 * Webhooks out:
 *
 *   npx tsx test/bench/hooks.ts [deliveries] [events]
 *
 * 1. Deliveries a second to a receiver with TLS on loopback, a process of its own: from due rows to
 *    delivered rows, ten endpoints of ten organizations, all shards in this process.
 * 2. Delivery events that one applier applies a second: without endpoints, and with one that wants
 *    everything, in turn.
 *
 * A Postgres of its own is thrown away afterwards.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { MockActivityEnvironment } from '@temporalio/testing'
import { createDrainHooks } from '../../activities/hooks/drain-hooks.ts'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { HOOK_EVENT_TYPES } from '../../src/domain/hooks/hook-event.ts'
import { hookSecretPlace, seal } from '../../src/keys/sealing.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { newSigningSecret } from '../../src/keys/webhook-signatures.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { connect, type Sql, transact } from '../../src/store/db/sql.ts'
import * as hookEndpoints from '../../src/store/hooks/hook-endpoints.ts'
import { HOOK_SHARDS } from '../../workflows/contract.ts'
import { withPostgres } from '../support/bench-postgres.ts'
import { testAuthority, testCertificate } from '../support/certificates.ts'
import { insertSent } from '../support/figures.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

const RECEIVER = 'receiver'
const ORGANIZATIONS = 10
const ROUNDS = 3
const keyring = parseKeyring(newKeyringText())
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

if (process.argv[2] === RECEIVER) await receive()
else await measure()

/** Serves 204 to everything, and tells its parent the port. */
async function receive(): Promise<void> {
  const server = createServer(testCertificate, (request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}

async function measure(): Promise<void> {
  const [deliveries = 20_000, events = 10_000] = process.argv.slice(2).map(Number)
  const receiver = fork(fileURLToPath(import.meta.url), [RECEIVER], {
    execArgv: ['--import', 'tsx'],
  })
  const [port]: number[] = await once(receiver, 'message')
  const url = `https://127.0.0.1:${port}/`
  await withPostgres(async (server) => {
    const sql = connect(server.url, { name: 'bench', max: 8, statementTimeoutMs: 600_000 })
    try {
      await migrate(sql)
      await deliver(sql, url, deliveries)
      await apply(sql, url, events)
    } finally {
      await sql.end()
      receiver.kill()
    }
  })
}

async function addEndpoint(sql: Sql, organizationId: string, url: string): Promise<void> {
  const id = uuidv7()
  const place = hookSecretPlace(organizationId, id)
  await transact(sql, (tx) =>
    hookEndpoints.create(tx, {
      organizationId,
      id,
      shard: Number.parseInt(id.slice(-6), 16) % HOOK_SHARDS,
      url,
      description: null,
      eventTypes: HOOK_EVENT_TYPES,
      sources: null,
      maxInFlight: 10,
      sealedSecret: seal(keyring, 'hook-secret', place, newSigningSecret()),
    }),
  )
}

async function deliver(sql: Sql, url: string, count: number): Promise<void> {
  const each = Math.ceil(count / ORGANIZATIONS)
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const { organizationId } = await seedOrganization(sql)
    await addEndpoint(sql, organizationId, url)
    await seedContacts(sql, organizationId, each)
    await sql`
      insert into hook_deliveries
      select d.*
      from contacts c
      cross join lateral hook_deliveries_of(c.organization_id, 'contact.created', now(), '', c.id,
        null, null, null, null, null, null, 1, null) d
      where c.organization_id = ${organizationId}`
  }
  await sql`analyze`
  const drainHooks = createDrainHooks({
    sql,
    keyring,
    fetcher: createFetcher({ allowed: ['127.0.0.1'], ca: testAuthority }),
  })
  const [begin, cpu] = [performance.now(), process.cpuUsage()]
  const shards = Array.from({ length: HOOK_SHARDS }, (_, shard) => shard)
  await Promise.all(
    shards.map((shard) => new MockActivityEnvironment().run(() => drainHooks({ shard }))),
  )
  const [row] = await sql<{ delivered: number; seconds: number }[]>`
    select count(*) as delivered,
      extract(epoch from max((tries -> 0 ->> 'at')::timestamptz)
        - min((tries -> 0 ->> 'at')::timestamptz))::float8 as seconds
    from hook_deliveries
    where state = 'delivered'`
  const { user, system } = process.cpuUsage(cpu)
  const { delivered = 0, seconds = 0 } = row ?? {}
  say(
    `${delivered} of ${each * ORGANIZATIONS} delivered: ${(delivered / seconds).toFixed(0)}/s; ${((user + system) / 1_000 / delivered).toFixed(2)} ms of the worker's processor each; ${((performance.now() - begin) / 1_000).toFixed(1)} s in all`,
  )
  await sql`delete from hook_endpoints`
}

async function apply(sql: Sql, url: string, count: number): Promise<void> {
  const rates = { without: [] as number[], with: [] as number[] }
  for (let round = -1; round < ROUNDS; round++) {
    const ways = ['without', 'with'] as const
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const rate = await applyOnce(sql, way === 'with' ? url : undefined, count)
      if (round >= 0) rates[way].push(rate)
    }
  }
  const [without, withOne] = [median(rates.without), median(rates.with)]
  say(
    `delivery events applied by one applier: ${without.toFixed(0)}/s without endpoints, ${withOne.toFixed(0)}/s with one that wants all: ${(withOne / without).toFixed(2)}`,
  )
}

/** Two events of each of so many mails. Returns how many were applied a second. */
async function applyOnce(sql: Sql, url: string | undefined, count: number): Promise<number> {
  const seeded = await seedOrganization(sql)
  const { organizationId, connectionId } = seeded
  if (url !== undefined) await addEndpoint(sql, organizationId, url)
  const sentAt = new Date().toISOString()
  const mails = await insertSent(
    sql,
    seeded,
    Array.from({ length: count / 2 }, () => ({ sentAt })),
  )
  await sql`
    update messages set recipient = 'reader@example.com' where organization_id = ${organizationId}`
  const bodies = mails.flatMap(({ bucket, id }) =>
    (['Delivery', 'Open'] as const).map((eventType) => ({
      detail: {
        eventType,
        mail: {
          timestamp: sentAt,
          messageId: `m-${id}`,
          tags: {
            'letterloom-message': [`${bucket}_${id}`],
            'letterloom-organization': [organizationId],
          },
        },
        [eventType.toLowerCase()]: {
          timestamp: new Date().toISOString(),
          userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        },
      },
    })),
  )
  for (let from = 0; from < bodies.length; from += 500) {
    const page = bodies.slice(from, from + 500)
    await sql`
      insert into inbound_events (organization_id, connection_id, envelope_id, body)
      select ${organizationId}, ${connectionId}, id, body::jsonb
      from unnest(${page.map(() => uuidv7())}::text[], ${page.map((each) => JSON.stringify(each))}::text[])
        as given (id, body)`
  }
  await sql`analyze messages`
  const begin = performance.now()
  let applied = 0
  for (let some = -1; some !== 0; applied += Math.max(some, 0))
    some = await applyEvents(sql, keyring)
  return applied / ((performance.now() - begin) / 1_000)
}
