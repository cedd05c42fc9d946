import { Client } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSteps } from '../../activities/flows/steps/index.ts'
import { executionRuns } from '../../src/loops/execution-reconciler.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { reconcileClosedRuns } from '../../src/loops/run-reconciler.ts'
import { PRODUCTION_TIMINGS } from '../../src/domain/delivery/timings.ts'
import { STEP_FAILED } from '../../src/domain/flows/execution.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import type { Execution, ExecutionStep } from '../../src/schemas/flows/execution.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { CONTROL_QUEUE, executionWorkflowId } from '../../workflows/contract.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { newNamespace, until } from '../support/engine.ts'
import { type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import { type FlowSketch, seedFlow } from '../support/flows.ts'
import { createServers } from '../support/servers.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { sealFlow } from '../support/webhooks.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { connectAs } from '../support/logins.ts'

expectWarnings(/^Workflow failed runFlow .*The step "call" failed: http_400$/)

const { http, close } = createServers()
const quiet = () => {}
const log = { info: quiet, warn: quiet, error: quiet }
let api: Api
let workerSql: Sql
let temporal: TestTemporal
let client: Client
let worker: FlowWorker
let relay: { stop(): Promise<void> }
let url: string
/** What the receiver answers. */
let answer: number

beforeAll(async () => {
  ;[api, temporal] = await Promise.all([startApi(), openTemporal()])
  const port = await http((_, response) => response.writeHead(answer).end('a private answer'))
  url = `http://127.0.0.1:${port}/private-path`
  workerSql = connectAs(api.databaseUrl, { name: 'flows', role: 'letterloom_worker' })
  const namespace = await newNamespace(temporal.connection)
  client = new Client({ connection: temporal.connection, namespace })
  const content = { keyring: api.deps.keyring, publicUrl: 'https://x' }
  const fetcher = createFetcher({ allowed: ['127.0.0.1'] })
  const waitsMs = Array<number>(200).fill(1_000)
  const steps = createSteps({ ...content, sql: workerSql, fetcher, now: Date.now, waitsMs })
  const deps = { sql: workerSql, content, steps }
  worker = await startFlowWorker(temporal, deps, { taskQueue: CONTROL_QUEUE, namespace })
  relay = startOutboxRelay({ sql: workerSql, temporal: client, log })
})
afterAll(async () => {
  await relay.stop()
  await worker.stop()
  await temporal.close()
  await workerSql.end()
  await api.close()
  await close()
})

const webhook = (id: string) => ({ id, type: 'webhook', config: { url, method: 'POST' } }) as const

let people = 0
/** Starts an execution by the API. */
async function trigger(sketch: FlowSketch) {
  const flow = await seedFlow(api.sql, api.alice.organizationId, sketch)
  const stepId = sketch.steps.find(({ type }) => type === 'webhook')?.id ?? ''
  const headers = { authorization: 'private-header' }
  await sealFlow(api.sql, api.deps.keyring, flow, { stepId, headers })
  const { id } = await createContact(api.alice, { email: `person-${++people}@example.com` })
  const { body } = await api.alice.post(`/v1/workflows/${flow.flowId}/trigger`, { contactId: id })
  return { executionId: String(body.executionId), flow }
}

type Shown = Execution & { steps: ExecutionStep[] }
const read = async (executionId: string): Promise<Shown> =>
  (await api.alice.get(`/v1/workflows/executions/${executionId}`)).body
const runOf = (executionId: string, attempt = 1) =>
  client.workflow.getHandle(executionWorkflowId(executionId, attempt))
const reached = (executionId: string, status: Shown['status']) =>
  until(async () => {
    const execution = await read(executionId)
    return execution.status === status ? execution : undefined
  })
/** Waits until the API shows that a call of the step failed and when the next is due. */
const retrying = (executionId: string, stepId: string) =>
  until(async () => {
    const { status, steps } = await read(executionId)
    const step = steps.find((each) => each.stepId === stepId)
    return step && step.calls > 1 && step.nextTryAt !== null ? { status, step } : undefined
  })
const shown = async (executionId: string, attempt = 1) =>
  (await runOf(executionId, attempt).describe()).searchAttributes['AppStatus']?.[0]
const closed = (executionId: string, attempt = 1) =>
  until(async () => {
    const { status } = await runOf(executionId, attempt).describe()
    return status.name === 'RUNNING' ? undefined : status.name
  })

it('a webhook step that is tried again says so, and AppStatus is what the API says', async () => {
  answer = 503
  const { executionId } = await trigger({
    steps: [
      webhook('call'),
      { id: 'wait', type: 'delay', config: { amount: 1, unit: 'days' } },
      webhook('again'),
    ],
  })
  const first = await retrying(executionId, 'call')
  expect(first).toMatchObject({
    status: 'active',
    step: {
      status: 'executing',
      try: 1,
      lastError: 'The receiver answered 503',
      nextTryAt: expect.stringMatching(/^\d{4}-.*Z$/),
      reason: null,
      dueAt: null,
    },
  })
  expect(await shown(executionId)).toBe('active')
  expect(JSON.stringify(await read(executionId))).not.toContain('private')
  const { raw } = await runOf(executionId).describe()
  expect(raw.pendingActivities).toMatchObject([
    { activityType: { name: 'runStep' }, attempt: expect.any(Number) },
  ])
  const pending = JSON.stringify(raw.pendingActivities)
  expect(pending).toContain('The call failed (http_503) and is tried again')
  expect(pending).not.toContain('private')
  const calls = async () => (await retrying(executionId, 'call')).step.calls
  const before = await calls()
  await until(async () => (await calls()) > before || undefined)

  answer = 200
  const { steps } = await reached(executionId, 'paused')
  expect(steps[0]).toMatchObject({
    status: 'completed',
    branch: 'success',
    calls: 0,
    lastError: null,
    nextTryAt: null,
  })
  await until(async () => (await shown(executionId)) === 'paused' || undefined)

  answer = 503
  await api.sql`
    update execution_steps set due_at = now() - interval '1 second'
    where execution_id = ${executionId} and step_id = 'wait'`
  await runOf(executionId).signal('wake')
  expect(await retrying(executionId, 'again')).toMatchObject({ status: 'active' })
  expect(await shown(executionId)).toBe('active')

  answer = 200
  await reached(executionId, 'completed')
  expect(await closed(executionId)).toBe('COMPLETED')
  expect(await shown(executionId)).toBe('completed')
})

it('a webhook step that fails is red in its run, which fails once and can be retried', async () => {
  answer = 400
  const { executionId, flow } = await trigger({ steps: [webhook('call')] })
  const failed = await reached(executionId, 'failed')
  expect(failed.steps).toMatchObject([
    { status: 'failed', reason: 'http_400', error: 'The receiver answered 400', calls: 0 },
  ])
  expect(await closed(executionId)).toBe('FAILED')
  expect(await shown(executionId)).toBe('failed')
  const description = await runOf(executionId).describe()
  const { contactId } = failed
  expect(await description.staticSummary()).toBe(`Run flow "Welcome" for contact ${contactId}`)
  const { events } = await runOf(executionId).fetchHistory()
  const scheduled = events?.filter((event) => event.activityTaskScheduledEventAttributes)
  expect(scheduled).toHaveLength(1)
  const started = events?.flatMap((event) => event.activityTaskStartedEventAttributes ?? [])
  expect(started?.map(({ attempt }) => attempt)).toEqual([1])
  const failures = events?.flatMap((event) => event.activityTaskFailedEventAttributes ?? [])
  expect(failures?.map(({ failure }) => failure)).toMatchObject([
    {
      message: 'The step failed: http_400',
      applicationFailureInfo: { type: STEP_FAILED, nonRetryable: true },
    },
  ])
  const end = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure
  expect(end?.message).toBe('The step "call" failed: http_400')

  // The run is listed as failed some moments later.
  const query = `WorkflowId = '${executionWorkflowId(executionId, 1)}' and ExecutionStatus = 'Failed'`
  await until(async () => (await client.workflow.count(query)).count === 1 || undefined)
  const timings = PRODUCTION_TIMINGS
  const deps = { sql: workerSql, temporal: client, timings, log }
  await reconcileClosedRuns(deps, executionRuns(deps), Date.now() - 600_000)
  expect(await read(executionId)).toMatchObject({ status: 'failed', attempt: 1 })

  answer = 200
  const retried = await api.alice.post(`/v1/workflows/executions/${executionId}/retry`)
  expect(retried.body).toMatchObject({ status: 'pending' })
  expect(await reached(executionId, 'completed')).toMatchObject({
    attempt: 2,
    steps: [{ status: 'completed', try: 2 }],
  })
  expect(await closed(executionId, 2)).toBe('COMPLETED')
  const { body } = await api.alice.get(`/v1/workflows/${flow.flowId}`)
  expect(body.stats).toMatchObject({ started: 1, completed: 1, failed: 0, live: 0 })
})
