import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { workOnOperation } from '../../src/core/flows/flow-operations.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startFlowOperator } from '../../src/loops/flow-operator.ts'
import { deleteOld } from '../../src/store/flows/flow-operations.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { type Api, createContact, startApi, tally } from '../support/api.ts'
import { connectAs } from '../support/logins.ts'
import { figures, seedExecutions, seedFlow, type SeededFlow } from '../support/flows.ts'
import { sized } from '../support/size.ts'

let api: Api
let workerSql: Sql
let contactId: Uuid
let flow: SeededFlow
beforeAll(async () => {
  api = await startApi()
  workerSql = connectAs(api.databaseUrl, { name: 'operations', role: 'letterloom_worker' })
  contactId = (await createContact(api.alice, { email: 'ada@example.com' })).id
})
afterAll(async () => {
  await workerSql.end()
  await api.close()
})
beforeEach(async () => {
  await api.sql`delete from flow_operations`
  flow = await make()
})

const make = () =>
  seedFlow(api.sql, api.alice.organizationId, {
    steps: [{ id: 'rest', type: 'delay', config: { amount: 1, unit: 'days' } }],
  })
const start = (of: SeededFlow, count: number): Promise<Uuid[]> =>
  seedExecutions(api.sql, of, Array<Uuid>(count).fill(contactId))
const statuses = async ({ flowId }: SeededFlow) => {
  const rows = await api.sql<{ status: string; reason: string | null }[]>`
    select status, reason from executions where flow_id = ${flowId}`
  return tally(rows.map(({ status, reason }) => (reason === null ? status : `${status} ${reason}`)))
}
const cancelAll = ({ flowId }: SeededFlow, client = api.alice) =>
  client.post(`/v1/workflows/${flowId}/cancel-executions`)
const disable = ({ flowId }: SeededFlow, body?: object) =>
  api.alice.post(`/v1/workflows/${flowId}/disable`, body)
const progress = async (id: string) => (await api.alice.get(`/v1/workflow-operations/${id}`)).body
/** Works on operations, in pages of `page`, until none is due. Returns how many are running. */
async function workOnAll(page?: number): Promise<number> {
  while (await workOnOperation(workerSql, page));
  return (await api.sql`select from flow_operations where status = 'running'`).count
}
/** The same until all are completed: transactions of other tests may be open for a while. */
const work = (page?: number) => expect.poll(() => workOnAll(page), { timeout: 20_000 }).toBe(0)

describe('cancelling all executions of a workflow', () => {
  test('is 202 and goes on page by page, with its progress', async () => {
    const other = await make()
    const count = sized(5, 2_000)
    await start(flow, count)
    await start(other, 1)
    const { status, body } = await cancelAll(flow)
    expect(status).toBe(202)
    const asked = {
      id: body.id,
      workflowId: flow.flowId,
      kind: 'cancel',
      status: 'running',
      total: count,
      totalIsExact: true,
      done: 0,
      completedAt: null,
    }
    expect(body).toMatchObject(asked)
    await workOnOperation(workerSql, 2)
    expect(await progress(body.id)).toMatchObject({ ...asked, done: 2 })
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': 2, pending: count - 2 })

    await work(2)
    const completed = { status: 'completed', done: count, completedAt: expect.any(String) }
    expect(await progress(body.id)).toMatchObject(completed)
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': count })
    expect(await figures(api.sql, flow)).toMatchObject({ cancelled: count, live: 0 })
    expect(await statuses(other)).toEqual({ pending: 1 })
  })

  test('leaves those that start later, while the workflow is enabled', async () => {
    await start(flow, 1)
    const { body } = await cancelAll(flow)
    await start(flow, 1)
    await work()
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': 1, pending: 1 })
    expect(await progress(body.id)).toMatchObject({ status: 'completed', total: 1, done: 1 })
  })

  test('ends each once, whoever else cancels it meanwhile', async () => {
    const ids = await start(flow, 6)
    await Promise.all([
      cancelAll(flow),
      cancelAll(flow),
      ...ids.slice(3).map((id) => api.alice.post(`/v1/workflows/executions/${id}/cancel`)),
    ])
    await Promise.all([work(2), work(2)])
    await work(2)
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': 6 })
    expect(await figures(api.sql, flow)).toMatchObject({ cancelled: 6, live: 0 })
  })

  test('of which ten are running is 409', async () => {
    for (let running = 0; running < 10; running++) expect((await cancelAll(flow)).status).toBe(202)
    const refused = await cancelAll(flow)
    expect([refused.status, refused.body.reason]).toEqual([409, 'operation_limit'])
    expect((await cancelAll(await make())).status).toBe(202)
    await work()
    expect((await cancelAll(flow)).status).toBe(202)
  })

  test('is not for others, who see nothing of it', async () => {
    await start(flow, 1)
    expect((await cancelAll(flow, api.charlie)).status).toBe(403)
    const { body } = await cancelAll(flow)
    for (const path of [`workflows/${flow.flowId}/operations`, `workflow-operations/${body.id}`]) {
      expect((await api.charlie.get(`/v1/${path}`)).status).toBe(403)
    }
    for (const id of [uuidv7(), 'x']) {
      expect((await api.alice.get(`/v1/workflow-operations/${id}`)).status).toBe(404)
    }
    expect((await api.alice.post(`/v1/workflows/${uuidv7()}/cancel-executions`)).status).toBe(404)
  })
})

