import { afterAll, beforeAll, expect, it } from 'vitest'
import { batchWorkflowId, CONTROL_QUEUE } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { fakeMailer } from '../support/mailer.ts'
import { batchRow, seedBatch, seedContacts, seedOrganization } from '../support/seed.ts'

let database: TestDatabase
let engine: Engine
beforeAll(async () => {
  database = await createDatabase()
  engine = await startEngine({ databaseUrl: database.url, mailer: fakeMailer() })
})
afterAll(async () => {
  await engine.stop()
  await database.drop()
})

/** The server answers a poll within a minute. */
const POLL_MS = 70_000

/** Takes a task of the control queue as a worker does that is gone before it hears of it. */
async function loseTask(): Promise<string> {
  const { client } = engine
  const { namespace } = client.options
  const poll = { namespace, taskQueue: { name: CONTROL_QUEUE }, identity: 'gone' }
  for (;;) {
    const { workflowExecution } = await client.withDeadline(Date.now() + POLL_MS, () =>
      client.workflowService.pollActivityTaskQueue(poll),
    )
    if (workflowExecution?.workflowId) return workflowExecution.workflowId
  }
}

it('a task that was lost on its way to a worker holds its batch up for seconds', async () => {
  const { sql } = database
  const seeded = await seedOrganization(sql)
  await seedContacts(sql, seeded.organizationId, 3)
  const ids: string[] = []
  const lost: string[] = []
  void loseTask().then((id) => lost.push(id))
  while (lost.length === 0) {
    const id = await seedBatch(sql, seeded)
    ids.push(id)
    await until(async () => lost.includes(batchWorkflowId(id, 1)) || (await isOver(id)))
  }
  for (const id of ids) await until(() => isOver(id))

  const run = engine.client.workflow.getHandle(lost[0]!)
  await run.result()
  const { events } = await run.fetchHistory()
  const failures = (events ?? []).flatMap(
    (event) => event.activityTaskStartedEventAttributes?.lastFailure?.message ?? [],
  )
  expect(failures).toContain('activity Heartbeat timeout')
})

const isOver = async (id: string) => (await batchRow(database.sql, id)).status === 'completed'
