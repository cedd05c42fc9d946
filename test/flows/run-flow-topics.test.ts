import { expect, it } from 'vitest'
import * as operations from '../../src/core/flows/retry-and-cancel.ts'
import * as flows from '../../src/store/flows/flows.ts'
import { transact } from '../../src/store/db/sql.ts'
import * as subscriptions from '../../src/core/consent/subscriptions.ts'
import * as topics from '../../src/store/consent/topics.ts'
import { WAKE_SIGNAL } from '../../workflows/contract.ts'
import { until } from '../support/engine.ts'
import { endOf } from '../support/flow-runs.ts'
import { executionRow, figures, path, seedExecutions, seedFlow } from '../support/flows.ts'
import { operatedRuns } from '../support/operated-runs.ts'
import { seedContacts } from '../support/seed.ts'
import { insertTopic } from '../support/topics.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*The step "no" failed: exit$/)

const runs = operatedRuns()

it.each([
  { what: 'left', status: 'cancelled', reason: 'topic_unsubscribed' },
  { what: 'are subscribed to', status: 'failed', reason: 'exit' },
])('a retry for those who $what the topic that started it is $status', async (expected) => {
  const { what, status, reason } = expected
  const { sql, worker, organizationId } = runs
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  const topicId = await insertTopic(sql, organizationId)
  await sql`
    insert into subscriptions ${sql({ organizationId, contactId, topicId, status: 'subscribed' })}`
  const flow = await seedFlow(sql, organizationId, {
    steps: [{ id: 'no', type: 'exit', config: { outcome: 'failed' } }],
  })
  const options = { topicId }
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId], options)
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

it.each([
  { what: 'topic that started it', reason: 'topic_deleted', other: 'waiting', live: 1 },
  { what: 'workflow', reason: 'workflow_deleted', other: 'cancelled', live: 0 },
])('an execution ends at its next step when the $what is deleted', async (expected) => {
  const { what, reason, other, live } = expected
  const { sql, worker, organizationId } = runs
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  const topicId = await insertTopic(sql, organizationId)
  await sql`
    insert into subscriptions ${sql({ organizationId, contactId, topicId, status: 'subscribed' })}`
  const timeout = { amount: 1, unit: 'days' } as const
  const flow = await seedFlow(sql, organizationId, {
    steps: [{ id: 'wait', type: 'wait_for_event', config: { eventName: 'bought', timeout } }],
  })
  const seed = async (options: { topicId?: string }) => {
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId], options)
    return { organizationId, executionId }
  }
  const statusOf = async ({ executionId }: { executionId: string }) =>
    (await executionRow(sql, executionId)).status
  const [ours, others, late] = [await seed({ topicId }), await seed({}), await seed({ topicId })]
  const started = [await worker.start(ours), await worker.start(others)] as const
  for (const key of [ours, others]) {
    await until(async () => (await statusOf(key)) === 'waiting')
  }

  await transact(sql, async (tx) => {
    if (what === 'workflow') await flows.remove(tx, organizationId, flow.flowId)
    else await topics.remove(tx, organizationId, topicId, 'request')
  })
  for (const run of started) await run.signal(WAKE_SIGNAL)
  const gone = { status: 'cancelled', reason }
  expect(await endOf(started[0].result())).toEqual(gone)
  expect(await executionRow(sql, ours.executionId)).toMatchObject(gone)
  expect(await path(sql, ours.executionId)).toEqual(['wait skipped'])
  expect(await endOf((await worker.start(late)).result())).toEqual(gone)
  if (other === 'cancelled') await started[1].result()
  expect(await statusOf(others)).toBe(other)
  expect(await figures(sql, flow)).toMatchObject({ cancelled: 3 - live, live })
})
