import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { begin } from '../../src/core/flows/begin-and-stop.ts'
import { workOnOperation } from '../../src/core/flows/flow-operations.ts'
import * as operations from '../../src/core/flows/retry-and-cancel.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { createDefinitionCache } from '../../src/store/flows/definition-cache.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import { executionRow, path } from '../support/flows.ts'
import { connectAs } from '../support/logins.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*failed: (missing_value|broken)$/)

let api: Api
let workerSql: Sql
let temporal: TestTemporal
let worker: FlowWorker
beforeAll(async () => {
  ;[api, temporal] = await Promise.all([startApi(), openTemporal()])
  workerSql = connectAs(api.databaseUrl, { name: 'flows', role: 'letterloom_worker' })
  const { keyring } = api.deps
  const content = { keyring, publicUrl: 'https://x' }
  worker = await startFlowWorker(temporal, { sql: workerSql, content })
})
afterAll(async () => {
  await worker.stop()
  await temporal.close()
  await workerSql.end()
  await api.close()
})

const update = (id: string, config: object) => ({ id, type: 'update_contact', name: id, config })
const exit = (id: string, outcome: string) => ({
  id,
  type: 'exit',
  name: id,
  config: { outcome, ...(outcome === 'failed' ? { reason: 'broken' } : {}) },
})
/** Notes in a list of the contact's that the execution came here. */
const note = (id: string) => update(id, { append: { 'properties.been': id } })
const BROKEN = update('mend', { set: { firstName: '{{ trigger.data.first }}' } })
const MENDED = update('mend', { set: { firstName: '{{ trigger.data.first | default: "you" }}' } })

const chain = (steps: { id: string }[]) =>
  steps.slice(1).map(({ id: to }, i) => ({ from: steps[i]?.id ?? '', to }))
const input = (steps: { id: string }[], more: object = {}) =>
  smallFlow({
    enabled: true,
    steps,
    transitions: chain(steps),
    settings: { allowReentry: true },
    ...more,
  })
const change = (flowId: Uuid, steps: { id: string }[]) =>
  api.alice.patch(`/v1/workflows/${flowId}`, { steps, transitions: chain(steps) })

/** An execution of a new workflow with these steps that has failed. */
async function failed(steps: { id: string }[]) {
  const { id: flowId } = await createFlow(api.alice, input(steps))
  const executionId = await failOne(flowId)
  return { flowId, executionId }
}

async function failOne(flowId: Uuid): Promise<Uuid> {
  const contact = await createContact(api.alice, { email: `${crypto.randomUUID()}@example.com` })
  const { body } = await api.alice.post(`/v1/workflows/${flowId}/trigger`, {
    contactId: contact.id,
  })
  await run(body.executionId, 1)
  expect((await executionRow(api.sql, body.executionId)).status).toBe('failed')
  return body.executionId
}

const run = async (executionId: Uuid, attempt: number) => {
  const { organizationId } = api.alice
  return endOf((await worker.start({ organizationId, executionId }, { attempt })).result())
}
const retry = (executionId: Uuid, body?: object) =>
  api.alice.post(`/v1/workflows/executions/${executionId}/retry`, body)
const detail = async (executionId: Uuid) =>
  (await api.alice.get(`/v1/workflows/executions/${executionId}`)).body
const been = async (executionId: Uuid) => {
  const { contactId } = await executionRow(api.sql, executionId)
  return (await api.alice.get(`/v1/contacts/${contactId}`)).body.properties.been
}

