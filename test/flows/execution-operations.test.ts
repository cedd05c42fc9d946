import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { admitWithinLimit } from '../../src/core/flows/concurrency.ts'
import * as operations from '../../src/core/flows/retry-and-cancel.ts'
import * as executionRuns from '../../src/store/flows/runs.ts'
import * as executionSteps from '../../src/store/flows/steps.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  executionRow,
  figures,
  path,
  seedExecutions,
  seedFlow,
  type SeededFlow,
} from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { connectAs } from '../support/logins.ts'

const REQUEST = 'test'
/** Races that run at the same time. */
const AT_ONCE = 5
const RACES = AT_ONCE * sized(30, 200)
let database: TestDatabase
let sql: Sql
let flow: SeededFlow
let organizationId: string
let contactIds: string[]

beforeAll(async () => {
  database = await createDatabase()
  sql = connectAs(database.url, { name: 'operations', role: 'letterloom_worker', max: 12 })
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
  contactIds = await seedContacts(sql, organizationId, 1)
  flow = await seedFlow(sql, organizationId, {
    steps: [
      { id: 'first', type: 'delay', config: { amount: 1, unit: 'days' } },
      { id: 'second', type: 'exit', config: { outcome: 'failed' } },
    ],
  })
})

async function seedOne(): Promise<string> {
  const [executionId = ''] = await seedExecutions(sql, flow, contactIds)
  return executionId
}

/** One that stands at its second step, held by a run. */
async function begun(): Promise<string> {
  const executionId = await seedOne()
  await transact(sql, async (tx) => {
    const key = { organizationId, executionId }
    const fence = { workflowId: `execution/${executionId}/1`, runId: uuidv7() }
    const first = { ...key, ...(await executionRuns.hold(tx, key, fence, 'first')) }
    await executionSteps.enter(tx, first, 'delay')
    const second = await executionSteps.moveOn(tx, first, { status: 'completed' }, 'second')
    await executionSteps.enter(tx, { ...key, stepId: 'second', visit: second?.visit ?? 0 }, 'exit')
  })
  return executionId
}

/** One whose second step failed. */
async function failed(): Promise<string> {
  const executionId = await begun()
  await transact(sql, async (tx) => {
    const key = { organizationId, executionId, stepId: 'second', visit: 1 }
    await executionSteps.finish(tx, key, { status: 'failed', reason: 'no', error: 'No' })
    const ending = { status: 'failed', reason: 'no', error: 'No' } as const
    await executions.end(tx, organizationId, [executionId], ending, { cancelsRuns: false })
  })
  return executionId
}

const retry = (executionId: string, by = organizationId) =>
  transact(sql, (tx) => operations.retry(tx, by, executionId, REQUEST))
const cancel = (executionId: string, by = organizationId) =>
  transact(sql, (tx) => operations.cancel(tx, by, executionId, REQUEST))

const limit = (most: number) => sql`
  update flows set max_concurrent = ${most} where id = ${flow.flowId}`
const admitted = async (attempts: { executionId: string; attempt: number }[]) => [
  ...(await admitWithinLimit(
    sql,
    attempts.map((each) => ({ organizationId, ...each })),
  )),
]

const promises = (executionId: string) =>
  sql<{ kind: string; payload: Record<string, unknown>; requestId: string }[]>`
    select kind, payload, request_id
    from outbox
    where payload::text like ${`%${executionId}%`}
    order by position`

const tally = (outcomes: readonly ({ outcome: string } | undefined)[]) => {
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes.flatMap((each) => each ?? [])) {
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  return counts
}

