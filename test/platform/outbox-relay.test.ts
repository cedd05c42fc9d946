import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { batchWorkflowId, verifyWorkflowId } from '../../workflows/contract.ts'
import { type Api, connectAccount, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'

let api: Api
let temporal: TestTemporal
let relay: ReturnType<typeof startOutboxRelay>
beforeAll(async () => {
  ;[api, temporal] = await Promise.all([startApi(), openTemporal()])
  const quiet = () => {}
  const log = { info: quiet, warn: quiet, error: quiet }
  relay = startOutboxRelay({ sql: api.sql, temporal: temporal.client, log })
})
afterAll(async () => {
  await relay.stop()
  await temporal.close()
  await api.close()
})

/** Nobody works on it here: it is looked at, and ended. */
const memoOf = async (workflowId: string) => {
  const handle = temporal.client.workflow.getHandle(workflowId)
  const { memo } = await until(() => handle.describe().catch(() => undefined))
  await handle.terminate('looked at')
  return memo
}

test("a workflow's memo has the id of the request that caused it", async () => {
  const post = (url: string, requestId: string, payload: object) =>
    api.alice.send({ method: 'POST', url, headers: { 'x-request-id': requestId }, payload })
  const connected = await post('/v1/connections', 'trace-connection', {
    accountId: '123456789012',
    region: 'eu-central-1',
    name: 'Mail',
  })
  const batch = await post('/v1/batch', 'trace-batch', {
    audienceType: 'all',
    from: 'news@example.com',
    subject: 'News',
    htmlContent: '<p>News</p>',
  })
  expect(batch.headers['x-request-id']).toBe('trace-batch')
  const verification = verifyWorkflowId(connected.body.connectionId)
  expect(await memoOf(verification)).toEqual({ requestId: 'trace-connection' })
  expect(await memoOf(batchWorkflowId(batch.body.id, 1))).toEqual({ requestId: 'trace-batch' })
})

test('where no id came with a request, it is the one that its answer has', async () => {
  const { connectionId } = await connectAccount(api.charlie, { accountId: '999999999999' })
  const { requestId } = (await memoOf(verifyWorkflowId(connectionId))) as { requestId: string }
  const [row] = await api.sql<{ requestId: string }[]>`
    select request_id from outbox where payload ->> 'connectionId' = ${connectionId}`
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(row?.requestId).toBe(requestId)
})