describe('disabling a workflow', () => {
  test.each([undefined, {}, { running: 'continue' }])('lets executions go on: %j', async (body) => {
    await start(flow, 2)
    const disabled = await disable(flow, body)
    expect([disabled.status, disabled.body.enabled, disabled.body.operation]).toEqual([
      200,
      false,
      undefined,
    ])
    await work()
    expect(await statuses(flow)).toEqual({ pending: 2 })
  })

  test('cancels them where it is asked to, also when it is disabled already', async () => {
    await start(flow, 2)
    await disable(flow)
    const { status, body } = await disable(flow, { running: 'cancel' })
    expect([status, body.enabled]).toEqual([200, false])
    expect(body.operation).toMatchObject({ kind: 'cancel', status: 'running', total: 2 })
    await work()
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': 2 })
    expect(await progress(body.operation.id)).toMatchObject({ status: 'completed', done: 2 })
  })

  test.each([{ running: 'stop' }, { running: null }, { now: true }])('refuses %j', async (body) => {
    expect((await disable(flow, body)).status).toBe(422)
    const [row] = await api.sql`select enabled from flows where id = ${flow.flowId}`
    expect(row?.['enabled']).toBe(true)
  })

  test('cancels what is being started at this moment, too', async () => {
    const { organizationId, flowId } = flow
    const { body } = await transact(api.sql, async (tx) => {
      // A start that has seen the workflow enabled, and is written when it is disabled.
      await tx`select pg_current_xact_id()`
      const disabled = await disable(flow, { running: 'cancel' })
      await workOnAll()
      expect(await progress(disabled.body.operation.id)).toMatchObject({ status: 'running' })
      await tx`insert into executions ${tx({ organizationId, id: uuidv7(), flowId, version: 1, contactId, dedupeKey: uuidv7() })}`
      return disabled
    })
    expect(await statuses(flow)).toEqual({ pending: 1 })
    const { id } = body.operation
    const operator = startFlowOperator({ sql: workerSql, log: pino({ enabled: false }) })
    await expect
      .poll(async () => (await progress(id)).status, { timeout: 20_000 })
      .toBe('completed')
    await operator.stop()
    expect(await statuses(flow)).toEqual({ 'cancelled cancelled_by_api': 1 })
  })
})

test('operations are listed newest first, by pages, and forgotten a month after their end', async () => {
  const made: string[] = []
  for (let i = 0; i < 3; i++) made.unshift((await cancelAll(flow)).body.id)
  const path = `/v1/workflows/${flow.flowId}/operations`
  const first = (await api.alice.get(`${path}?limit=2`)).body
  const rest = (await api.alice.get(`${path}?limit=2&cursor=${first.nextCursor}`)).body
  const ids = [...first.data, ...rest.data].map(({ id }: { id: string }) => id)
  expect([ids, rest.nextCursor]).toEqual([made, null])
  await work()
  await api.sql`
    update flow_operations set completed_at = now() - interval '31 days' where id = ${made[0] ?? ''}`
  await deleteOld(workerSql)
  const { data } = (await api.alice.get(path)).body
  expect(data.map(({ id }: { id: string }) => id)).toEqual(made.slice(1))
})
