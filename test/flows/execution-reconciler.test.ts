import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { executionRuns, startExecutionReconciler } from '../../src/loops/execution-reconciler.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { reconcileClosedRuns, reconcileNextPage } from '../../src/loops/run-reconciler.ts'
import * as reconcile from '../../src/core/flows/reconcile.ts'
import * as executions from '../../src/store/flows/executions.ts'
import * as flowCounters from '../../src/store/flows/counters.ts'
import * as heldExecutions from '../../src/store/flows/held-executions.ts'
import { transact } from '../../src/store/db/sql.ts'
import { CONTROL_QUEUE, executionWorkflowId, type RunFlowInput } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'
import { listed } from '../support/runs.ts'
import { seedTriggered } from '../support/scheduled-flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'

/** A reconciler whose rounds the test makes; nobody works on the runs, which stay open. */
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
const timings = { ...SHORT_TIMINGS, reconcileMs: 100, noProgressMs: 1_000 }

let database: TestDatabase
let closeTemporal: () => Promise<void>
let temporal: Client
let organizationId: Uuid
let flowId: Uuid
let contactId: Uuid
const deps = () => ({ sql: database.sql, temporal, timings, log })
const recently = () => Date.now() - 60_000
const reconcileClosed = () => reconcileClosedRuns(deps(), executionRuns(deps()), recently())
const reconcileStill = () => reconcileNextPage(deps(), executionRuns(deps()), undefined)

beforeAll(async () => {
  database = await createDatabase()
  ;({ client: temporal, close: closeTemporal } = await openNamespace())
})
afterAll(async () => {
  await closeTemporal()
  await database.drop()
})
beforeEach(async () => {
  await database.sql`delete from executions`
  await database.sql`delete from outbox`
  ;({ organizationId } = await seedOrganization(database.sql))
  flowId = await seedTriggered(database.sql, organizationId)
  contactId = (await seedContacts(database.sql, organizationId, 1))[0] ?? ''
})

interface Seed {
  status?: string
  fence?: { workflowId: string; runId: string } | undefined
  step?: { status: string; done?: number }
  minutesStill?: number
  flow?: Uuid
}

