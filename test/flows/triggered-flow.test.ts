import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Step } from '../../src/domain/flows/flow.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { type Engine, startEngine, until } from '../support/engine.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { countersOf, executionsOf, seedFlow } from '../support/seed-flow.ts'

const STEPS: Step[] = [
  {
    id: 'big',
    type: 'condition',
    name: 'A big one?',
    config: {
      condition: {
        logic: 'AND',
        groups: [
          { filters: [{ field: 'trigger.data.total', operator: 'greaterThan', value: 10 }] },
        ],
      },
    },
  },
  { id: 'end', type: 'exit', name: 'The end', config: { outcome: 'completed' } },
]

let api: Api
let engine: Engine

beforeAll(async () => {
  api = await startApi()
  engine = await startEngine({ databaseUrl: api.databaseUrl, mailer: fakeMailer(() => sent(), 5) })
})
afterAll(async () => {
  await engine.stop()
  await api.close()
})

const over = (flowId: string) =>
  until(async () => {
    const rows = await executionsOf(api.sql, flowId)
    return rows.every(({ status }) => status === 'completed') ? rows : undefined
  })

it('an event of a contact runs a flow to its end, and the API shows each step', async () => {
  const flowId = await seedFlow(api.sql, api.alice.organizationId, {
    trigger: { type: 'contact_created' },
    steps: STEPS,
  })
  const { id: contactId } = await createContact(api.alice, { email: 'ada@example.com' })
  const [execution] = await over(flowId)
  const { body } = await api.alice.get(`/v1/workflows/executions/${execution?.id}`)
  expect(body).toMatchObject({ status: 'completed', contactId, attempt: 1, stepCount: 2 })
  expect(body.startedAt).toEqual(expect.any(String))
  expect(body.finishedAt).toEqual(expect.any(String))
  expect(body.steps).toMatchObject([
    { stepId: 'big', name: 'A big one?', type: 'condition', status: 'completed', branch: 'no' },
    { stepId: 'end', name: 'The end', type: 'exit', status: 'completed', branch: null },
  ])
  const listed = await api.alice.get(`/v1/contacts/${contactId}/executions`)
  expect(listed.body.data).toMatchObject([{ id: execution?.id, status: 'completed' }])
})

it('a hundred that are triggered at once all run, each once, with the data of its own', async () => {
  const flowId = await seedFlow(api.sql, api.alice.organizationId, { steps: STEPS })
  const people = Array.from({ length: 100 }, (_, n) => ({ email: `crowd-${n}@example.com` }))
  await api.alice.post('/v1/contacts/batch', { contacts: people })
  const { body } = await api.alice.post(`/v1/workflows/${flowId}/trigger/batch`, {
    contacts: people.map(({ email }, n) => ({ contactEmail: email, data: { total: n } })),
  })
  expect(body.triggered).toBe(100)
  const rows = await over(flowId)
  expect(rows).toHaveLength(100)
  expect(await countersOf(api.sql, flowId)).toMatchObject({ started: 100, dropped: 0 })
  const branches = await api.sql<{ branch: string; times: number }[]>`
    select branch, count(*)::integer as times
    from execution_steps s
    join executions e on e.organization_id = s.organization_id and e.id = s.execution_id
    where e.flow_id = ${flowId} and s.step_id = 'big'
    group by branch
    order by branch`
  expect([...branches]).toEqual([
    { branch: 'no', times: 11 },
    { branch: 'yes', times: 89 },
  ])
  const handle = engine.client.workflow.getHandle(executionWorkflowId(rows[0]?.id ?? '', 1))
  const status = await until(async () => {
    const { status } = await handle.describe()
    return status.name === 'RUNNING' ? undefined : status.name
  })
  expect(status).toBe('COMPLETED')
})
