import { afterAll, beforeAll, expect, test } from 'vitest'
import { SHORT_TIMINGS } from '../../src/domain/delivery/timings.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { startExecutionReconciler } from '../../src/loops/execution-reconciler.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { startOverdueWaker } from '../../src/loops/overdue-waker.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { CONTROL_QUEUE } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openNamespace, until } from '../support/engine.ts'
import { type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import { executionRow, type FlowSketch, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'

const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' }

let database: TestDatabase
let temporal: TestTemporal
let closeNamespace: () => Promise<void>
let worker: FlowWorker
let relay: { stop(): Promise<void> }
let deps: Parameters<typeof startExecutionReconciler>[0]

beforeAll(async () => {
  database = await createDatabase()
  temporal = await openTemporal()
  const { client, close } = await openNamespace()
  closeNamespace = close
  const { sql } = database
  deps = { sql, temporal: client, timings: { ...SHORT_TIMINGS, reconcileMs: 100 }, log }
  worker = await startFlowWorker(
    temporal,
    { sql, content },
    { taskQueue: CONTROL_QUEUE, namespace: client.options.namespace },
  )
  relay = startOutboxRelay(deps)
})
afterAll(async () => {
  await relay.stop()
  await worker.stop()
  await closeNamespace()
  await temporal.close()
  await database.drop()
})

const FLOW: FlowSketch = {
  steps: [
    { id: 'minute', type: 'delay', config: { amount: 1, unit: 'minutes' } },
    { id: 'week', type: 'delay', config: { amount: 7, unit: 'days' } },
    { id: 'end', type: 'exit', config: { outcome: 'completed', reason: 'done' } },
  ],
}

/** Executions that a run carries to their second step: a delay of a week. */
async function carried(): Promise<Uuid[]> {
  const { sql } = database
  const { organizationId } = await seedOrganization(sql)
  const flow = await seedFlow(sql, organizationId, FLOW)
  const contactIds = await seedContacts(sql, organizationId, 3)
  const ids = await seedExecutions(sql, flow, contactIds, { isEnqueued: true })
  await all(ids, 'minute', 'paused')
  await setDue(ids, 1)
  await sql`
    insert into outbox (organization_id, kind, payload)
    select ${organizationId}, 'wake_execution', jsonb_build_object('executionId', id)
    from unnest(${ids}::uuid[]) as id`
  await all(ids, 'week', 'paused')
  return ids
}

const all = (ids: readonly Uuid[], stepId: string, status: string) =>
  until(async () => {
    const rows = await Promise.all(ids.map((id) => executionRow(database.sql, id)))
    return rows.every((row) => row.stepId === stepId && row.status === status)
  })

/** Their first delay ended so many seconds ago. */
async function setDue(ids: readonly Uuid[], seconds: number): Promise<void> {
  await database.sql`
    update execution_steps set due_at = now() - ${seconds} * interval '1 second'
    where execution_id = any(${[...ids]}::uuid[]) and step_id = 'minute'`
  await database.sql`
    update executions set progressed_at = now() - ${seconds} * interval '1 second'
    where id = any(${[...ids]}::uuid[])`
}

/** The rows of executions as a backup has them. */
async function restore(ids: readonly Uuid[], to: 'begun' | 'pending'): Promise<void> {
  const { sql } = database
  const kept = to === 'begun' ? ['minute'] : []
  await sql`
    delete from execution_steps
    where execution_id = any(${[...ids]}::uuid[]) and step_id <> all(${kept}::text[])`
  await sql`
    update execution_steps set status = 'executing', finished_at = null
    where execution_id = any(${[...ids]}::uuid[])`
  if (to === 'begun') {
    await sql`update executions set step_id = 'minute' where id = any(${[...ids]}::uuid[])`
  } else {
    await sql`
      update executions
      set status = 'pending', step_id = null, visit = null, fence_run_id = null,
        fence_workflow_id = null, started_at = null
      where id = any(${[...ids]}::uuid[])`
  }
  await setDue(ids, 65)
}

async function whileReconciled(act: () => Promise<unknown>): Promise<void> {
  const loops = [
    startOverdueWaker({ sql: database.sql, log, everyMs: 100 }),
    startExecutionReconciler(deps),
  ]
  try {
    await act()
  } finally {
    await Promise.all(loops.map((loop) => loop.stop()))
  }
}

test('a run that is ahead of its restored row is woken and goes on where the row stands', async () => {
  const ids = await carried()
  await restore(ids, 'begun')
  await whileReconciled(() => all(ids, 'week', 'paused'))
  for (const id of ids) {
    expect(await path(database.sql, id)).toEqual(['minute completed', 'week executing'])
    expect((await executionRow(database.sql, id)).attempt).toBe(1)
  }
})

test('where the row says that none has begun, another run begins', async () => {
  const ids = await carried()
  await restore(ids, 'pending')
  await whileReconciled(() => all(ids, 'minute', 'paused'))
  for (const id of ids) {
    expect(await executionRow(database.sql, id)).toMatchObject({ status: 'paused', attempt: 2 })
  }
})