/** An execution as rows: held by that run, at its step, without progress for so long. */
async function seedExecution(id: Uuid, seed: Seed = {}): Promise<Uuid> {
  const { status = 'active', fence, step, minutesStill = 0, flow = flowId } = seed
  const { sql } = database
  await sql`
    insert into executions (organization_id, id, flow_id, version, contact_id, status,
      fence_workflow_id, fence_run_id, step_id, visit, dedupe_key, progressed_at)
    values (${organizationId}, ${id}, ${flow}, 1, ${contactId}, ${status},
      ${fence?.workflowId ?? null}, ${fence?.runId ?? null}, ${step ? 'rest' : null},
      ${step ? 1 : null}, ${id}, now() - ${minutesStill} * interval '1 minute')`
  if (step) {
    await sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status)
      values (${organizationId}, ${id}, 'rest', 1, 1, 'delay', ${step.status})`
  }
  return id
}

/** Opens a run that nobody works on. */
async function start(workflowId: string, executionId: Uuid, more: object = {}) {
  const input: RunFlowInput = { organizationId, executionId }
  const handle = await temporal.workflow.start('runFlow', {
    workflowId,
    taskQueue: CONTROL_QUEUE,
    args: [input],
    searchAttributes: { ExecutionId: [executionId], Kind: ['execution'] },
    ...more,
  })
  return { handle, fence: { workflowId, runId: handle.firstExecutionRunId } }
}

/** An execution that is held by an open run. */
async function seedHeld(seed: Omit<Seed, 'fence'> = {}) {
  const id = uuidv7()
  const { handle, fence } = await start(executionWorkflowId(id, 1), id)
  await seedExecution(id, { step: { status: 'executing' }, ...seed, fence })
  return { id, handle, fence }
}

interface Row {
  status: string
  reason: string | null
  attempt: number
  fenceRunId: string | null
  lostRuns: number
}
const read = async (id: Uuid): Promise<Row> => {
  const [row] = await database.sql<Row[]>`
    select status, reason, attempt, fence_run_id, lost_runs from executions where id = ${id}`
  if (!row) throw new Error('there is no such execution')
  return row
}
const promises = (id: Uuid) => database.sql<{ kind: string; payload: object }[]>`
  select kind, payload from outbox where payload ->> 'executionId' = ${id} order by position`
const stepOf = async (id: Uuid) => {
  const [row] = await database.sql<{ status: string; reason: string | null }[]>`
    select status, reason from execution_steps where execution_id = ${id}`
  return row
}
test('a run that an operator terminated ends its execution, and no other', async () => {
  const terminated = await seedHeld({ status: 'waiting' })
  const untouched = await seedHeld()
  await terminated.handle.terminate('wrong mail')
  await listed(temporal, terminated.fence.workflowId, 'Terminated')
  await reconcileClosed()
  expect(await read(terminated.id)).toMatchObject({
    status: 'cancelled',
    reason: 'stopped_by_operator',
  })
  expect(await stepOf(terminated.id)).toEqual({ status: 'skipped', reason: 'stopped_by_operator' })
  expect(await promises(terminated.id)).toEqual([])
  expect(await read(untouched.id)).toMatchObject({ status: 'active', attempt: 1 })
  const counters = await flowCounters.read(database.sql, organizationId, [flowId])
  expect(counters.get(flowId)).toMatchObject({ cancelled: 1 })
})

test('within a minute of a termination, also with several reconcilers, the execution is over, once', async () => {
  const held = await Promise.all(Array.from({ length: 20 }, () => seedHeld()))
  const loops = [1, 2, 3].map(() => startExecutionReconciler(deps()))
  const startedAt = Date.now()
  await Promise.all(held.map(({ handle }) => handle.terminate('enough')))
  await until(async () => {
    const rows = await Promise.all(held.map(({ id }) => read(id)))
    return rows.every(({ status }) => status === 'cancelled')
  })
  await Promise.all(loops.map((loop) => loop.stop()))
  expect(Date.now() - startedAt).toBeLessThan(60_000)
  const counters = await flowCounters.read(database.sql, organizationId, [flowId])
  expect(counters.get(flowId)).toMatchObject({ cancelled: 20, failed: 0 })
})

test('an execution that another run has taken stays with it', async () => {
  // Started again under the same id, under another one, and by a retry of the API.
  const [sameId, otherId, retried] = [await seedHeld(), await seedHeld(), await seedHeld()]
  for (const { handle, fence } of [sameId, otherId, retried]) {
    await handle.terminate('to be started again')
    await listed(temporal, fence.workflowId, 'Terminated')
  }
  await start(sameId.fence.workflowId, sameId.id)
  const other = await start('by-hand', otherId.id)
  await database.sql`
    update executions
    set fence_workflow_id = ${other.fence.workflowId}, fence_run_id = ${other.fence.runId}
    where id = ${otherId.id}`
  await database.sql`
    update executions
    set status = 'pending', attempt = 2, fence_workflow_id = null, fence_run_id = null
    where id = ${retried.id}`
  await reconcileClosed()
  for (const { id } of [sameId, otherId]) expect(await read(id)).toMatchObject({ status: 'active' })
  expect(await read(retried.id)).toMatchObject({ status: 'pending', attempt: 2 })
})

test('an execution that a run holds when it is settled is left alone', async () => {
  const { id, fence } = await seedHeld()
  const [held] = await heldExecutions.listLive(database.sql, [id])
  if (!held) throw new Error('it is not live')
  await database.sql`update executions set fence_run_id = 'a newer one' where id = ${id}`
  expect(await reconcile.stop(database.sql, held)).toBe(false)
  expect(await reconcile.restart(database.sql, held)).toBe('kept')
  expect(await read(id)).toMatchObject({ status: 'active', attempt: 1, fenceRunId: 'a newer one' })
  await database.sql`update executions set fence_run_id = ${fence.runId} where id = ${id}`
  const again = await Promise.all([1, 2, 3, 4].map(() => reconcile.restart(database.sql, held)))
  expect(again.toSorted()).toEqual(['kept', 'kept', 'kept', 'restarted'])
  expect(await promises(id)).toHaveLength(1)
})

test('a run that timed out is started again, where it stands, as the next attempt', async () => {
  const id = uuidv7()
  const { fence } = await start(executionWorkflowId(id, 1), id, { workflowRunTimeout: '1s' })
  await seedExecution(id, { fence, step: { status: 'executing' } })
  await listed(temporal, fence.workflowId, 'TimedOut')
  await reconcileClosed()
  expect(await read(id)).toMatchObject({
    status: 'pending',
    attempt: 2,
    fenceRunId: null,
    lostRuns: 1,
  })
  expect(await stepOf(id)).toMatchObject({ status: 'executing' })
  expect(await promises(id)).toEqual([
    { kind: 'start_execution', payload: { executionId: id, attempt: 2, flowId, contactId } },
  ])
  // The run that was lost is listed for two more minutes.
  await reconcileClosed()
  expect(await read(id)).toMatchObject({ attempt: 2, lostRuns: 1 })
  const relay = startOutboxRelay(deps())
  const next = temporal.workflow.getHandle(executionWorkflowId(id, 2))
  expect(await until(() => next.describe().catch(() => undefined))).toMatchObject({
    status: { name: 'RUNNING' },
  })
  await relay.stop()
})

test('a run that the server terminated at a limit is started again too', async () => {
  const { id, handle, fence } = await seedHeld()
  await handle.terminate('Workflow history count exceeds limit.')
  await listed(temporal, fence.workflowId, 'Terminated')
  await reconcileClosed()
  expect(await read(id)).toMatchObject({ status: 'pending', attempt: 2 })
  expect(await promises(id)).toHaveLength(1)
})

test('after three lost runs without progress it fails at its step; progress starts the count anew', async () => {
  const id = await seedExecution(uuidv7(), { step: { status: 'executing' } })
  const lose = async () => {
    const runId = randomUUID()
    await database.sql`
      update executions
      set status = 'active', fence_workflow_id = 'gone', fence_run_id = ${runId}
      where id = ${id}`
    const [held] = await heldExecutions.listLive(database.sql, [id])
    return held && reconcile.restart(database.sql, held)
  }
  expect([await lose(), await lose()]).toEqual(['restarted', 'restarted'])
  await database.sql`
    update execution_steps set status = 'completed', finished_at = now() where execution_id = ${id}`
  expect([await lose(), await lose()]).toEqual(['restarted', 'restarted'])
  await database.sql`update execution_steps set status = 'executing' where execution_id = ${id}`
  expect([await lose(), await lose()]).toEqual(['restarted', 'restarted'])
  expect(await lose()).toBe('failed')
  expect(await read(id)).toMatchObject({ status: 'failed', reason: 'run_lost', attempt: 7 })
  expect(await stepOf(id)).toEqual({ status: 'failed', reason: 'run_lost' })
  const counters = await flowCounters.read(database.sql, organizationId, [flowId])
  expect(counters.get(flowId)).toMatchObject({ failed: 1 })
  expect(await promises(id)).toHaveLength(6)
})

test('an execution without progress is checked: forgotten by Temporal it goes on, running it stays', async () => {
  const stillFor = { minutesStill: 20 }
  const forgotten = await seedExecution(uuidv7(), {
    ...stillFor,
    status: 'paused',
    fence: { workflowId: `execution/${randomUUID()}/1`, runId: randomUUID() },
  })
  const running = await seedHeld(stillFor)
  const terminated = await seedHeld(stillFor)
  await terminated.handle.terminate()
  const unpromised = await seedExecution(uuidv7(), { ...stillFor, status: 'pending' })
  const promised = await seedExecution(uuidv7(), { ...stillFor, status: 'pending' })
  await database.sql`
    insert into outbox (organization_id, kind, payload)
    values (${organizationId}, 'start_execution', ${database.sql.json({ executionId: promised })})`
  const asleep = await seedExecution(uuidv7(), {
    minutesStill: -60,
    status: 'paused',
    fence: { workflowId: 'asleep', runId: 'asleep' },
  })
  expect(await reconcileStill()).toBeUndefined()
  expect(await read(forgotten)).toMatchObject({ status: 'pending', attempt: 2 })
  expect(await promises(forgotten)).toHaveLength(1)
  expect(await read(running.id)).toMatchObject({ status: 'active', attempt: 1 })
  expect(await read(terminated.id)).toMatchObject({ status: 'cancelled' })
  expect(await read(unpromised)).toMatchObject({ status: 'pending', attempt: 1 })
  expect(await promises(unpromised)).toEqual([
    {
      kind: 'start_execution',
      payload: { executionId: unpromised, attempt: 1, flowId, contactId },
    },
  ])
  expect(await promises(promised)).toHaveLength(1)
  expect(await read(asleep)).toMatchObject({ status: 'paused', attempt: 1 })
  // Its new promise is not kept yet, and it is not promised once more.
  await database.sql`update executions set progressed_at = now() - interval '1 hour'`
  await reconcileStill()
  expect(await promises(unpromised)).toHaveLength(1)
})

test('executions of a deleted flow are ended in pages, by several processes once each', async () => {
  const deleted = await seedTriggered(database.sql, organizationId)
  const kept = await seedExecution(uuidv7())
  const ids = []
  for (let n = 0; n < 25; n++) {
    ids.push(await seedExecution(uuidv7(), { flow: deleted, status: 'waiting' }))
  }
  await database.sql`update flows set enabled = false, deleted_at = now() where id = ${deleted}`
  const pages = async () => {
    let ended = 0
    for (;;) {
      const page = await reconcile.endOfDeletedFlows(database.sql, 10)
      if (page === 0) return ended
      ended += page
    }
  }
  const counts = await Promise.all([pages(), pages(), pages()])
  expect(counts.reduce((sum, count) => sum + count)).toBe(25)
  for (const id of ids) {
    expect(await read(id)).toMatchObject({ status: 'cancelled', reason: 'workflow_deleted' })
  }
  expect(await read(kept)).toMatchObject({ status: 'active' })
  const counters = await flowCounters.read(database.sql, organizationId, [deleted, flowId])
  expect(counters.get(deleted)).toMatchObject({ cancelled: 25 })
  expect(counters.get(flowId)).toBeUndefined()
})

test('an execution that ends while its lost run is settled is over, once', async () => {
  for (let round = 0; round < 20; round++) {
    const { id } = await seedHeld()
    const [held] = await heldExecutions.listLive(database.sql, [id])
    if (!held) throw new Error('it is not live')
    const ending = { status: 'completed', reason: null } as const
    await Promise.all([
      reconcile.stop(database.sql, held),
      transact(database.sql, (tx) => executions.end(tx, organizationId, [id], ending)),
    ])
    expect(['completed', 'cancelled']).toContain((await read(id)).status)
  }
  const counters = await flowCounters.read(database.sql, organizationId, [flowId])
  const { completed = 0, cancelled = 0 } = counters.get(flowId) ?? {}
  expect(completed + cancelled).toBe(20)
})
