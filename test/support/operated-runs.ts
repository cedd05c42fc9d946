import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { until } from './engine.ts'
import { endOf, type FlowWorker, startFlowWorker } from './flow-runs.ts'
import {
  executionRow,
  figures,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
  type SeededFlow,
} from './flows.ts'
import { seedContacts, seedOrganization } from './seed.ts'
import { openTemporal, type TestTemporal } from './temporal.ts'
import { connectAs } from './logins.ts'

/** Counts, fails as long as the contact's property `odd` is a word, then counts again. */
export const failing: FlowSketch = {
  steps: [
    { id: 'one', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
    { id: 'two', type: 'update_contact', config: { increment: { 'properties.odd': 1 } } },
    { id: 'three', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
  ],
}
export const sleeping: FlowSketch = {
  steps: [
    { id: 'wait', type: 'delay', config: { amount: 1, unit: 'days' } },
    { id: 'one', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
  ],
}

interface Seeded {
  flow: SeededFlow
  executionId: string
  contactId: string
}

/**
 * A database, the real server and a worker of executions for the tests of a file, with an
 * organization for each test and helpers for operators' tests.
 */
export function operatedRuns() {
  const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' }
  let database: TestDatabase
  let workerSql: Sql
  let temporal: TestTemporal
  let worker: FlowWorker
  let organizationId: string

  beforeAll(async () => {
    ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
    workerSql = connectAs(database.url, { name: 'flows', role: 'letterloom_worker' })
    worker = await startFlowWorker(temporal, { sql: workerSql, content })
  })
  afterAll(async () => {
    await worker.stop()
    await temporal.close()
    await workerSql.end()
    await database.drop()
  })
  beforeEach(async () => {
    organizationId = (await seedOrganization(database.sql)).organizationId
  })

  async function seed(sketch: FlowSketch, properties: object = {}): Promise<Seeded> {
    const { sql } = database
    const flow = await seedFlow(sql, organizationId, sketch)
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    await sql`
      update contacts set properties = ${sql.json(properties)} where id = ${contactId}`
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
    return { flow, executionId, contactId }
  }

  const row = ({ executionId }: Seeded) => executionRow(database.sql, executionId)
  const start = ({ executionId }: Seeded, more: Parameters<FlowWorker['start']>[1] = {}) =>
    worker.start({ organizationId, executionId }, more)
  const paused = (seeded: Seeded) =>
    until(async () => {
      if ((await row(seeded)).status !== 'paused') return undefined
      // The task that did so is over as well: before, there is nothing to reset.
      const handle = temporal.client.workflow.getHandle(executionWorkflowId(seeded.executionId, 1))
      return (await handle.describe()).historyLength > 4
    })

  async function propertiesOf({ contactId }: Seeded) {
    const [contact] = await database.sql<{ properties: Record<string, unknown> }[]>`
      select properties from contacts where id = ${contactId}`
    return contact?.properties
  }

  /** Removes the cause of the failure of `failing`. */
  const putRight = ({ contactId }: Seeded) => database.sql`
    update contacts set properties = properties || '{"odd": 1}' where id = ${contactId}`

  /** An execution that failed at its second step, whose cause was then removed. */
  async function failedOnce(): Promise<Seeded> {
    const seeded = await seed(failing, { odd: 'word' })
    expect(await endOf((await start(seeded)).result())).toBe('The step "two" failed: not_a_number')
    expect(await row(seeded)).toMatchObject({ status: 'failed', attempt: 1, stepId: 'two' })
    expect(await figures(database.sql, seeded.flow)).toMatchObject({ failed: 1, live: 0 })
    await putRight(seeded)
    return seeded
  }

  /** Expects that it resumed at the failed step, without repeating earlier steps. */
  async function resumed(seeded: Seeded, attempt: number): Promise<void> {
    expect(await row(seeded)).toMatchObject({ status: 'completed', attempt, reason: null })
    expect(await path(database.sql, seeded.executionId)).toEqual([
      'one completed',
      'two completed try 2',
      'three completed',
    ])
    expect(await propertiesOf(seeded)).toEqual({ n: 2, odd: 2 })
    expect(await figures(database.sql, seeded.flow)).toMatchObject({
      started: 1,
      completed: 1,
      failed: 0,
      cancelled: 0,
      live: 0,
    })
  }

  return {
    get sql() {
      return database.sql
    },
    get temporal() {
      return temporal
    },
    get worker() {
      return worker
    },
    get organizationId() {
      return organizationId
    },
    seed,
    row,
    start,
    paused,
    propertiesOf,
    putRight,
    failedOnce,
    resumed,
    /** Replaces a stopped worker of the same queue. */
    startWorker: async (options: Parameters<typeof startFlowWorker>[2] = {}) => {
      const { taskQueue } = worker
      const deps = { sql: workerSql, content }
      worker = await startFlowWorker(temporal, deps, { taskQueue, ...options })
    },
  }
}
