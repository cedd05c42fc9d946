import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createFlowActivities } from '../../activities/flows/flows.ts'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { startExecutionReconciler } from '../../src/loops/execution-reconciler.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { CONTROL_QUEUE, executionWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { newNamespace, until } from '../support/engine.ts'
import { executionRow, figures, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { forgetRuns } from '../support/runs.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { connectAs } from '../support/logins.ts'

const EXECUTIONS = 60
const REFLECTED_MS = 120_000
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }

let database: TestDatabase
let workerSql: Sql
let connection: Connection
let native: NativeConnection
let temporal: Client
let stop: () => Promise<void>

beforeAll(async () => {
  const address = inject('temporalAddress')
  ;[database, connection, native] = await Promise.all([
    createDatabase(),
    Connection.connect({ address }),
    NativeConnection.connect({ address }),
  ])
  const namespace = await newNamespace(connection)
  temporal = new Client({ connection, namespace })
  workerSql = connectAs(database.url, { name: 'runs', role: 'letterloom_worker' })
  const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://example.com' }
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: CONTROL_QUEUE,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities: createFlowActivities({ sql: workerSql, content }),
  })
  const running = worker.run()
  const deps = { sql: workerSql, temporal, log, timings: { ...SHORT_TIMINGS, reconcileMs: 300 } }
  const loops = [
    startOutboxRelay(deps),
    startExecutionReconciler(deps),
    startExecutionReconciler(deps),
  ]
  stop = async () => {
    await Promise.all(loops.map((loop) => loop.stop()))
    worker.shutdown()
    await running
  }
})
afterAll(async () => {
  await stop()
  await Promise.all([native.close(), connection.close(), workerSql.end()])
  await database.drop()
})

test('runs that are terminated and cancelled at random end their executions, the others go on', async () => {
  const { organizationId } = await seedOrganization(database.sql)
  const contactIds = await seedContacts(database.sql, organizationId, EXECUTIONS)
  const flow = await seedFlow(database.sql, organizationId, {
    steps: [
      { id: 'split', type: 'split', config: { branches: [{ name: 'a', weight: 1 }] } },
      {
        id: 'wait',
        type: 'wait_for_event',
        config: { eventName: 'paid', timeout: { amount: 9, unit: 'days' } },
      },
    ],
  })
  const ids = await seedExecutions(database.sql, flow, contactIds, { isEnqueued: true })
  const fates = new Map<Uuid, 'terminated' | 'cancelled'>()
  await Promise.all(
    ids.map(async (id, place) => {
      if (place % 3 === 2) return
      await sleep(randomInt(3_000))
      const handle = temporal.workflow.getHandle(executionWorkflowId(id, 1))
      // Some have not even begun.
      await until(() => handle.describe().catch(() => undefined))
      if (place % 3 === 0) await handle.terminate('at random')
      else await handle.cancel()
      fates.set(id, place % 3 === 0 ? 'terminated' : 'cancelled')
    }),
  )
  const rows = () => Promise.all(ids.map((id) => executionRow(database.sql, id)))
  await until(async () => {
    const statuses = (await rows()).map(({ status }) => status)
    const count = (wanted: string) => statuses.filter((status) => status === wanted).length
    return count('cancelled') === fates.size && count('waiting') === EXECUTIONS - fates.size
  }, REFLECTED_MS)
  for (const [place, row] of (await rows()).entries()) {
    const isStopped = fates.has(ids[place] ?? '')
    expect(row).toMatchObject(
      isStopped
        ? { status: 'cancelled', reason: 'stopped_by_operator', attempt: 1 }
        : { status: 'waiting', reason: null, attempt: 1 },
    )
  }
  expect(fates.size).toBe((EXECUTIONS / 3) * 2)
  expect(await figures(database.sql, flow)).toMatchObject({
    started: EXECUTIONS,
    cancelled: fates.size,
    completed: 0,
    failed: 0,
    live: EXECUTIONS - fates.size,
  })
})

test('an execution whose run Temporal has lost while it waits goes on when what it waits for comes', async () => {
  const { organizationId } = await seedOrganization(database.sql)
  const contactIds = await seedContacts(database.sql, organizationId, 1)
  const flow = await seedFlow(database.sql, organizationId, {
    steps: [
      { id: 'split', type: 'split', config: { branches: [{ name: 'a', weight: 1 }] } },
      {
        id: 'wait',
        type: 'wait_for_event',
        config: { eventName: 'paid', timeout: { amount: 9, unit: 'days' } },
      },
    ],
  })
  const [id = ''] = await seedExecutions(database.sql, flow, contactIds, { isEnqueued: true })
  const status = async () => (await executionRow(database.sql, id)).status
  await until(async () => (await status()) === 'waiting')
  const workflowId = executionWorkflowId(id, 1)
  await forgetRuns(temporal, workflowId)
  await database.sql`
    update waits
    set status = 'matched', matched = 'paid', matched_event_id = ${randomUUID()}, matched_at = now()
    where execution_id = ${id}`
  const wake = { kind: 'wake_execution', payload: { executionId: id } } as const
  await outbox.put(database.sql, organizationId, wake, undefined)
  await until(async () => (await status()) === 'completed', REFLECTED_MS)
  expect(await executionRow(database.sql, id)).toMatchObject({ attempt: 2 })
  expect(await path(database.sql, id)).toEqual(['split completed a', 'wait completed yes'])
  expect(await figures(database.sql, flow)).toMatchObject({ started: 1, completed: 1, live: 0 })
})
