import { createBatchActivities } from '../../activities/batches/batches.ts'
import { restartBatch, stopBatch } from '../../src/core/batches/restart-batch.ts'
import { resumeBatch } from '../../src/core/batches/resume-batch.ts'
import { cancelBatch } from '../../src/core/batches/cancel-batch.ts'
import { completeBatch } from '../../src/core/batches/complete-batch.ts'
import { freezePage } from '../../src/core/batches/freeze-audience.ts'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import type { LiveBatch } from '../../src/store/batches/live-batches.ts'
import { batchRuns as runs, startBatchReconciler } from '../../src/loops/batch-reconciler.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { reconcileClosedRuns, reconcileNextPage } from '../../src/loops/run-reconciler.ts'
import { transact } from '../../src/store/db/sql.ts'
import { batchWorkflowId, CONTROL_QUEUE, type SendBatchInput } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'
import { forgetRuns, listed } from '../support/runs.ts'
import { type Seeded, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

/** A reconciler whose rounds the test makes; nobody works on the runs, which stay open. */
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
const timings = { ...SHORT_TIMINGS, reconcileMs: 100 }
const verifier = {
  verify: () => Promise.reject(new Error('nobody to ask')),
  acceptsConfigurationSet: async () => undefined,
}

let database: TestDatabase
let closeTemporal: () => Promise<void>
let temporal: Client
let seeded: Seeded
const deps = () => ({ sql: database.sql, temporal, timings, log })
const reconcileClosed = () => reconcileClosedRuns(deps(), runs(deps()), Date.now() - 60_000)
const reconcileLive = () => reconcileNextPage(deps(), runs(deps()), undefined)

beforeAll(async () => {
  database = await createDatabase()
  ;({ client: temporal, close: closeTemporal } = await openNamespace())
})
afterAll(async () => {
  await closeTemporal()
  await database.drop()
})
beforeEach(async () => {
  await database.sql`delete from batches`
  await database.sql`delete from outbox`
  seeded = await seedOrganization(database.sql)
})

/** A batch whose start is no longer promised. */
async function seed(status: 'queued' | 'scheduled' | 'processing' = 'processing'): Promise<Uuid> {
  const id = await seedBatch(database.sql, seeded)
  await database.sql`update batches set status = ${status} where id = ${id}`
  await database.sql`update outbox set done_at = now() where payload ->> 'batchId' = ${id}`
  return id
}

/** Opens a run that nobody works on. */
function start(batchId: Uuid, attempt = 1, more: object = {}) {
  const { organizationId } = seeded
  const input: SendBatchInput = { organizationId, batchId, attempt }
  return temporal.workflow.start('sendBatch', {
    workflowId: batchWorkflowId(batchId, attempt),
    taskQueue: CONTROL_QUEUE,
    args: [input],
    searchAttributes: { BatchId: [batchId], Kind: ['batch'] },
    ...more,
  })
}

async function seedRunning(status?: Parameters<typeof seed>[0]) {
  const id = await seed(status)
  return { id, handle: await start(id) }
}

const held = (id: Uuid, attempt = 1): LiveBatch => ({
  organizationId: seeded.organizationId,
  id,
  attempt,
})

interface Row {
  status: string
  failedReason: string | null
  attempt: number
  lostRuns: number
}
const read = async (id: Uuid): Promise<Row> => {
  const [row] = await database.sql<Row[]>`
    select status, failed_reason, attempt, lost_runs from batches where id = ${id}`
  if (!row) throw new Error('there is no such batch')
  return row
}
/** Attempts whose start is promised and not made yet. */
const promised = async (id: Uuid): Promise<number[]> => {
  const rows = await database.sql<{ attempt: number }[]>`
    select (payload ->> 'attempt')::integer as attempt
    from outbox
    where kind = 'start_batch' and done_at is null and payload ->> 'batchId' = ${id}
    order by position`
  return rows.map(({ attempt }) => attempt)
}

test('a run that an operator terminated fails its batch, and no other', async () => {
  const terminated = await seedRunning()
  const untouched = await seedRunning()
  await terminated.handle.terminate('wrong mail')
  await listed(temporal, terminated.handle.workflowId, 'Terminated')
  await reconcileClosed()
  expect(await read(terminated.id)).toMatchObject({
    status: 'failed',
    failedReason: 'stopped_by_operator',
    attempt: 1,
  })
  expect(await promised(terminated.id)).toEqual([])
  expect(await read(untouched.id)).toMatchObject({ status: 'processing', attempt: 1 })
})

test('within half a minute of a termination, with several reconcilers, batches have failed', async () => {
  const running = await Promise.all(Array.from({ length: 20 }, () => seedRunning('scheduled')))
  const loops = [1, 2, 3].map(() => startBatchReconciler(deps()))
  const startedAt = Date.now()
  await Promise.all(running.map(({ handle }) => handle.terminate('enough')))
  await until(async () => {
    const rows = await Promise.all(running.map(({ id }) => read(id)))
    return rows.every(({ failedReason }) => failedReason === 'stopped_by_operator')
  })
  await Promise.all(loops.map((loop) => loop.stop()))
  expect(Date.now() - startedAt).toBeLessThan(30_000)
})

test('a batch that another run has taken over is left to it', async () => {
  const [sameId, retried] = [await seedRunning(), await seedRunning()]
  for (const { handle } of [sameId, retried]) {
    await handle.terminate('to be started again')
    await listed(temporal, handle.workflowId, 'Terminated')
  }
  await start(sameId.id)
  await database.sql`update batches set attempt = 2 where id = ${retried.id}`
  await start(retried.id, 2)
  await reconcileClosed()
  await reconcileLive()
  expect(await read(sameId.id)).toMatchObject({ status: 'processing', attempt: 1 })
  expect(await read(retried.id)).toMatchObject({ status: 'processing', attempt: 2 })
})

test('a run that timed out, or that the server ended at a limit, is started again as the next attempt', async () => {
  const timedOut = await seed()
  const { workflowId } = await start(timedOut, 1, { workflowRunTimeout: '1s' })
  const limited = await seedRunning()
  await limited.handle.terminate('Workflow history count exceeds limit.')
  await listed(temporal, workflowId, 'TimedOut')
  await listed(temporal, limited.handle.workflowId, 'Terminated')
  await reconcileClosed()
  for (const id of [timedOut, limited.id]) {
    expect(await read(id)).toMatchObject({ status: 'processing', attempt: 2, lostRuns: 1 })
    expect(await promised(id)).toEqual([2])
  }
  // The runs that were lost are listed for two more minutes.
  await reconcileClosed()
  await reconcileLive()
  expect(await read(timedOut)).toMatchObject({ attempt: 2, lostRuns: 1 })
  const relay = startOutboxRelay(deps())
  const next = temporal.workflow.getHandle(batchWorkflowId(timedOut, 2))
  await until(() => next.describe().catch(() => undefined))
  await until(async () => (await promised(timedOut)).length === 0)
  await relay.stop()
  await reconcileLive()
  expect(await read(timedOut)).toMatchObject({ status: 'processing', attempt: 2 })
})

test.each(['queued', 'scheduled', 'processing'] as const)(
  'a %s batch whose run is gone with Temporal’s data is started again, one that runs or is promised is not',
  async (status) => {
    const [gone, running] = [await seedRunning(status), await seedRunning(status)]
    const unstarted = await seedBatch(database.sql, seeded)
    await database.sql`update batches set status = ${status} where id = ${unstarted}`
    await forgetRuns(temporal, gone.handle.workflowId)
    expect(await reconcileLive()).toBeUndefined()
    expect(await read(gone.id)).toMatchObject({ status, attempt: 2, lostRuns: 0 })
    expect(await promised(gone.id)).toEqual([2])
    expect(await read(running.id)).toMatchObject({ status, attempt: 1 })
    expect(await read(unstarted)).toMatchObject({ status, attempt: 1 })
    expect(await promised(unstarted)).toEqual([1])
  },
)

test('rounds check in turn more live batches than one of them can', async () => {
  const ids = []
  for (let n = 0; n < 250; n++) ids.push(await seed('scheduled'))
  const after = await reconcileNextPage(deps(), runs(deps()), undefined)
  expect(after).toBe(ids[199])
  expect(await reconcileNextPage(deps(), runs(deps()), after)).toBeUndefined()
  const rows = await database.sql`select distinct attempt from batches`
  expect(rows).toEqual([{ attempt: 2 }])
})

test('a batch fails after three runs without progress, and progress restarts the count', async () => {
  const id = await seed()
  await database.sql`update batches set total_recipients = 9 where id = ${id}`
  const lose = async (run: 'ended' | 'gone' = 'ended') =>
    restartBatch(database.sql, held(id, (await read(id)).attempt), run)
  expect([await lose(), await lose()]).toEqual(['restarted', 'restarted'])
  await database.sql`update batches set sent = 1 where id = ${id}`
  expect([await lose(), await lose('gone'), await lose('gone')]).toEqual(
    Array.from({ length: 3 }, () => 'restarted'),
  )
  expect([await lose(), await lose()]).toEqual(['restarted', 'failed'])
  expect(await read(id)).toMatchObject({ status: 'failed', failedReason: 'run_lost', attempt: 7 })
  await transact(database.sql, (tx) => resumeBatch(tx, seeded.organizationId, id))
  expect([await lose(), await lose(), await lose()]).toEqual(['restarted', 'restarted', 'failed'])
})

test('a run that has sent everything ends although a backup has its rows queued', async () => {
  const { sql } = database
  const id = await seed('queued')
  const run = { organizationId: seeded.organizationId, batchId: id, attempt: 1 }
  await seedContacts(sql, seeded.organizationId, 3)
  await freezePage(sql, { ...run, pageSize: 10, chunkSize: 10 })
  const { completeBatch: complete } = createBatchActivities({ sql, verifier, timings })
  const error = await complete(run).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ type: 'RunAhead', nonRetryable: true })
  await sql`update messages set state = 'unknown', claim_id = id, claimed_at = now()`
  expect(await complete(run)).toBe(false)
})

