import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucketStart, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { consequences } from '../../src/store/events/events.ts'
import * as executionReads from '../../src/store/flows/execution-views.ts'
import { fire } from '../../src/core/flows/triggers.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, type Transaction, transact, within } from '../../src/store/db/sql.ts'
import { FIRST_TURN } from '../../src/store/db/turns.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { seedFlow } from '../support/seed-flow.ts'
import { connectAs } from '../support/logins.ts'

const FLOWS = 5_000
const EXECUTIONS = 50_000
const PROMISES = 20_000

let database: TestDatabase
let organizationId: Uuid
let contactId: Uuid
let flowId: Uuid
let api: Sql
let worker: Sql
const asked: { query: string; parameters: unknown[] }[] = []
const onQuery = (query: string, parameters: unknown[]) => asked.push({ query, parameters })

beforeAll(async () => {
  database = await createDatabase()
  const { sql } = database
  api = connectAs(database.url, { name: 'flow-plans', role: 'letterloom_api', onQuery })
  worker = connectAs(database.url, { name: 'flow-plans', role: 'letterloom_worker', onQuery })
  ;({ organizationId } = await seedOrganization(sql))
  ;[contactId = ''] = await seedContacts(sql, organizationId, 1)
  flowId = await seedFlow(sql, organizationId)
  await sql`
    insert into flows (organization_id, id, slug, name, enabled, version, trigger_type, trigger_key,
      sealed_secret)
    select ${organizationId}, gen_random_uuid(), 'f' || n, 'Flow', true, 1, 'event', 'event-' || n,
      ''
    from generate_series(1, ${FLOWS}) n`
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    select organization_id, id, 1, '{"trigger": {}, "settings": {}}'
    from flows
    where id <> ${flowId}`
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status, dedupe_key,
      finished_at)
    select ${organizationId}, gen_random_uuid(), ${flowId}, 1, gen_random_uuid(),
      case when n % 10000 = 0 then 'failed' else 'completed' end, gen_random_uuid(), now()
    from generate_series(1, ${EXECUTIONS}) n`
  await sql`
    insert into outbox (organization_id, kind, payload, available_at)
    select ${organizationId}, 'start_execution', '{}',
      now() + case when n % 2 = 0 then interval '-1 hour' else interval '1 hour' end
    from generate_series(1, ${PROMISES}) n`
  await database.admin`analyze`
})
afterAll(async () => {
  await Promise.all([api.end(), worker.end()])
  await database.drop()
})

/** Rows that the statement about `table` reads of it, by its plan; run as whoever asked it. */
async function rowsRead(sql: Sql, table: string, act: (sql: Sql) => PromiseLike<unknown>) {
  asked.length = 0
  await act(sql)
  const about = new RegExp(String.raw`\b(?:from|update) ${table}\b`)
  const statement = asked.find(({ query }) => about.test(query))
  if (!statement) throw new Error(`nothing was asked of ${table}`)
  const { query, parameters } = statement
  const lines = await transact(sql, (tx: Transaction) =>
    tx.unsafe(`explain (analyze, timing off) ${query}`, parameters as never[]),
  )
  const plan = lines.map((line) => String(line['queryPlan'] ?? line['QUERY PLAN'])).join('\n')
  const scans = plan.matchAll(
    /Scan(?: \w+)?(?: using \w+)? on (\w+).*?\(actual rows=([\d.]+) loops=(\d+)\)([^]*?)(?=->|$)/g,
  )
  let read = 0
  for (const [, name = '', rows = '', loops = '', below = ''] of scans) {
    if (!name.startsWith(table)) continue
    const [, removed = '0'] = /Rows Removed by Filter: (\d+)/.exec(below) ?? []
    read += (Number(rows) + Number(removed)) * Number(loops)
  }
  return read
}

test('an occurrence that starts no flow costs an index look-up, however many flows there are', async () => {
  const { type, ...event } = {
    type: 'event',
    contactId,
    eventId: uuidv7(),
    properties: {},
  } as const
  for (const [occurrence, most] of [
    [{ type: 'contact_created', contactId }, 0],
    [{ type, name: 'of nobody', ...event }, 0],
    [{ type: 'topic_subscribed', contactId, topicId: uuidv7() }, 0],
    [{ type, name: 'event-7', ...event, contactId: uuidv7() }, 1],
  ] as const) {
    const tell = (sql: Sql) => transact(sql, (tx) => fire(tx, organizationId, [occurrence], 'id'))
    expect(await rowsRead(within(api, organizationId), 'flows', tell)).toBe(most)
  }
})

test('events that may end executions are looked up in versions with such events only', async () => {
  const looked = await rowsRead(within(api, organizationId), 'flow_versions', (sql) =>
    transact(sql, (tx) => consequences(tx, organizationId, ['bought'])),
  )
  expect(looked).toBeLessThanOrEqual(1)
})

test('a lane is read from its beginning, and what is put off is not looked at', async () => {
  // The statement is in a function: what Postgres counts says what it read.
  const read = async (lane: outbox.OutboxLane) => {
    const fetched = async () => {
      const [row] = await database.sql<{ fetched: number }[]>`
        select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::integer as fetched
        from pg_stat_user_tables
        where relname ~ '^outbox_'`
      return row?.fetched ?? 0
    }
    const before = await fetched()
    const taken = await worker.begin(async (tx) => {
      const options = { limit: 50, leaseMs: 60_000, after: FIRST_TURN }
      const { messages: rows } = await outbox.lease(tx as unknown as Sql, lane, options)
      await tx`select pg_stat_force_next_flush()`
      return rows
    })
    return { taken: taken.length, read: (await fetched()) - before }
  }
  const others = await read('others')
  expect(others.taken).toBe(0)
  // Which days have open messages.
  expect(others.read).toBeLessThan(5)
  const { taken, read: rows } = await read('executions')
  expect(taken).toBe(50)
  // Those that are found, and the same again to be written.
  expect(rows).toBeGreaterThanOrEqual(50)
  expect(rows).toBeLessThanOrEqual(150)
})

test('a few failed executions are found among very many, and old ones passed over', async () => {
  const kept = (lowest: Uuid) => ({ since: new Date().toISOString(), lowest })
  const list = (page: object) => (sql: Sql) =>
    executionReads.list(sql, organizationId, {
      flowId,
      limit: 20,
      kept: kept(bucketStart(0)),
      ...page,
    })
  const read = (page: object) => rowsRead(within(api, organizationId), 'executions', list(page))
  expect(await read({})).toBeLessThanOrEqual(40)
  expect(await read({ status: 'failed' })).toBeLessThanOrEqual(20)
  expect(await read({ status: 'waiting' })).toBe(0)
  expect(await read({ kept: kept('ffffffff-ffff-7fff-bfff-ffffffffffff') })).toBe(0)
})
