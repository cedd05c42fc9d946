import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import type { Sql } from '../../src/store/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { foretell, type Foretold } from '../support/flow-oracle.ts'
import { ownNamespace } from '../support/flow-runs.ts'
import { startFlowWorkers } from '../support/flow-workers.ts'
import { figures, seedExecutions, seedFlow, type SeededFlow } from '../support/flows.ts'
import { randomFlow, randomness } from '../support/random-flows.ts'
import { seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'

/** 1,000 before a release: `FLOW_FAULT_EXECUTIONS=1000 npx vitest run test/faults/flows`. */
const EXECUTIONS = Number(process.env['FLOW_FAULT_EXECUTIONS'] ?? 200)
const FLOWS = 10
const KILLS = 20
const WORKERS = 2
const PATIENCE_MS = 480_000

let database: TestDatabase
let sql: Sql
let temporal: TestTemporal

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = database.sql
})
afterAll(async () => {
  await temporal.close()
  await database.drop()
})

/** What became of an execution, in the words of the oracle. */
async function observe(): Promise<Map<string, Foretold>> {
  const rows = await sql<({ id: string } & Foretold)[]>`
    select e.id, e.status, e.reason, c.properties,
      coalesce(
        (
          select jsonb_agg(
            s.step_id || case when s.visit = 1 then '' else '#' || s.visit end || ' ' || s.status
              || coalesce(' ' || s.branch, '')
            order by s.position
          )
          from execution_steps s
          where s.execution_id = e.id
        ),
        '[]'
      ) as path
    from executions e
    join contacts c on c.id = e.contact_id`
  return new Map(rows.map(({ id, ...rest }) => [id, rest]))
}

it('killed twenty times, one activity in twenty failing, every execution ends as foretold', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  const random = randomness(seed)
  const { organizationId } = await seedOrganization(sql)
  const flows: SeededFlow[] = []
  for (let each = 0; each < FLOWS; each++) {
    flows.push(await seedFlow(sql, organizationId, randomFlow(random)))
  }
  const foretold = new Map<string, Foretold>()
  for (const flow of flows) {
    for (const kind of ['a', 'b']) {
      // Some have a word where a number is expected.
      const contacts = Array.from({ length: EXECUTIONS / FLOWS / 2 }, (_, index) => ({
        id: uuidv7(),
        properties: index % 4 === 0 ? { odd: 'word' } : {},
      }))
      await sql`
        insert into contacts (organization_id, id, email, email_status, properties)
        select ${organizationId}, id, id || '@example.com', 'active', properties
        from jsonb_to_recordset(${sql.json(contacts)}) as given (id uuid, properties jsonb)`
      const ids = contacts.map(({ id }) => id)
      const made = await seedExecutions(sql, flow, ids, { data: { kind }, isPromised: true })
      for (const [index, contact] of contacts.entries()) {
        const id = made[index] ?? ''
        foretold.set(id, foretell(flow.definition, id, contact, { kind }))
      }
    }
  }

  const namespace = await ownNamespace(temporal.connection)
  let ownDeaths = KILLS / 2
  const workers = startFlowWorkers(WORKERS, () => ({
    databaseUrl: database.url,
    address: inject('temporalAddress'),
    namespace,
    bundle: inject('workflowBundle'),
    breakPercent: 5,
    // In the middle of a chain of local steps: what is committed was told to nobody.
    diesAfter: ownDeaths-- > 0 ? 20 + Math.floor(Math.random() * 100) : null,
  }))
  const live = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count
      from executions
      where status in ('pending', 'active', 'paused', 'waiting')`
    return row?.count ?? 0
  }
  try {
    while (workers.deaths() < KILLS) {
      await sleep(300 + Math.random() * 1_500)
      await workers.kill(Math.floor(Math.random() * WORKERS))
    }
    await until(async () => (await live()) === 0, PATIENCE_MS)
  } finally {
    await workers.stop()
  }
  const observed = await observe()
  expect(observed.size).toBe(foretold.size)
  for (const [id, end] of foretold) expect(observed.get(id), `seed ${seed}, ${id}`).toEqual(end)
  for (const flow of flows) {
    const { live: entries, ...counters } = await figures(sql, flow)
    const ends = await sql<{ status: string; count: number }[]>`
      select status, count(*)::int as count
      from executions
      where flow_id = ${flow.flowId}
      group by status`
    expect(entries).toBe(0)
    expect(counters).toEqual({
      started: EXECUTIONS / FLOWS,
      completed: 0,
      failed: 0,
      cancelled: 0,
      dropped: 0,
      ...Object.fromEntries(ends.map(({ status, count }) => [status, count])),
    })
  }
}, 600_000)
