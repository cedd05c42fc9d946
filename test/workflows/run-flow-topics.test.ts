import { afterAll, beforeAll, expect, it } from 'vitest'
import * as operations from '../../src/store/execution-operations.ts'
import { connect, type Sql, transact } from '../../src/store/sql.ts'
import * as subscriptions from '../../src/store/subscriptions.ts'
import { newKeyringText, parseKeyring } from '../../src/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import { executionRow, figures, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { insertTopic } from '../support/topics.ts'

const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://mail.example.com' }
let database: TestDatabase
let sql: Sql
let temporal: TestTemporal
let worker: FlowWorker

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = connect(database.url, { name: 'flows', role: 'letterloom_worker' })
  worker = await startFlowWorker(temporal, { sql, content })
})
afterAll(async () => {
  await worker.stop()
  await temporal.close()
  await sql.end()
  await database.drop()
})

it.each([
  { what: 'left', status: 'cancelled', reason: 'topic_unsubscribed' },
  { what: 'are subscribed to', status: 'failed', reason: 'exit' },
])('a retry for those who $what the topic that started it is $status', async (expected) => {
  const { what, status, reason } = expected
  const { organizationId } = await seedOrganization(database.sql)
  const [contactId = ''] = await seedContacts(database.sql, organizationId, 1)
  const topicId = await insertTopic(database.sql, organizationId)
  await database.sql`
    insert into subscriptions ${database.sql({ organizationId, contactId, topicId, status: 'subscribed' })}`
  const flow = await seedFlow(database.sql, organizationId, {
    steps: [{ id: 'no', type: 'exit', config: { outcome: 'failed' } }],
  })
  const options = { topicId }
  const [executionId = ''] = await seedExecutions(database.sql, flow, [contactId], options)
  const key = { organizationId, executionId }
  expect(await endOf((await worker.start(key)).result())).toBe('The step "no" failed: exit')

  if (what === 'left') {
    await transact(sql, (tx) =>
      subscriptions.unsubscribe(tx, organizationId, [{ contactId, topicId }], {
        source: 'api',
        own: true,
      }),
    )
  }
  await transact(sql, (tx) => operations.retry(tx, organizationId, executionId, undefined))
  await endOf((await worker.start(key, { attempt: 2 })).result())
  expect(await executionRow(sql, executionId)).toMatchObject({ status, reason, attempt: 2 })
  const left = what === 'left'
  expect(await path(sql, executionId)).toEqual([`no ${left ? 'skipped' : 'failed'} try 2`])
  expect(await figures(sql, flow)).toMatchObject({
    failed: left ? 0 : 1,
    cancelled: left ? 1 : 0,
    live: 0,
  })
})
