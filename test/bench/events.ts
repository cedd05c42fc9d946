/**
 * What taking events costs beside a bare insert: the same rows, `unnest` of a thousand a statement,
 * into the same table with its indexes and policies.
 *
 *   npm run build && npx tsx test/bench/events.ts [rounds] [contacts]
 *
 * Taking is what a batch request does in its transaction: rules of each event, contacts looked up
 * and locked, duplicates, whoever waits for such an event, flows that it starts, names, quota. No
 * flow matches: there is one for another event, and one execution that waits for another. All in
 * turn, round after round, by one caller and by four at once. A Postgres of its own is thrown away
 * afterwards.
 *
 * A bare insert takes events of contacts that are not there. So a second one is measured as well:
 * into the same table with a foreign key to contacts.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as Rules from '../../src/core/events/event-rules.ts'
import { monthOf } from '../../src/domain/events/event-quota.ts'
import { AppError } from '../../src/domain/errors.ts'
import { freePort } from '../../src/main/dev/ports.ts'
import { startPostgres } from '../../src/main/dev/postgres.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createOrganization } from '../../src/core/access/organizations.ts'
import type { EventInput } from '../../src/schemas/events/event.ts'
import type * as Ingestion from '../../src/core/events/ingest.ts'
import { makeLogins } from '../../src/store/db/logins.ts'
import { migrate } from '../../src/store/db/migrate.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { connect, type Sql, transact, within } from '../../src/store/db/sql.ts'
import { connectAs } from '../support/logins.ts'

const [rounds = 60, present = 100_000] = process.argv.slice(2).map(Number)
const BATCH = 1_000
const CALLERS = [1, 4]
const WARM = 8

/** Compiled, as the API runs it. */
const load = (path: string): Promise<unknown> =>
  import(new URL(`../../dist/${path}`, import.meta.url).href)
const { toIncomingEvent } = (await load('src/core/events/event-rules.js')) as typeof Rules
const { ingest } = (await load('src/core/events/ingest.js')) as typeof Ingestion

const folder = await mkdtemp(join(tmpdir(), 'letterloom-bench-'))
// As root, Postgres runs under another user, who must be able to come in.
await chmod(folder, 0o755)
const postgres = await startPostgres({
  folder: join(folder, 'postgres'),
  port: await freePort(),
  log: () => {},
  settings: { fsync: 'off' },
})
await makeLogins(postgres.url)
const owner = connect(postgres.url, { name: 'bench', max: 1, statementTimeoutMs: 600_000 })
const pool = () => connectAs(postgres.url, { name: 'bench', role: 'letterloom_api', max: 5 })
const pools = [pool(), pool()]

