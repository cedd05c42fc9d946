import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connect, type Sql } from '../../src/store/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { endOf, withFlowWorker } from '../support/flow-runs.ts'
import {
  executionRow,
  figures,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
} from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { type TimeSkipping, timeSkipping } from '../support/temporal.ts'

const DAY_MS = 86_400_000
const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
let workerSql: Sql
let time: TimeSkipping
let organizationId: string

beforeAll(async () => {
  ;[database, time] = await Promise.all([createDatabase(), timeSkipping()])
  sql = database.sql
  workerSql = connect(database.url, { name: 'flows', role: 'letterloom_worker' })
})
afterAll(async () => {
  await time.close()
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
})

const deps = () => ({
  sql: workerSql,
  content: { keyring, publicUrl: 'https://mail.example.com' },
  aheadMs: async () => Number(await time.now()) - Date.now(),
})

/** Runs a flow for a new contact to its end, however many days that takes. */
async function run(sketch: FlowSketch, columns: Record<string, unknown> = {}) {
  const flow = await seedFlow(sql, organizationId, sketch)
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  if (Object.keys(columns).length > 0) {
    await sql`update contacts set ${sql(columns)} where id = ${contactId}`
  }
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
  const startedAt = Number(await time.now())
  const end = await withFlowWorker(time, deps(), async ({ start }) =>
    endOf(time.result(await start({ organizationId, executionId }))),
  )
  return {
    end,
    days: (Number(await time.now()) - startedAt) / DAY_MS,
    row: await executionRow(sql, executionId),
    path: await path(sql, executionId),
    figures: await figures(sql, flow),
    contactId,
  }
}

describe('a delay', () => {
  it('of three days takes three days, and the execution is completed', async () => {
    const done = await run({
      steps: [{ id: 'wait', type: 'delay', config: { amount: 3, unit: 'days' } }],
    })
    expect(done.end).toEqual({ status: 'completed', reason: null })
    expect(done.days).toBeGreaterThanOrEqual(3)
    expect(done.days).toBeLessThan(3.01)
    expect(done.row).toMatchObject({ status: 'completed', attempt: 1 })
    expect(done.path).toEqual(['wait completed'])
    expect(done.figures).toMatchObject({ started: 1, completed: 1, live: 0 })
  })
})

describe('an exit', () => {
  it('as failed fails the run with the name of the step, and the execution', async () => {
    const done = await run({
      steps: [
        { id: 'out', name: 'Give up', type: 'exit', config: { outcome: 'failed', reason: 'no' } },
      ],
    })
    expect(done.end).toBe('The step "Give up" failed: no')
    expect(done.row).toMatchObject({ status: 'failed', reason: 'no', stepId: 'out', visit: 1 })
    expect(done.path).toEqual(['out failed'])
    expect(done.figures).toMatchObject({ failed: 1, completed: 0, live: 0 })
  })
})

const vip = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'vip' }] }],
} as const

describe('a condition', () => {
  const sketch: FlowSketch = {
    steps: [
      { id: 'asks', type: 'condition', config: { condition: vip as never } },
      { id: 'rich', type: 'exit', config: { outcome: 'completed', reason: 'rich' } },
      { id: 'poor', type: 'exit', config: { outcome: 'cancelled', reason: 'poor' } },
    ],
    transitions: ['asks:yes>rich', 'asks:no>poor'],
  }

  it('that holds takes its branch', async () => {
    const done = await run(sketch, { properties: { plan: 'vip' } })
    expect(done.end).toEqual({ status: 'completed', reason: 'rich' })
    expect(done.path).toEqual(['asks completed yes', 'rich completed'])
  })

  it('that does not hold takes the other', async () => {
    const done = await run(sketch, { properties: { plan: 'free' } })
    expect(done.end).toEqual({ status: 'cancelled', reason: 'poor' })
    expect(done.row).toMatchObject({ status: 'cancelled', reason: 'poor' })
    expect(done.path).toEqual(['asks completed no', 'poor completed'])
    expect(done.figures).toMatchObject({ cancelled: 1, completed: 0, live: 0 })
  })
})

describe('what ends an execution', () => {
  const waiting = { id: 'wait', type: 'delay', config: { amount: 1, unit: 'days' } } as const

  it('the condition of exitOn does before a step', async () => {
    const done = await run(
      { steps: [waiting], settings: { exitOn: { events: [], condition: vip as never } } },
      { properties: { plan: 'vip' } },
    )
    expect(done.end).toEqual({ status: 'cancelled', reason: 'exit_on' })
    expect(done.path).toEqual([])
    expect(done.days).toBeLessThan(0.01)
  })
})