describe('a retry', () => {
  it('makes the next attempt pending at the failed step, and promises its workflow', async () => {
    const executionId = await failed()
    expect(await figures(sql, flow)).toMatchObject({ started: 1, failed: 1, live: 0 })
    expect(await retry(executionId)).toEqual({ outcome: 'retried' })
    expect(await executionRow(sql, executionId)).toMatchObject({
      status: 'pending',
      attempt: 2,
      reason: null,
      error: null,
      stepId: 'second',
      visit: 1,
    })
    expect(await path(sql, executionId)).toEqual(['first completed', 'second pending try 2'])
    expect(await figures(sql, flow)).toMatchObject({ started: 1, failed: 0, live: 1 })
    const { contactId } = await executionRow(sql, executionId)
    expect(await promises(executionId)).toEqual([
      {
        kind: 'start_execution',
        payload: { executionId, attempt: 2, flowId: flow.flowId, contactId },
        requestId: REQUEST,
      },
    ])
  })

  it('pressed fifty times at once retries once', async () => {
    const executionId = await failed()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => retry(executionId)))
    expect(tally(outcomes)).toEqual({ retried: 1, not_failed: 49 })
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'pending', attempt: 2 })
    expect(await path(sql, executionId)).toEqual(['first completed', 'second pending try 2'])
    expect(await figures(sql, flow)).toMatchObject({ failed: 0, live: 1 })
    expect(await promises(executionId)).toHaveLength(1)
  })

  it('of one that is not failed changes nothing and says what it is', async () => {
    const executionId = await begun()
    expect(await retry(executionId)).toEqual({ outcome: 'not_failed', status: 'active' })
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'active', attempt: 1 })
    expect(await promises(executionId)).toEqual([])
  })

  it('needs a slot of its flow, and stays failed where there is none', async () => {
    await limit(1)
    const executionId = await failed()
    const other = await begun()
    expect(await retry(executionId)).toEqual({ outcome: 'flow_full' })
    expect(await executionRow(sql, executionId)).toMatchObject({
      status: 'failed',
      reason: 'no',
      attempt: 1,
    })
    expect(await path(sql, executionId)).toEqual(['first completed', 'second failed'])
    expect(await promises(executionId)).toEqual([])
    await cancel(other)
    expect(await retry(executionId)).toEqual({ outcome: 'retried' })
    const late = await seedOne()
    expect(await admitted([{ executionId: late, attempt: 1 }])).toEqual([])
    expect(await executionRow(sql, late)).toMatchObject({ reason: 'dropped' })
    expect(await admitted([{ executionId, attempt: 2 }])).toEqual([executionId])
  })

  it('and a start at the same moment do not get the same slot', async () => {
    await limit(3)
    const old = await Promise.all(Array.from({ length: 8 }, failed))
    const fresh = await Promise.all(Array.from({ length: 4 }, seedOne))
    const [retries, ...starts] = await Promise.all([
      Promise.all(old.map((executionId) => retry(executionId))),
      ...fresh.map((executionId) => admitted([{ executionId, attempt: 1 }])),
    ])
    const { retried = 0, flow_full: refused = 0 } = tally(retries)
    expect(retried + starts.flat().length).toBe(3)
    expect(retried + refused).toBe(old.length)
  })

  it('of another organization is none', async () => {
    const executionId = await failed()
    const stranger = (await seedOrganization(sql)).organizationId
    expect(await retry(executionId, stranger)).toBeUndefined()
    expect(await cancel(executionId, stranger)).toBeUndefined()
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'failed', attempt: 1 })
  })
})

describe('a cancellation', () => {
  it('ends a live execution, its open step and its run', async () => {
    const executionId = await begun()
    expect(await cancel(executionId)).toEqual({ outcome: 'cancelled' })
    expect(await executionRow(sql, executionId)).toMatchObject({
      status: 'cancelled',
      reason: 'cancelled_by_api',
    })
    expect(await path(sql, executionId)).toEqual(['first completed', 'second skipped'])
    expect(await figures(sql, flow)).toMatchObject({ cancelled: 1, live: 0 })
    expect(await promises(executionId)).toEqual([
      {
        kind: 'cancel_execution',
        payload: { workflowId: `execution/${executionId}/1` },
        requestId: REQUEST,
      },
    ])
  })

  it('of one that never began tells no run', async () => {
    const executionId = await seedOne()
    expect(await cancel(executionId)).toEqual({ outcome: 'cancelled' })
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'cancelled' })
    expect(await promises(executionId)).toEqual([])
  })

  it('said again is the same, and counts once', async () => {
    const executionId = await begun()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => cancel(executionId)))
    expect(tally(outcomes)).toEqual({ cancelled: 1, already: 19 })
    expect(await figures(sql, flow)).toMatchObject({ cancelled: 1, live: 0 })
    expect(await promises(executionId)).toHaveLength(1)
  })

  it('of a failed one is refused', async () => {
    const executionId = await failed()
    expect(await cancel(executionId)).toEqual({ outcome: 'over', status: 'failed' })
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'failed', reason: 'no' })
  })

  it(`racing with completion ${RACES} times leaves one end, counted once`, async () => {
    const ends: Record<string, number> = {}
    const race = async (): Promise<void> => {
      const executionId = await begun()
      const complete = transact(sql, async (tx) => {
        await executionRuns.lock(tx, { organizationId, executionId })
        const ending = { status: 'completed', reason: null } as const
        return executions.end(tx, organizationId, [executionId], ending, { cancelsRuns: false })
      })
      const [cancelled, completed] = await Promise.all([cancel(executionId), complete])
      const { status } = await executionRow(sql, executionId)
      ends[status] = (ends[status] ?? 0) + 1
      expect(cancelled?.outcome === 'cancelled').toBe(status === 'cancelled')
      expect(completed.length === 1).toBe(status === 'completed')
      expect(await promises(executionId)).toHaveLength(status === 'cancelled' ? 1 : 0)
    }
    for (let done = 0; done < RACES; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, race))
    }
    expect((ends['cancelled'] ?? 0) + (ends['completed'] ?? 0)).toBe(RACES)
    expect(await figures(sql, flow)).toMatchObject({
      started: RACES,
      completed: ends['completed'] ?? 0,
      cancelled: ends['cancelled'] ?? 0,
      failed: 0,
      live: 0,
    })
  })
})