describe('a failed execution that is retried with the newest version', () => {
  test('goes on with the mended step, and does nothing twice that is done', async () => {
    const { flowId, executionId } = await failed([note('before'), BROKEN, note('after')])
    await change(flowId, [note('before'), note('between'), MENDED, note('new'), note('after')])

    expect((await retry(executionId)).status).toBe(200)
    expect(await run(executionId, 2)).toContain('missing_value')
    expect((await detail(executionId)).workflowVersion).toBe(1)

    const { status, body } = await retry(executionId, { version: 'newest' })
    expect([status, body]).toEqual([200, { success: true, executionId, status: 'pending' }])
    expect(await run(executionId, 3)).toMatchObject({ status: 'completed' })
    expect(await detail(executionId)).toMatchObject({ workflowVersion: 2, status: 'completed' })
    expect(await path(api.sql, executionId)).toEqual([
      'before completed',
      'mend completed try 3',
      'new completed',
      'after completed',
    ])
    expect(await been(executionId)).toEqual(['before', 'new', 'after'])
  })

  test('keeps what it takes: a later version is not its own', async () => {
    const { flowId, executionId } = await failed([BROKEN, note('after')])
    await change(flowId, [MENDED, exit('stop', 'failed')])
    await retry(executionId, { version: 'newest' })
    expect(await run(executionId, 2)).toContain('broken')
    await change(flowId, [MENDED, exit('stop', 'completed')])
    await retry(executionId)
    expect(await run(executionId, 3)).toContain('broken')
    expect((await detail(executionId)).workflowVersion).toBe(2)
    await retry(executionId, { version: 'newest' })
    expect(await run(executionId, 4)).toMatchObject({ status: 'completed' })
    expect((await detail(executionId)).workflowVersion).toBe(3)
  })

  test('may find a step of another type under the id', async () => {
    const { flowId, executionId } = await failed([BROKEN, note('after')])
    await change(flowId, [exit('mend', 'completed')])
    await retry(executionId, { version: 'newest' })
    expect(await run(executionId, 2)).toMatchObject({ status: 'completed' })
    const { steps } = await detail(executionId)
    expect(steps).toMatchObject([{ stepId: 'mend', type: 'exit', status: 'completed', try: 2 }])
  })

  test('is begun with it, also by a run that had read the version before', async () => {
    const { flowId, executionId } = await failed([BROKEN])
    const config = { url: 'https://sales.example.com/hook', method: 'POST' }
    await change(flowId, [{ id: 'mend', type: 'webhook', name: 'Call', config } as never])
    const { organizationId } = api.alice
    const key = { organizationId, executionId }
    const known = { steps: { webhook: { where: 'webhook' } }, definitions: createDefinitionCache() }
    let begun: ReturnType<typeof begin> | undefined
    await transact(workerSql, async (tx) => {
      await operations.retry(tx, organizationId, executionId, undefined, 'newest')
      const fence = { workflowId: `execution/${executionId}/1`, runId: crypto.randomUUID() }
      begun = transact(workerSql, (other) => begin(other, known as never, key, fence))
      await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
    })
    expect(await begun).toMatchObject({
      do: 'step',
      stepId: 'mend',
      name: 'Call',
      where: 'webhook',
    })
  })

  test('is 409 where the newest version has no such step, and stays as it is', async () => {
    const { flowId, executionId } = await failed([note('before'), BROKEN])
    await change(flowId, [note('before'), { ...MENDED, id: 'other' }])
    const refused = await retry(executionId, { version: 'newest' })
    expect([refused.status, refused.body.reason]).toEqual([409, 'step_removed'])
    expect(await executionRow(api.sql, executionId)).toMatchObject({ status: 'failed', attempt: 1 })
    for (const version of ['oldest', 2, null]) {
      expect((await retry(executionId, { version })).status).toBe(422)
    }
  })

  test('shows no result of steps that its version does not have any more', async () => {
    const wait = {
      id: 'wait',
      type: 'wait_for_event',
      name: 'Wait',
      config: { eventName: 'bought', timeout: { amount: 1, unit: 'days' } },
    }
    const steps = [note('before'), BROKEN]
    const { flowId, executionId } = await failed(steps)
    await api.sql`
      update execution_steps set result = '{"kept": true}'
      where execution_id = ${executionId} and step_id = 'before'`
    await change(flowId, [MENDED, wait])
    expect((await detail(executionId)).steps[0]).toMatchObject({ result: { kept: true } })
    await retry(executionId, { version: 'newest' })
    const [before, mend] = (await detail(executionId)).steps
    expect(before).toMatchObject({ stepId: 'before', status: 'completed', result: null })
    expect(mend).toMatchObject({ stepId: 'mend', name: 'mend', status: 'pending' })
  })
})

