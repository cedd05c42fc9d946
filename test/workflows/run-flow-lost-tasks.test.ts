import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { connect, type Sql } from '../../src/store/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import {
  executionRow,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
  type SeededFlow,
} from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'

const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' }
let database: TestDatabase
let sql: Sql
let workerSql: Sql
let temporal: TestTemporal
let worker: FlowWorker
let organizationId: string

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = database.sql
  workerSql = connect(database.url, { name: 'flows', role: 'letterloom_worker' })
  worker = await startFlowWorker(temporal, { sql: workerSql, content })
})
afterAll(async () => {
  await worker.stop()
  await temporal.close()
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
})

/** Counts, then fails as long as the contact's property `odd` is a word, then counts again. */
const failing: FlowSketch = {
  steps: [
    { id: 'one', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
    { id: 'two', type: 'update_contact', config: { increment: { 'properties.odd': 1 } } },
    { id: 'three', type: 'update_contact', config: { increment: { 'properties.n': 1 } } },
  ],
}
const sleeping: FlowSketch = {
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

async function seed(sketch: FlowSketch, properties: object = {}): Promise<Seeded> {
  const flow = await seedFlow(sql, organizationId, sketch)
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  await sql`update contacts set properties = ${sql.json(properties as never)} where id = ${contactId}`
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
  return { flow, executionId, contactId }
}

const row = ({ executionId }: Seeded) => executionRow(sql, executionId)
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
  const [contact] = await sql<{ properties: Record<string, unknown> }[]>`
    select properties from contacts where id = ${contactId}`
  return contact?.properties
}

it('one that failed after its run continued as new goes on when an operator starts one like it', async () => {
  const seeded = await seed(
    { steps: [...sleeping.steps.slice(0, 1), ...failing.steps] },
    { odd: 'word' },
  )
  const first = await start(seeded)
  await paused(seeded)
  const { workflowId } = first
  const newest = temporal.client.workflow.getHandle(workflowId)
  await until(async () => {
    await Promise.all(Array.from({ length: 20 }, () => newest.signal('wake')))
    return (await newest.describe()).runId !== first.firstExecutionRunId
  }, 60_000)
  await sql`
    update execution_steps set due_at = now() - interval '1 second'
    where execution_id = ${seeded.executionId}`
  await newest.signal('wake')
  expect(await endOf(newest.result())).toBe('The step "two" failed: not_a_number')
  await sql`
    update contacts set properties = properties || '{"odd": 1}' where id = ${seeded.contactId}`

  const { events } = await newest.fetchHistory()
  const input = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
  const args = input.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()))
  const like = { workflowId, taskQueue: worker.taskQueue, args }
  expect(await temporal.client.workflow.execute('runFlow', like)).toMatchObject({
    status: 'completed',
  })
  expect(await propertiesOf(seeded)).toEqual({ n: 2, odd: 2 })
}, 120_000)

it('one that failed stays so when the task of the run that it failed in is lost and comes again', async () => {
  const seeded = await seed(failing, { odd: 'word' })
  const { taskQueue } = worker
  await worker.stop()
  worker = await startFlowWorker(
    temporal,
    { sql: workerSql, content },
    {
      taskQueue,
      // The first task does all of its local activities, and nobody hears of it.
      changes: ({ beginExecution, runStep }) => ({
        beginExecution: async (key) => {
          const { fence, move } = await beginExecution(key)
          let next = move
          while (next.do === 'step') {
            const { stepId, visit } = next
            next = await runStep({ ...key, fence, stepId, visit })
          }
          return beginExecution(key)
        },
      }),
    },
  )
  expect(await endOf((await start(seeded)).result())).toBe('The step "two" failed: not_a_number')
  expect(await path(sql, seeded.executionId)).toEqual(['one completed', 'two failed'])
  await worker.stop()
  worker = await startFlowWorker(temporal, { sql: workerSql, content }, { taskQueue })
})
