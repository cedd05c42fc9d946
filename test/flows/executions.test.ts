import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Step } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as executionReads from '../../src/store/flows/execution-views.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, createContact, startApi, tally } from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { countersOf, seedExecution, seedFlow } from '../support/seed-flow.ts'

const DAY_MS = 86_400_000

let api: Api
let organizationId: Uuid
beforeAll(async () => {
  api = await startApi()
  organizationId = api.alice.organizationId
})
afterAll(() => api.close())

let people = 0
const make = async (client: Client = api.alice) =>
  (await createContact(client, { email: `person-${++people}@example.com` })).id
const steps: Step[] = [
  { id: 'hello', type: 'delay', name: 'Say hello', config: { amount: 1, unit: 'days' } },
  { id: 'end', type: 'exit', name: 'The end', config: { outcome: 'completed' } },
]
const flow = () => seedFlow(api.sql, organizationId, { steps, name: 'Welcome' })
const execution = (
  flowId: Uuid,
  contactId: Uuid,
  more: Partial<Parameters<typeof seedExecution>[2]> = {},
) => seedExecution(api.sql, organizationId, { flowId, contactId, ...more })
const read = (id: string, client: Client = api.alice) =>
  client.get(`/v1/workflows/executions/${id}`)
const ids = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

describe('the steps of a workflow', () => {
  test('tell how many are at each, and how many failed there', async () => {
    const flowId = await flow()
    const at = async (
      status: 'paused' | 'failed' | 'completed' | 'pending',
      stepId: string | null,
    ) => {
      const id = await execution(flowId, await make(), { status })
      await api.sql`
        update executions
        set step_id = ${stepId}, visit = ${stepId === null ? null : 1}
        where id = ${id}`
    }
    await at('paused', 'hello')
    await at('paused', 'hello')
    await at('failed', 'hello')
    await at('failed', 'end')
    await at('pending', null)
    await at('completed', 'end')
    await execution(await flow(), await make(), { status: 'paused' })
    const { body } = await api.alice.get(`/v1/workflows/${flowId}/steps`)
    expect(body).toEqual({
      data: [
        { stepId: null, live: 1, failed: 0 },
        { stepId: 'end', live: 0, failed: 1 },
        { stepId: 'hello', live: 2, failed: 1 },
      ],
      countsAreExact: true,
    })
  })

  test('are counted to a bound, which is told', async () => {
    const flowId = await flow()
    for (let n = 0; n < 3; n++) await execution(flowId, await make(), { status: 'paused' })
    const count = (most: number) =>
      executionReads.countBySteps(api.sql, organizationId, { flowId, most })
    expect(await count(3)).toMatchObject({ data: [{ live: 3 }], countsAreExact: true })
    expect(await count(2)).toMatchObject({ countsAreExact: false })
  })
})

