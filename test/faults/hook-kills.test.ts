import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Client, createClient } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { connectSandbox, SENDER, startSystem, type System } from '../../src/main/dev/system.ts'
import { findTemporal, startTemporal } from '../../src/main/dev/temporal.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { guarantee } from '../support/guarantee.ts'
import { startHookReceiver, verifyCall } from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'
import { killAndWait } from '../support/system.ts'

const KILLS = sized(4, 20)
const READERS = sized(100, 500)
/** The batch is sent for as long as programs are killed. */
const MAILS_A_SECOND = 5
const REFUSED_SHARE = 0.1
/** Until something happened that happens sooner or later. */
const PATIENCE_MS = 600_000
const silent = (): void => {}

const servers = createServers()
let folder: string
let postgres: Awaited<ReturnType<typeof startPostgres>>
let temporal: Awaited<ReturnType<typeof startTemporal>>
let system: System

const ownPostgres = (port: number) =>
  startPostgres({ folder: join(folder, 'postgres'), port, log: silent })
const ownTemporal = async (port: number) =>
  startTemporal({
    binary: await findTemporal({ cacheFolder: inject('cacheFolder'), log: silent }),
    folder: join(folder, 'temporal'),
    port,
    namespace: 'default',
    searchAttributes: SEARCH_ATTRIBUTES,
    log: silent,
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'letterloom-hook-kills-'))
  // As root, Postgres runs under another user, who must be able to come in.
  await chmod(folder, 0o755)
  postgres = await ownPostgres(await freePort())
  temporal = await ownTemporal(await freePort())
  const config = readConfig({
    LETTERLOOM_HOME: folder,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    PORT: '0',
    SANDBOX_PORT: '0',
  })
  system = await startSystem(config, folder, silent)
})
afterAll(async () => {
  await system.stop()
  await temporal.stop()
  await postgres.stop()
  await servers.close()
  await rm(folder, { recursive: true, force: true })
})

const kills: (() => Promise<void>)[] = [
  () => killAndWait(system.worker),
  () => killAndWait(system.api),
  async () => {
    const port = Number(new URL(`http://${temporal.address}`).port)
    process.kill(temporal.pid, 'SIGKILL')
    await temporal.stop()
    temporal = await ownTemporal(port)
  },
  async () => {
    process.kill(postgres.pid, 'SIGKILL')
    await postgres.stop()
    postgres = await ownPostgres(postgres.port)
  },
]

interface Tenant {
  client: Client
  organizationId: Uuid
}

async function addTenant(): Promise<Tenant> {
  const { organizationId, key } = await createOrganization(system.sql, {
    name: 'Cats Ltd',
    ownerEmail: 'owner@letterloom.example',
    ownerName: 'Owner',
    plan: 'enterprise',
  })
  const client = createClient({ baseUrl: system.apiUrl, token: key })
  const account = { accountId: '444455556669', maxSendRate: MAILS_A_SECOND, max24Hour: 1e8 }
  await connectSandbox(system, client, account)
  return { client, organizationId }
}

async function startBatch({ client, organizationId }: Tenant): Promise<Uuid> {
  const contacts = Array.from({ length: READERS }, (_, n) => ({ email: `reader-${n}@example.com` }))
  const { results } = await client.post('/v1/contacts/batch', { body: { contacts } })
  const { id } = await client.post('/v1/batch', {
    body: {
      audienceType: 'contacts',
      contactIds: results.flatMap((each) => each.id ?? []),
      from: SENDER,
      subject: 'News',
      htmlContent: '<p>Hello</p>',
    },
  })
  await system.sql`
    update batches set unknown_outcome = 'retry'
    where organization_id = ${organizationId} and id = ${id}`
  return id
}

/** Creates contacts and deletes some of them, whatever fails, until `signal` ends it. */
async function changeContacts({ client }: Tenant, signal: AbortSignal): Promise<Set<Uuid>> {
  const knownIds = new Set<Uuid>()
  for (let n = 0; !signal.aborted; n++) {
    const contact = await client
      .post('/v1/contacts', { body: { email: `visitor-${n}@example.com` } })
      .catch(() => undefined)
    if (contact === undefined) await sleep(50)
    else knownIds.add(contact.id)
    if (contact && n % 3 === 0) {
      const params = { path: { id: contact.id } }
      await client.delete('/v1/contacts/{id}', { params }).catch(silent)
    }
    await sleep(20)
  }
  return knownIds
}

const idsOf = (rows: readonly { id: Uuid }[]): Set<Uuid> => new Set(rows.map(({ id }) => id))