test('one of several reconcilers restarts a batch, and a newer attempt is left alone', async () => {
  const id = await seed()
  const { sql } = database
  const again = await Promise.all(
    Array.from({ length: 6 }, () => restartBatch(sql, held(id), 'gone')),
  )
  expect(again.filter((each) => each === 'restarted')).toHaveLength(1)
  expect(await promised(id)).toEqual([2])
  expect(await stopBatch(sql, held(id))).toBe(false)
  expect(await read(id)).toMatchObject({ status: 'processing', attempt: 2 })
})

test('a termination that meets the batch’s end, its DELETE or a new attempt changes nothing of them', async () => {
  const { sql } = database
  const { organizationId } = seeded
  const run = (batchId: Uuid) => ({ organizationId, batchId, attempt: 1 })
  const meeting: ((id: Uuid) => Promise<unknown>)[] = [
    (id) => completeBatch(sql, run(id)),
    (id) => transact(sql, (tx) => cancelBatch(tx, organizationId, id)),
    (id) => restartBatch(sql, held(id), 'gone'),
  ]
  const outcomes = ['completed', 'cancelled', 'processing']
  for (const [place, meet] of meeting.entries()) {
    const met = new Set<string>()
    for (let round = 0; round < 30; round++) {
      const id = await seed('queued')
      await freezePage(sql, { ...run(id), pageSize: 10, chunkSize: 10 })
      const [stopped, again] = await Promise.all([
        stopBatch(sql, held(id)),
        stopBatch(sql, held(id)),
        meet(id),
      ])
      const { status, failedReason, attempt } = await read(id)
      expect([stopped, again].filter(Boolean)).toHaveLength(status === 'failed' ? 1 : 0)
      expect(failedReason).toBe(status === 'failed' ? 'stopped_by_operator' : null)
      expect(attempt).toBe(status === 'processing' ? 2 : 1)
      met.add(status)
    }
    for (const status of met) expect([outcomes[place], 'failed']).toContain(status)
  }
})