try {
  await migrate(owner)
  await createPartitions(owner)
  const { organizationId } = await createOrganization(owner, {
    name: 'Bench',
    ownerEmail: 'owner@example.com',
    ownerName: 'Owner',
  })
  await owner`update organizations set plan = 'enterprise'`
  const contactIds = Array.from({ length: present }, () => uuidv7())
  for (let from = 0; from < present; from += 10_000) {
    await owner`
      insert into contacts (organization_id, id, external_id, email, email_status, properties)
      select ${organizationId}, id, 'user-' || id, id || '@example.com', 'active',
        '{"plan":"pro","city":"Berlin","visits":12}'
      from unnest(${contactIds.slice(from, from + 10_000)}::uuid[]) as id`
  }
  await addFlow(owner, organizationId, contactIds[0] ?? '')
  await owner`vacuum analyze contacts`
  await owner`create table keyed_events (like events including all)`
  await owner`
    alter table keyed_events
      add foreign key (organization_id, contact_id) references contacts (organization_id, id)`
  await owner`select protect_tenant_table('keyed_events')`
  const [bareSql, ourSql] = pools.map((each) => within(each, organizationId))
  if (!bareSql || !ourSql) throw new Error('two pools')

  let next = 0
  const batch = (withIds: boolean): EventInput[] =>
    Array.from({ length: BATCH }, (_, n) => ({
      name: 'page_viewed',
      // In no order, and nobody twice.
      contactId: contactIds[(next++ * 7919) % present] ?? '',
      properties: { path: `/products/${n}`, total: n, currency: 'EUR', tags: ['a', 'b'] },
      occurredAt: new Date().toISOString(),
      ...(withIds ? { eventId: uuidv7().split('-').toReversed().join('') } : {}),
    }))

  const bare = (events: readonly EventInput[]) => insertInto('events', events)
  const keyed = (events: readonly EventInput[]) => insertInto('keyed_events', events)
  const insertInto = async (table: string, events: readonly EventInput[]) => {
    const ids = events.map(() => uuidv7())
    const eventIds = events.flatMap(({ eventId }) => eventId ?? [])
    await bareSql`
      insert into ${bareSql(table)} (organization_id, id, contact_id, name, properties, event_id, occurred_at)
      select ${organizationId}, id, contact_id, name, properties::jsonb, event_id, occurred_at
      from unnest(
        ${ids}::uuid[],
        ${events.map(({ contactId }) => contactId ?? '')}::uuid[],
        ${events.map(({ name }) => name)}::text[],
        ${events.map(({ properties }) => JSON.stringify(properties))}::text[],
        ${eventIds}::text[],
        ${events.map(({ occurredAt }) => occurredAt ?? '')}::timestamptz[]
      ) as given (id, contact_id, name, properties, event_id, occurred_at)`
    if (eventIds.length === 0) return
    await bareSql`
      insert into event_ids (organization_id, event_id, request)
      select ${organizationId}, event_id, ${ids[0] ?? ''}
      from unnest(${eventIds}::text[]) as event_id`
  }
  const ours = async (events: readonly EventInput[]) => {
    const now = Date.now()
    await transact(ourSql, async (tx) => {
      const ruled = events.map((event) => toIncomingEvent(event, now))
      const good = ruled.flatMap((each) => (each instanceof AppError ? [] : [each]))
      const { outcomes } = await ingest(tx, organizationId, good, {
        addressOf: () => {
          throw new Error('nobody is made')
        },
        requestId: undefined,
        month: monthOf(now),
      })
      const count = outcomes.filter(({ kind }) => kind === 'stored').length
      if (count !== BATCH) throw new Error('not every event was stored')
    })
  }
  const ways = { bare, keyed, ours }
  const times: Record<string, number[]> = {}
  for (let round = -WARM; round < rounds; round++) {
    for (const callers of CALLERS) {
      for (const withIds of [false, true]) {
        const names = ['bare', 'keyed', 'ours'] as const
        for (const name of round % 2 ? names : names.toReversed()) {
          const batches = Array.from({ length: callers }, () => batch(withIds))
          const begunAt = performance.now()
          await Promise.all(batches.map(ways[name]))
          // The first rounds warm all.
          if (round < 0) continue
          const key = keyOf(name, callers, withIds)
          times[key] = [...(times[key] ?? []), (performance.now() - begunAt) / callers]
        }
      }
    }
  }
  for (const callers of CALLERS) {
    for (const withIds of [false, true]) {
      const at = (name: string, part: number) =>
        quantile(times[keyOf(name, callers, withIds)], part)
      const rate = (name: string) => Math.round((BATCH * 1_000) / at(name, 0.5))
      const ratio = (base: string) =>
        `${(at(base, 0.5) / at('ours', 0.5)).toFixed(2)} (quickest tenth ${(at(base, 0.1) / at('ours', 0.1)).toFixed(2)})`
      console.log(
        `${callers} caller(s)${withIds ? ', with eventId' : ''}: ${rate('ours')} events/s, ` +
          `${ratio('bare')} of a bare insert's ${rate('bare')}, ${ratio('keyed')} of one with a foreign key`,
      )
    }
  }
  console.log(`${present} contacts present`)
} finally {
  await Promise.all([owner.end(), ...pools.map((each) => each.end())])
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}

function keyOf(name: string, callers: number, withIds: boolean): string {
  return `${name} ${callers} ${withIds}`
}

function quantile(values: readonly number[] = [], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * part)] ?? Number.NaN
}

/** An enabled flow for another event, and an execution of it that waits for yet another. */
async function addFlow(sql: Sql, organizationId: string, contactId: string): Promise<void> {
  const [flowId, executionId] = [uuidv7(), uuidv7()]
  await sql`
    insert into flows (organization_id, id, slug, name, enabled, version, trigger_type,
      trigger_key, sealed_secret)
    values (${organizationId}, ${flowId}, 'other', 'Other', true, 1, 'event', 'other', '')`
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    values (${organizationId}, ${flowId}, 1, '{}')`
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status, step_id,
      visit, dedupe_key)
    values (${organizationId}, ${executionId}, ${flowId}, 1, ${contactId}, 'waiting', 'wait', 1,
      ${uuidv7()})`
  await sql`
    insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind,
      event_name, since, expires_at)
    values (${organizationId}, ${executionId}, 'wait', 1, ${contactId}, 'event', 'another',
      now(), now() + interval '1 day')`
}