async function readFacts({ organizationId }: Tenant, batchId: Uuid, knownIds: Set<Uuid>) {
  const contacts = await system.sql<{ id: Uuid }[]>`
    select id from contacts where organization_id = ${organizationId}`
  const mails = await system.sql<{ id: Uuid; isDelivered: boolean }[]>`
    select id, delivered_at is not null as is_delivered
    from messages
    where organization_id = ${organizationId} and batch_id = ${batchId} and state = 'sent'`
  const living = idsOf(contacts)
  return {
    living,
    deleted: new Set([...knownIds].filter((id) => !living.has(id))),
    sent: idsOf(mails),
    delivered: idsOf(mails.filter(({ isDelivered }) => isDelivered)),
  }
}

/** Resolves when nothing of the batch, its delivery events and the webhooks is open. */
const settled = ({ organizationId }: Tenant, batchId: Uuid): Promise<unknown> =>
  until(async () => {
    // Deliveries that were refused would wait for up to hours.
    await system.sql`
      update hook_queue set due_at = now() where due_at > now() + interval '46 seconds'`
    const [open] = await system.sql<{ isBatchOpen: boolean; rows: number }[]>`
      select
        (select status from batches where id = ${batchId}) <> 'completed' as is_batch_open,
        (select count(*) from hook_queue)::int
          + (select count(*) from inbound_events where applied_at is null)::int
          + (select count(*) from messages
            where organization_id = ${organizationId} and state = 'sent' and delivered_at is null)::int
          as rows`
    return open?.isBatchOpen === false && open.rows === 0
  }, PATIENCE_MS)

it(
  'every fact arrives with one id although workers, the API, Temporal and Postgres are killed, and no other',
  async () => {
    const tenant = await addTenant()
    let signingSecret = ''
    const unverifiedCalls: unknown[] = []
    const receiver = await startHookReceiver(servers, (call) => {
      try {
        // A signature is valid for five minutes.
        verifyCall(signingSecret, call)
      } catch (error) {
        unverifiedCalls.push(error)
      }
      return Math.random() < REFUSED_SHARE ? 503 : 204
    })
    const eventTypes = [
      'contact.created',
      'contact.deleted',
      'email.sent',
      'email.delivered',
      'batch.completed',
    ] as const
    const created = await tenant.client.post('/v1/webhook-endpoints', {
      body: { url: receiver.url, eventTypes: [...eventTypes] },
    })
    signingSecret = String(created.secret)
    const batchId = await startBatch(tenant)
    const ending = new AbortController()
    const changing = changeContacts(tenant, ending.signal)
    for (let n = 0; n < KILLS; n++) {
      const calls = receiver.calls.length
      await until(async () => receiver.calls.length > calls, PATIENCE_MS)
      await sleep(Math.random() * 500)
      await kills[n % kills.length]?.()
    }
    ending.abort()
    const knownIds = await changing
    await settled(tenant, batchId)
    const facts = await readFacts(tenant, batchId, knownIds)

    const arrived = (type: (typeof eventTypes)[number], subject: string): Set<Uuid> =>
      new Set(
        receiver.calls
          .filter(({ event }) => event.type === type)
          .map(({ event }) => String(event.data[subject].id)),
      )
    const createdIds = arrived('contact.created', 'contact')
    guarantee(() => {
      expect([...facts.living].filter((id) => !createdIds.has(id))).toEqual([])
      const known = new Set([...facts.living, ...facts.deleted])
      expect([...createdIds].filter((id) => !known.has(id))).toEqual([])
      expect(arrived('contact.deleted', 'contact')).toEqual(facts.deleted)
      expect(facts.sent.size).toBe(READERS)
      expect(arrived('email.sent', 'email')).toEqual(facts.sent)
      expect(arrived('email.delivered', 'email')).toEqual(facts.delivered)
      expect(arrived('batch.completed', 'batch')).toEqual(new Set([batchId]))
    })
    const factOf = (event: { type: string; data: Record<string, { id: string }> }): string =>
      `${event.type} ${Object.values(event.data).find((each) => each?.id)?.id}`
    const factsByEvent = new Map<string, Set<string>>()
    const eventsByFact = new Map<string, Set<string>>()
    for (const { event } of receiver.calls) {
      const add = (map: Map<string, Set<string>>, key: string, value: string) =>
        map.set(key, (map.get(key) ?? new Set()).add(value))
      add(factsByEvent, event.id, factOf(event))
      add(eventsByFact, factOf(event), event.id)
    }
    const ambiguous = [...factsByEvent, ...eventsByFact].filter(([, others]) => others.size > 1)
    guarantee(() => expect(ambiguous).toEqual([]))
    expect(unverifiedCalls).toEqual([])
  },
  PATIENCE_MS * 2,
)
