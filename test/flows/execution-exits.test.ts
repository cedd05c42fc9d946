import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { matchEvents } from '../../src/core/flows/wait-matching.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { definitionOf, seedFlow } from '../support/flows.ts'
import { seedOrganization } from '../support/seed.ts'
import { standing, receive, receiveAll, seedExecution, seedExitFlow } from '../support/waiting.ts'
import { connectAs } from '../support/logins.ts'

let database: TestDatabase
let api: Sql
const asked: { query: string; parameters: unknown[] }[] = []
let organizationId: Uuid
let contactId: Uuid
beforeAll(async () => {
  database = await createDatabase()
  api = connectAs(database.url, {
    name: 'exits',
    role: 'letterloom_api',
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
})
beforeEach(async () => {
  ;({ organizationId } = await seedOrganization(database.sql))
  contactId = await contact(organizationId)
})
afterAll(async () => {
  await api.end()
  await database.drop()
})

async function contact(of: Uuid): Promise<Uuid> {
  const id = uuidv7()
  await database.sql`
    insert into contacts (organization_id, id, email)
    values (${of}, ${id}, ${`${id}@example.com`})`
  return id
}
const flow = (exitEvents: string[]) => seedExitFlow(database.sql, organizationId, exitEvents)
const execution = (
  flowId: Uuid,
  more: {
    contactId?: Uuid
    eventId?: Uuid
    occurredAt?: string
    status?: string
    version?: number
  } = {},
) => seedExecution(database.sql, { organizationId, flowId, contactId, ...more })
const bought = (sql = within(api, organizationId)) =>
  receive(sql, organizationId, { contactId, name: 'bought' })
const arrived = (names: string[]) =>
  names.map((name) => ({
    id: uuidv7(),
    contactId,
    name,
    properties: {},
    occurredAt: new Date().toISOString(),
    receivedAt: new Date().toISOString(),
  }))
const row = (id: Uuid) => standing(database.sql, id)

describe('an event that ends executions', () => {
  test('ends those of its contact whose flow says so, from every status, and tells their runs', async () => {
    const [ending, other] = [await flow(['left', 'bought']), await flow(['left'])]
    const live = await Promise.all(
      ['pending', 'active', 'paused', 'waiting'].map((status) => execution(ending, { status })),
    )
    const kept = [
      await execution(other),
      await execution(ending, { contactId: await contact(organizationId) }),
    ]
    const over = await Promise.all(
      ['completed', 'failed'].map((status) => execution(ending, { status })),
    )
    expect((await bought()).resumed).toBe(0)
    expect(await Promise.all(live.map(row))).toEqual(live.map(() => 'cancelled exit_on'))
    expect(await Promise.all(kept.map(row))).toEqual(['active', 'active'])
    expect(await Promise.all(over.map(row))).toEqual(['completed', 'failed'])
    const told = await database.sql`
      select payload ->> 'workflowId' as id
      from outbox
      where organization_id = ${organizationId} and kind = 'cancel_execution'`
    expect(told.map(({ id }) => String(id)).toSorted()).toEqual(
      live.map((id) => `execution/${id}/1`).toSorted(),
    )
    const [counted] = await database.sql`
      select sum(cancelled)::int as cancelled
      from flow_counters
      where flow_id = ${ending}`
    expect(counted).toEqual({ cancelled: 4 })
  })

  test('is another organization’s never, though it knows the id of the contact', async () => {
    const id = await execution(await flow(['bought']))
    const { organizationId: stranger } = await seedOrganization(database.sql)
    for (const sql of [within(api, stranger), database.sql]) {
      await sql.begin((tx) => matchEvents(tx, stranger, arrived(['bought'])))
    }
    expect(await row(id)).toBe('active')
  })

  test('goes by the version that the execution runs', async () => {
    const flowId = await flow(['bought'])
    const second = definitionOf({ steps: [], settings: { exitOn: { events: ['left'] } } })
    await database.sql`
      insert into flow_versions (organization_id, flow_id, version, definition)
      values (${organizationId}, ${flowId}, 2, ${database.sql.json(second)})`
    const [old, fresh] = [await execution(flowId), await execution(flowId, { version: 2 })]
    await bought()
    expect([await row(old), await row(fresh)]).toEqual(['cancelled exit_on', 'active'])
  })

  test('ends what an earlier one of the same request started, not what it or a later one did', async () => {
    const flowId = await flow(['bought'])
    const started: Uuid[] = []
    // Between what waits take and what is stored, executions are started.
    const start = async (eventId: Uuid, occurredAt: string) => {
      started.push(await execution(flowId, { eventId, occurredAt }))
    }
    const names = ['signed_up', 'bought', 'signed_up']
    const events = arrived(names)
    await database.sql.begin((tx) => matchEvents(tx, organizationId, events))
    for (const { id, occurredAt } of events) await start(id, occurredAt)
    await database.sql.begin((tx) => matchEvents(tx, organizationId, events))
    expect(await Promise.all(started.map(row))).toEqual(['cancelled exit_on', 'active', 'active'])
  })

  test('ends what an earlier event of the same request started, as it is taken in', async () => {
    const { flowId } = await seedFlow(database.sql, organizationId, {
      steps: [],
      trigger: { type: 'event', name: 'signed_up' },
      settings: { exitOn: { events: ['bought'] } },
    })
    await database.sql`update flows set trigger_key = 'signed_up' where id = ${flowId}`
    const sent = ['bought', 'signed_up', 'bought', 'signed_up'].map((name) => ({ contactId, name }))
    await receiveAll(within(api, organizationId), organizationId, sent)
    const ended = await database.sql<{ status: string; reason: string | null }[]>`
      select status, reason from executions where flow_id = ${flowId} order by id`
    expect(ended.map(({ status, reason }) => [status, reason])).toEqual([
      ['cancelled', 'exit_on'],
      ['pending', null],
    ])
  })

  test('ends none when it happened before the execution began, which may be before it came', async () => {
    const flowId = await flow(['bought'])
    const ago = (ms: number) => new Date(Date.now() - ms)
    const boughtAt = (occurredAt: Date) =>
      receive(within(api, organizationId), organizationId, {
        contactId,
        name: 'bought',
        occurredAt,
      })
    const byCall = await execution(flowId)
    const [signedUp] = await receiveAll(database.sql, organizationId, [
      { contactId, name: 'signed_up', occurredAt: ago(3_600_000) },
    ])
    const byEvent = await execution(flowId, { eventId: signedUp!.id })
    const rows = () => Promise.all([byCall, byEvent].map(row))
    await boughtAt(ago(3_601_000))
    expect(await rows()).toEqual(['active', 'active'])
    // Both were sent late, in the order in which they happened.
    await boughtAt(ago(3_599_000))
    expect(await rows()).toEqual(['active', 'cancelled exit_on'])
    await bought()
    expect(await rows()).toEqual(['cancelled exit_on', 'cancelled exit_on'])
  })

  test('costs a look into two small indexes where nothing runs, whatever else there is', async () => {
    const flowId = await flow(['bought'])
    for (let i = 0; i < 50; i++) await execution(flowId, { status: 'completed' })
    await database.sql`
      insert into executions (organization_id, id, flow_id, version, contact_id, dedupe_key)
      select ${organizationId}, gen_random_uuid(), ${flowId}, 1, gen_random_uuid(),
        gen_random_uuid()
      from generate_series(1, 2000)`
    await database.sql`
      insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind,
        event_name, since, expires_at)
      select organization_id, id, 'wait', 1, contact_id, 'event', 'bought', now(), now()
      from executions
      where organization_id = ${organizationId} and status = 'pending'`
    await bought()
    asked.length = 0
    const events = arrived(['bought', 'left', 'bought'])
    const bound = within(api, organizationId)
    expect(await bound.begin((tx) => matchEvents(tx, organizationId, events))).toEqual([0, 0, 0])
    const statements = asked.filter(({ query }) => /\bfrom\b/.test(query))
    expect(statements).toHaveLength(2)
    const plans = () =>
      bound.begin(async (tx) => {
        const texts: string[] = []
        for (const { query, parameters } of statements) {
          const lines = await tx.unsafe(
            `explain (analyze, timing off) ${query}`,
            parameters as never[],
          )
          texts.push(
            lines.map((line) => String(line['QUERY PLAN'] ?? line['queryPlan'])).join('\n'),
          )
        }
        return texts
      })
    // A young table has no statistics: at worst what this contact's flows have done is read.
    for (const text of await plans()) {
      expect(text).not.toMatch(/Seq Scan|actual rows=\d{2}|Rows Removed by \w+: (?!50$)/m)
    }
    await database.admin`analyze executions, waits`
    const [exits, waits] = await plans()
    expect(exits).toMatch(/using executions_contact_live .*actual rows=0/)
    expect(waits).toMatch(/using waits_event .*actual rows=0/)
    for (const text of [exits, waits]) expect(text).not.toContain('Rows Removed')
  })
})

test('the same events again do nothing more', async () => {
  const id = await execution(await flow(['bought']))
  await receiveAll(database.sql, organizationId, [
    { contactId, name: 'bought' },
    { contactId, name: 'bought' },
  ])
  expect(await row(id)).toBe('cancelled exit_on')
  await bought()
  const [counted] = await database.sql`
    select sum(cancelled)::int as cancelled from flow_counters where organization_id = ${organizationId}`
  expect(counted).toEqual({ cancelled: 1 })
})