describe('reading', () => {
  test('an execution shows every step that it came to, in that order', async () => {
    const [flowId, contactId] = [await flow(), await make()]
    const id = await execution(flowId, contactId, { status: 'failed', data: { orderId: 7 } })
    await api.sql`
      update executions
      set step_id = 'end', visit = 2, reason = 'step_failed', error = 'No.', attempt = 2,
        started_at = created_at
      where id = ${id}`
    const visits = [
      ['hello', 1, 'delay', 'completed', 'yes', { waited: 1 }, null],
      ['end', 1, 'exit', 'skipped', null, null, 'no_reason'],
      ['hello', 2, 'delay', 'completed', null, null, null],
      ['end', 2, 'exit', 'failed', null, null, 'step_failed'],
    ] as const
    for (const [i, [stepId, visit, type, status, branch, result, reason]] of visits.entries()) {
      await api.sql`insert into execution_steps ${api.sql({
        organizationId,
        executionId: id,
        stepId,
        visit,
        position: i + 1,
        type,
        status,
        branch,
        result: result && api.sql.json(result),
        reason,
        finishedAt: new Date().toISOString(),
      })}`
    }
    // What the flow is by now is no concern of a version that runs.
    await api.sql`update flows set version = 1, name = 'Hello' where id = ${flowId}`
    const { status, body } = await read(id)
    expect([status, body]).toMatchObject([
      200,
      {
        id,
        workflowId: flowId,
        workflowName: 'Hello',
        workflowVersion: 1,
        contactId,
        status: 'failed',
        reason: 'step_failed',
        error: 'No.',
        attempt: 2,
        currentStepId: 'end',
        data: { orderId: 7 },
        stepCount: 4,
      },
    ])
    expect(body.steps).toMatchObject([
      {
        stepId: 'hello',
        name: 'Say hello',
        type: 'delay',
        status: 'completed',
        visit: 1,
        try: 1,
        branch: 'yes',
        result: { waited: 1 },
        finishedAt: expect.any(String),
      },
      { stepId: 'end', name: 'The end', status: 'skipped', reason: 'no_reason', result: null },
      { stepId: 'hello', visit: 2 },
      { stepId: 'end', visit: 2, status: 'failed' },
    ])
    expect(new Set(body.steps.map((step: { id: string }) => step.id)).size).toBe(4)
  })

  test('of a step that waits it shows when it ends by itself, and of no other', async () => {
    const id = await execution(await flow(), await make(), { status: 'paused' })
    const dueAt = '2031-05-06T07:08:09.010Z'
    await api.sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status, due_at)
      values (${organizationId}, ${id}, 'hello', 1, 1, 'delay', 'completed', ${dueAt}),
        (${organizationId}, ${id}, 'hello', 2, 2, 'delay', 'executing', ${dueAt}),
        (${organizationId}, ${id}, 'end', 1, 3, 'exit', 'executing', null)`
    const { body } = await read(id)
    expect(body.steps.map((step: { dueAt: unknown }) => step.dueAt)).toEqual([null, dueAt, null])
  })

  test('of more steps than an answer holds the last are shown', async () => {
    const id = await execution(await flow(), await make())
    await api.sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status)
      select ${organizationId}, ${id}, case when n > 1000 then 'end' else 'hello' end,
        case when n > 1000 then n - 1000 else n end, n, 'delay', 'completed'
      from generate_series(1, 1200) n`
    const { body } = await read(id)
    expect(body.stepCount).toBe(1_200)
    expect(body.steps).toHaveLength(1_000)
    expect(body.steps[0]).toMatchObject({ stepId: 'hello', visit: 201 })
    expect(body.steps.at(-1)).toMatchObject({ stepId: 'end', visit: 200 })
  })

  test('another organization’s execution is 403, an unknown one 404', async () => {
    const theirFlow = await seedFlow(api.sql, api.charlie.organizationId)
    const theirs = await seedExecution(api.sql, api.charlie.organizationId, {
      flowId: theirFlow,
      contactId: await make(api.charlie),
    })
    expect((await read(theirs)).status).toBe(403)
    expect((await read(theirs, api.charlie)).status).toBe(200)
    expect((await read(uuidv7())).status).toBe(404)
    expect((await read('no-uuid')).status).toBe(404)
    expect((await api.alice.get(`/v1/workflows/${theirFlow}/executions`)).status).toBe(403)
    expect((await api.alice.get(`/v1/workflows/${uuidv7()}/executions`)).status).toBe(404)
  })

  test('a workflow’s are listed newest first, page by page, by status and by contact', async () => {
    const flowId = await flow()
    const other = await flow()
    const [ada, bea] = await Promise.all([make(), make()])
    const made: Uuid[] = []
    for (const contactId of [ada, bea, ada, bea, ada]) {
      const status = contactId === ada ? 'completed' : 'waiting'
      made.unshift(await execution(flowId, contactId, { status }))
    }
    await execution(other, ada)
    const list = async (query = '') => {
      const { status, body } = await api.alice.get(`/v1/workflows/${flowId}/executions${query}`)
      expect([query, status]).toEqual([query, 200])
      return body
    }
    const first = await list('?limit=3')
    expect(ids(first)).toEqual(made.slice(0, 3))
    expect(first.data[0]).toMatchObject({ workflowId: flowId, contactId: ada, status: 'completed' })
    expect(first.data[0]).not.toHaveProperty('data')
    const late = await execution(flowId, bea)
    const second = await list(`?limit=3&cursor=${first.nextCursor}`)
    expect([ids(second), second.nextCursor]).toEqual([made.slice(3), null])
    expect(ids(await list('?status=waiting'))).toEqual([made[1], made[3]])
    expect(ids(await list(`?contactId=${bea}`))).toEqual([late, made[1], made[3]])
    expect(ids(await list(`?contactId=${bea}&status=completed`))).toEqual([])
    const foreign = await api.alice.get(
      `/v1/workflows/${flowId}/executions?status=waiting&cursor=${first.nextCursor}`,
    )
    expect(foreign.status).toBe(400)
    expect((await api.alice.get(`/v1/workflows/${flowId}/executions?status=x`)).status).toBe(400)
  })

  test('a deleted workflow’s are listed by its id, and by its slug another’s that has it now', async () => {
    const slug = `again-${uuidv7()}`
    const made = async () => (await createFlow(api.alice, smallFlow({ slug }))).id
    const deleted = await made()
    const id = await execution(deleted, await make(), { status: 'failed' })
    expect((await api.alice.delete(`/v1/workflows/${slug}`)).status).toBe(200)
    const list = (name: string, client = api.alice) =>
      client.get(`/v1/workflows/${name}/executions`)
    expect(ids((await list(deleted)).body)).toEqual([id])
    expect((await list(slug)).status).toBe(404)
    const live = await made()
    expect(ids((await list(slug)).body)).toEqual([])
    const other = await execution(live, await make())
    expect(ids((await list(slug)).body)).toEqual([other])
    expect((await list(deleted, api.charlie)).status).toBe(403)
  })

  test('a contact’s are listed over all workflows, by whatever names the contact', async () => {
    const contactId = await make()
    const email = `person-${people}@example.com`
    const first = await execution(await flow(), contactId)
    const second = await execution(await flow(), contactId, { status: 'failed' })
    await execution(await flow(), await make())
    for (const name of [contactId, email, `${email}?by=email`]) {
      const [id, query = ''] = name.split('?')
      const { body } = await api.alice.get(`/v1/contacts/${id}/executions?${query}`)
      expect(ids(body)).toEqual([second, first])
    }
    const { body } = await api.alice.get(`/v1/contacts/${contactId}/executions?status=failed`)
    expect(ids(body)).toEqual([second])
    const theirs = await make(api.charlie)
    expect((await api.alice.get(`/v1/contacts/${theirs}/executions`)).status).toBe(403)
    expect((await api.alice.get(`/v1/contacts/${email}/executions`)).status).toBe(200)
    expect((await api.charlie.get(`/v1/contacts/${email}/executions`)).status).toBe(404)
  })

  test("executions beyond the plan's retention are hidden; live ones never are", async () => {
    const id = uuidv7()
    await organizations.create(api.sql, { id, name: 'Free', plan: 'free' })
    const client = await api.client(id, ['full'])
    const [plan] = await api.sql<{ days: number }[]>`
      select retention_days as days from plans where name = 'free'`
    const long = Date.now() - ((plan?.days ?? 0) + 2) * DAY_MS
    const flowId = await seedFlow(api.sql, id)
    const contactId = await make(client)
    const [over, still, fresh] = [
      await seedExecution(api.sql, id, { flowId, contactId, status: 'completed', madeAt: long }),
      await seedExecution(api.sql, id, { flowId, contactId, status: 'waiting', madeAt: long }),
      await seedExecution(api.sql, id, { flowId, contactId, status: 'completed' }),
    ]
    const shown = [fresh, still]
    for (const url of [
      `/v1/workflows/${flowId}/executions`,
      `/v1/contacts/${contactId}/executions`,
    ]) {
      const first = (await client.get(`${url}?limit=1`)).body
      const second = (await client.get(`${url}?limit=1&cursor=${first.nextCursor}`)).body
      expect([...ids(first), ...ids(second), second.nextCursor]).toEqual([...shown, null])
      expect(ids((await client.get(`${url}?status=completed`)).body)).toEqual([fresh])
    }
    const statuses = [over, still, fresh].map(async (each) => (await read(each, client)).status)
    expect(await Promise.all(statuses)).toEqual([404, 200, 200])
    // One that ran for so long is not gone at the moment it ends.
    await api.sql`update executions set status = 'failed', finished_at = now() where id = ${still}`
    expect((await read(still, client)).status).toBe(200)
    const { body } = await client.get(`/v1/contacts/${contactId}/executions`)
    expect(ids(body)).toEqual(shown)
  })
})