/** How many sessions wait for a lock. */
const waiting = async () => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::integer as count
    from pg_locks
    join pg_stat_activity using (pid)
    where datname = current_database() and not granted`
  return row?.count ?? 0
}

describe('the failed executions of a workflow', () => {
  const retryAll = (flowId: Uuid, body?: object) =>
    api.alice.post(`/v1/workflows/${flowId}/retry-failed`, body)
  async function work(id: string, page?: number) {
    await expect
      .poll(
        async () => {
          while (await workOnOperation(workerSql, page));
          return (await progress(id)).status
        },
        { timeout: 20_000 },
      )
      .toBe('completed')
    return progress(id)
  }
  const progress = async (id: string) => (await api.alice.get(`/v1/workflow-operations/${id}`)).body
  const started = async (flowId: Uuid) => {
    const rows = await api.sql<{ attempt: number }[]>`
      select (payload ->> 'attempt')::integer as attempt from outbox
      where kind = 'start_execution' and payload ->> 'flowId' = ${flowId} and payload ->> 'attempt' <> '1'`
    return rows.map(({ attempt }) => attempt)
  }

  test('are retried in sets with the newest version; what it cannot take up is skipped', async () => {
    const { flowId, executionId } = await failed([note('before'), BROKEN])
    const others = [await failOne(flowId), await failOne(flowId)]
    await change(flowId, [
      note('before'),
      update('gone', { set: { firstName: '{{ event.name }}' } }),
    ])
    const gone = await failOne(flowId)
    await change(flowId, [note('before'), MENDED])

    const { status, body } = await retryAll(flowId, { version: 'newest' })
    expect(status).toBe(202)
    expect(body).toMatchObject({ kind: 'retry', version: 'newest', total: 4, done: 0, skipped: 0 })
    await workOnOperation(workerSql, 1)
    expect(await progress(body.id)).toMatchObject({ status: 'running', done: 1, skipped: 0 })
    expect(await work(body.id, 1)).toMatchObject({ total: 4, done: 3, skipped: 1 })
    expect(await started(flowId)).toEqual([2, 2, 2])
    for (const id of [executionId, ...others]) {
      expect(await run(id, 2)).toMatchObject({ status: 'completed' })
      expect(await been(id)).toEqual(['before'])
    }
    expect((await executionRow(api.sql, gone)).status).toBe('failed')
  })

  test('are those of one step, or since a time, where it is asked for', async () => {
    const { flowId, executionId } = await failed([BROKEN])
    await change(flowId, [update('other', { set: { firstName: '{{ event.name }}' } })])
    const other = await failOne(flowId)
    await api.sql`
      update executions set finished_at = finished_at - interval '2 days' where id = ${other}`
    const yesterday = new Date(Date.now() - 86_400_000).toISOString()
    for (const [body, ids] of [
      [{ stepId: 'none' }, []],
      [{ stepId: 'other', failedSince: yesterday }, []],
      [{ stepId: 'other' }, [other]],
      [{ failedSince: yesterday }, [executionId]],
    ] as const) {
      const asked = (await retryAll(flowId, body)).body
      expect(asked).toMatchObject({ ...body, version: null, total: ids.length })
      expect(await work(asked.id)).toMatchObject({ done: ids.length, skipped: 0 })
      for (const id of ids) expect((await executionRow(api.sql, id)).status).toBe('pending')
    }
  })

  test('wait while as many run as may, and go on when there is room', async () => {
    const { flowId, executionId } = await failed([BROKEN])
    const second = await failOne(flowId)
    await api.alice.patch(`/v1/workflows/${flowId}`, { settings: { maxConcurrentExecutions: 1 } })
    const { id } = (await retryAll(flowId)).body
    while (await workOnOperation(workerSql));
    expect(await progress(id)).toMatchObject({ status: 'running', done: 1 })
    expect((await executionRow(api.sql, second)).status).toBe('failed')
    await run(executionId, 2)
    expect(await work(id)).toMatchObject({ done: 2, skipped: 0 })
    expect((await executionRow(api.sql, second)).status).toBe('pending')
  })

  test('of a deleted workflow, of another organization and by a body that is wrong are not', async () => {
    const { flowId } = await failed([BROKEN])
    for (const body of [{ version: 'next' }, { stepId: '' }, { failedSince: 'now' }, { x: 1 }]) {
      expect((await retryAll(flowId, body)).status).toBe(422)
    }
    expect((await api.charlie.post(`/v1/workflows/${flowId}/retry-failed`)).status).toBe(403)
    await api.alice.delete(`/v1/workflows/${flowId}`)
    const refused = await retryAll(flowId)
    expect([refused.status, refused.body.reason]).toEqual([409, 'workflow_deleted'])
  })
})
