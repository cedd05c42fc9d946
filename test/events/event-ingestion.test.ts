import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressed } from '../../src/keys/addresses.ts'
import { monthOf } from '../../src/domain/events/event-quota.ts'
import type { Definition } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type IncomingEvent, ingest } from '../../src/core/events/ingest.ts'
import { holdEvents } from '../../src/store/events/events.ts'
import { type Sql, transact, type Transaction, within } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let sql: Sql
let apiSql: Sql
let organizationId: Uuid
const asked: string[] = []
const keyring = parseKeyring(newKeyringText())

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  apiSql = connectAs(database.url, {
    name: 'test-ingestion',
    role: 'letterloom_api',
    onQuery: (query) => asked.push(query),
  })
})
afterAll(async () => {
  await apiSql.end()
  await database.drop()
})

/** A fresh organization with some contacts. */
async function contacts(count = 1): Promise<Uuid[]> {
  ;({ organizationId } = await seedOrganization(sql))
  return seedContacts(sql, organizationId, count)
}

const event = (contactId: Uuid, name: string, more: Partial<IncomingEvent> = {}): IncomingEvent => {
  const properties = more.properties ?? {}
  const propertiesJson = JSON.stringify(properties)
  const createIfMissing = false
  return {
    contactId,
    name,
    createIfMissing,
    names: {},
    isLate: false,
    ...more,
    properties,
    propertiesJson,
  }
}

const take = (...events: IncomingEvent[]) =>
  transact(within(apiSql, organizationId), async (tx) => {
    const { outcomes } = await ingest(tx, organizationId, events, {
      addressOf: (email) => addressed(keyring, organizationId, email),
      requestId: 'request',
      month: monthOf(Date.now()),
    })
    return outcomes
  })