describe('operations', () => {
  const retry = (id: string, client: Client = api.alice) =>
    client.post(`/v1/workflows/executions/${id}/retry`)
  const cancel = (id: string, client: Client = api.alice) =>
    client.post(`/v1/workflows/executions/${id}/cancel`)
  const row = async (id: Uuid) => {
    const [found] = await api.sql<{ status: string; attempt: number; reason: string | null }[]>`
      select status, attempt, reason from executions where id = ${id}`
    return found
  }
  const promises = async (id: Uuid) => {
    const rows = await api.sql<{ attempt: number; requestId: string }[]>`
      select (payload ->> 'attempt')::integer as attempt, request_id
      from outbox
      where kind = 'start_execution' and payload ->> 'executionId' = ${id}`
    return [...rows]
  }

  test('a failed execution is retried: pending again, and promised as the next attempt', async () => {
    const id = await execution(await flow(), await make(), { status: 'failed' })
    const { status, body, headers } = await retry(id.toUpperCase())
    expect([status, body]).toEqual([200, { success: true, executionId: id, status: 'pending' }])
    expect(await row(id)).toMatchObject({ status: 'pending', attempt: 2 })
    expect(await promises(id)).toEqual([{ attempt: 2, requestId: headers['x-request-id'] }])
  })

  test('fifty retries at once: one is 200, the others 409', async () => {
    const id = await execution(await flow(), await make(), { status: 'failed' })
    const answers = await Promise.all(Array.from({ length: 50 }, () => retry(id)))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 409: 49 })
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ code: 'CONFLICT', reason: 'execution_not_failed' })
    expect(await row(id)).toMatchObject({ attempt: 2 })
    expect(await promises(id)).toHaveLength(1)
  })

  test('a live execution is cancelled, a second time as well; a finished one is not', async () => {
    for (const status of ['pending', 'active', 'paused', 'waiting'] as const) {
      const flowId = await flow()
      const id = await execution(flowId, await make(), { status })
      const first = await cancel(id)
      expect([first.status, first.body]).toEqual([
        200,
        { success: true, executionId: id, status: 'cancelled' },
      ])
      const second = await cancel(id)
      expect([second.status, second.body]).toEqual([200, first.body])
      expect(await row(id)).toMatchObject({ status: 'cancelled' })
      expect(await countersOf(api.sql, flowId)).toMatchObject({ cancelled: 1 })
    }
    for (const status of ['completed', 'failed'] as const) {
      const id = await execution(await flow(), await make(), { status })
      const refused = await cancel(id)
      expect([refused.status, refused.body.reason]).toEqual([409, 'execution_over'])
      expect(await row(id)).toMatchObject({ status, reason: null })
    }
  })

  test('an execution that has not failed is not retried', async () => {
    for (const status of ['pending', 'waiting', 'completed', 'cancelled'] as const) {
      const id = await execution(await flow(), await make(), { status })
      const { status: answered, body } = await retry(id)
      expect([answered, body.reason]).toEqual([409, 'execution_not_failed'])
      expect(await row(id)).toMatchObject({ status, attempt: 1 })
      expect(await promises(id)).toEqual([])
    }
  })

  test('of a deleted workflow nothing is retried: no mail of it leaves any more', async () => {
    const flowId = await flow()
    const id = await execution(flowId, await make(), { status: 'failed' })
    expect((await api.alice.delete(`/v1/workflows/${flowId}`)).status).toBe(200)
    const { status, body } = await retry(id)
    expect([status, body.reason]).toEqual([409, 'workflow_deleted'])
    expect(await row(id)).toMatchObject({ status: 'failed', attempt: 1 })
    expect(await promises(id)).toEqual([])
  })

  test('none is retried beside as many as its workflow runs at once', async () => {
    const flowId = await flow()
    await api.sql`update flows set max_concurrent = 1 where id = ${flowId}`
    const id = await execution(flowId, await make(), { status: 'failed' })
    const other = await execution(flowId, await make(), { status: 'waiting' })
    const { status, body } = await retry(id)
    expect([status, body.reason]).toEqual([409, 'workflow_full'])
    expect(await row(id)).toMatchObject({ status: 'failed', attempt: 1 })
    expect((await cancel(other)).status).toBe(200)
    expect((await retry(id)).status).toBe(200)
  })

  test('a stranger’s execution is 403 and stays as it is, an unknown one 404', async () => {
    const { organizationId: other } = api.charlie
    const flowId = await seedFlow(api.sql, other)
    const contactId = await make(api.charlie)
    const failed = await seedExecution(api.sql, other, { flowId, contactId, status: 'failed' })
    const waiting = await seedExecution(api.sql, other, { flowId, contactId, status: 'waiting' })
    expect([(await retry(failed)).status, (await cancel(waiting)).status]).toEqual([403, 403])
    expect([(await row(failed))?.status, (await row(waiting))?.status]).toEqual([
      'failed',
      'waiting',
    ])
    for (const id of [uuidv7(), 'no-uuid']) {
      expect([(await retry(id)).status, (await cancel(id)).status]).toEqual([404, 404])
    }
  })

  test('a key that may only send events may neither retry nor cancel', async () => {
    const key = await api.client(organizationId, ['events', 'read', 'contacts', 'send'])
    const id = await execution(await flow(), await make(), { status: 'failed' })
    expect([(await retry(id, key)).status, (await cancel(id, key)).status]).toEqual([403, 403])
    expect(await row(id)).toMatchObject({ status: 'failed' })
  })
})