/** An enabled flow that starts with an event and waits for another. */
async function flow(name: string, waitsFor: string, exitOn: string[] = []): Promise<Uuid> {
  const id = uuidv7()
  const definition: Definition = {
    trigger: { type: 'event', name },
    entry: 'wait',
    steps: [
      {
        id: 'wait',
        type: 'wait_for_event',
        name: 'Wait',
        config: { eventName: waitsFor, timeout: { amount: 1, unit: 'days' } },
      },
    ],
    transitions: [],
    settings: {
      allowReentry: true,
      reentryDelaySeconds: 0,
      maxConcurrentExecutions: null,
      contactCooldownSeconds: 0,
      exitOn: { events: exitOn },
    },
  }
  await sql`
    insert into flows (organization_id, id, slug, name, enabled, version, trigger_type,
      trigger_key, sealed_secret)
    values (${organizationId}, ${id}, ${`flow-${id}`}, 'Flow', true, 1, 'event', ${name}, '')`
  await sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    values (${organizationId}, ${id}, 1, ${sql.json(definition)})`
  return id
}

const executions = (flowId: Uuid) => sql<
  { id: Uuid; contactId: Uuid; status: string; eventId: Uuid; data: object }[]
>`
  select id, contact_id, status, event_id, data from executions where flow_id = ${flowId} order by id`

async function wait(executionId: Uuid, contactId: Uuid, name: string): Promise<void> {
  await sql`
    insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind,
      event_name, since, expires_at)
    values (${organizationId}, ${executionId}, 'wait', 1, ${contactId}, 'event', ${name}, now(),
      now() + interval '1 day')`
}

test('an event starts what it triggers and resumes what waits for it, each counted', async () => {
  const [ada = '', bea = ''] = await contacts(2)
  const flowId = await flow('ordered', 'paid')
  const [first, second] = await take(
    event(ada, 'ordered', { properties: { total: 5 } }),
    event(bea, 'looked'),
  )
  expect(first).toMatchObject({ kind: 'stored', started: 1, resumed: 0 })
  expect(second).toMatchObject({ kind: 'stored', started: 0, resumed: 0 })
  const [execution] = await executions(flowId)
  expect(execution).toMatchObject({ contactId: ada, status: 'pending', data: { total: 5 } })
  expect(first).toMatchObject({ id: execution?.eventId })

  await wait(execution?.id ?? '', ada, 'paid')
  expect(await take(event(bea, 'paid'))).toMatchObject([{ resumed: 0 }])
  expect(await take(event(ada, 'paid'), event(ada, 'paid'))).toMatchObject([
    { resumed: 1 },
    { resumed: 0 },
  ])
  const outbox = await sql<{ kind: string }[]>`
    select kind from outbox where organization_id = ${organizationId} order by position`
  expect(outbox.map(({ kind }) => kind)).toEqual(['start_execution', 'wake_execution'])
})

test('an old event, and a repeated one, starts and resumes nothing', async () => {
  const [ada = ''] = await contacts()
  const flowId = await flow('ordered', 'paid')
  await take(event(ada, 'ordered', { eventId: 'one' }))
  const [execution] = await executions(flowId)
  await wait(execution?.id ?? '', ada, 'paid')
  const outcomes = await take(
    event(ada, 'ordered', { eventId: 'one' }),
    event(ada, 'ordered', { isLate: true }),
    event(ada, 'paid', { isLate: true }),
  )
  expect(outcomes).toMatchObject([
    { kind: 'duplicate' },
    { kind: 'stored', started: 0, resumed: 0 },
    { kind: 'stored', started: 0, resumed: 0 },
  ])
  expect(await executions(flowId)).toHaveLength(1)
  const [{ status } = { status: '' }] = await sql<{ status: string }[]>`
    select status from waits where organization_id = ${organizationId}`
  expect(status).toBe('waiting')
})

test('an event ends what an earlier one of the same request has started, not what it started', async () => {
  const [ada = '', bea = ''] = await contacts(2)
  const flowId = await flow('ordered', 'paid', ['ordered', 'cancelled'])
  await take(event(ada, 'ordered'), event(bea, 'ordered'), event(bea, 'cancelled'))
  const found = await executions(flowId)
  const statuses = found.map(({ contactId, status }) => ({ contactId, status }))
  expect(statuses).toHaveLength(2)
  expect(statuses).toContainEqual({ contactId: ada, status: 'pending' })
  expect(statuses).toContainEqual({ contactId: bea, status: 'cancelled' })
})

test('events that nothing waits for and no flow starts with are not asked about one by one', async () => {
  const [ada = '', bea = ''] = await contacts(2)
  await flow('ordered', 'paid', ['cancelled'])
  asked.length = 0
  await take(event(ada, 'looked'), event(bea, 'clicked'))
  const statements = asked.filter((query) => !/^\s*(?:begin|commit|set)|pg_settings/.test(query))
  expect(statements).toHaveLength(2)
  asked.length = 0
  await take(event(ada, 'cancelled'))
  expect(asked.length).toBeGreaterThan(2)
})

interface Waiting {
  executionId: Uuid
  ada: Uuid
  bea: Uuid
}

/** An execution of Ada's, which is about to wait. */
async function aboutToWait(): Promise<Waiting> {
  const [ada = '', bea = ''] = await contacts(2)
  const flowId = await flow('ordered', 'paid')
  await take(event(ada, 'ordered'))
  const [execution] = await executions(flowId)
  return { executionId: execution?.id ?? '', ada, bea }
}

interface Met {
  resumed: number
  /** Whether the event came, by its time of receipt, when the wait was there. */
  isLater: boolean
  stored: number
}

/** Takes Ada's event while somebody who has locked something registers a wait for it. */
async function meet(
  { executionId, ada }: Waiting,
  lock: (tx: Transaction) => Promise<unknown>,
): Promise<Met | undefined> {
  let taking: ReturnType<typeof take> | undefined
  await transact(sql, async (tx) => {
    await lock(tx)
    taking = take(event(ada, 'paid'))
    // Until it waits for us.
    for (let blocked = 0; blocked === 0; ) {
      const [row] = await database.admin<{ count: number }[]>`
        select count(*) as count from pg_stat_activity
        where application_name = 'test-ingestion' and wait_event_type = 'Lock'`
      blocked = row?.count ?? 0
    }
    await tx`
      insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind,
        event_name, since, expires_at)
      values (${organizationId}, ${executionId}, 'wait', 1, ${ada}, 'event', 'paid',
        clock_timestamp(), now() + interval '1 day')`
  })
  const [outcome] = (await taking) ?? []
  const [met] = await sql<Omit<Met, 'resumed'>[]>`
    select w.since <= e.received_at as is_later, (
        select count(*)
        from events
        where organization_id = ${organizationId} and name = 'paid' and contact_id = ${ada}
      ) as stored
    from waits w
    join events e on e.id = w.matched_event_id
    where w.organization_id = ${organizationId} and w.execution_id = ${executionId}`
  return met && outcome?.kind === 'stored' ? { ...met, resumed: outcome.resumed } : undefined
}
const ONCE_AND_LATER: Met = { resumed: 1, isLater: true, stored: 1 }

test('events that nobody has waited for see who comes to wait while they are stored', async () => {
  const waiting = await aboutToWait()
  const met = await meet(waiting, (tx) => holdEvents(tx, organizationId))
  expect(met).toEqual(ONCE_AND_LATER)
})

const lockRow = (contactId: Uuid) => (tx: Transaction) =>
  tx`select from contacts where id = ${contactId} for no key update`

test('where somebody waits for such events, whoever has a contact’s row makes its events wait', async () => {
  const waiting = await aboutToWait()
  const another = uuidv7()
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, dedupe_key)
    select organization_id, ${another}, flow_id, version, ${waiting.bea}, ${uuidv7()}
    from executions
    where id = ${waiting.executionId}`
  await wait(another, waiting.bea, 'paid')
  expect(await meet(waiting, lockRow(waiting.ada))).toEqual(ONCE_AND_LATER)
})

test('while somebody is being erased, whoever has a contact’s row makes its events wait', async () => {
  const waiting = await aboutToWait()
  const gone = uuidv7()
  await sql`
    insert into erasures (organization_id, id, contact_id, contact_ids)
    values (${organizationId}, ${uuidv7()}, ${gone}, ${[gone]}::uuid[])`
  expect(await meet(waiting, lockRow(waiting.ada))).toEqual(ONCE_AND_LATER)
})

test('a contact deleted meanwhile fails its events and nobody else’s', async () => {
  const [ada = '', bea = ''] = await contacts(2)
  await sql`delete from contacts where id = ${ada}`
  const outcomes = await take(
    event(ada, 'x', { eventId: 'one' }),
    event(bea, 'x', { eventId: 'one' }),
    event(bea, 'y'),
  )
  expect(outcomes).toMatchObject([
    { kind: 'failed', why: 'unknown' },
    { kind: 'stored' },
    { kind: 'stored' },
  ])
  expect(await take(event(bea, 'x', { eventId: 'one' }))).toEqual([{ kind: 'duplicate' }])
})

test('events of the same contacts from many sides, in any order, never deadlock', async () => {
  const ids = await contacts(40)
  const [before] = await sql<{ count: number }[]>`
    select deadlocks as count from pg_stat_database where datname = current_database()`
  await Promise.all(
    Array.from({ length: 24 }, (_, n) => {
      const order = n % 2 ? ids : ids.toReversed()
      return take(
        ...order.map((id, i) => event(id, `name-${i % 5}`, { eventId: `${n % 6}-${id}` })),
      )
    }),
  )
  const [stored] = await sql<{ count: number }[]>`
    select count(*) as count from events where organization_id = ${organizationId}`
  expect(stored?.count).toBe(6 * 40)
  const [after] = await sql<{ count: number }[]>`
    select deadlocks as count from pg_stat_database where datname = current_database()`
  expect(after?.count).toBe(before?.count)
})
