import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import * as schedules from '../../src/store/flows/schedules.ts'
import { type Api, type Client, startApi } from '../support/api.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const condition = {
  logic: 'AND',
  groups: [{ filters: [{ field: 'properties.plan', operator: 'equals', value: 'pro' }] }],
}
const segment = async (client: Client): Promise<Uuid> =>
  (await client.post('/v1/segments', { name: 'Paying', condition })).body.id
const flow = (segmentId: string, more: object = {}) => ({
  name: 'Weekly',
  triggerType: 'schedule',
  triggerConfig: { cron: '0 9 * * mon', segmentId },
  steps: [{ id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }],
  transitions: [{ from: 'trigger', to: 'end' }],
  ...more,
})
const save = (client: Client, segmentId: string, more?: object) =>
  client.post('/v1/workflows', flow(segmentId, more))

test('a schedule keeps its segment, which cannot be deleted while it is enabled', async () => {
  const id = await segment(api.alice)
  const { status, body } = await save(api.alice, id.toUpperCase())
  expect([status, body.triggerConfig]).toEqual([
    201,
    { cron: '0 9 * * mon', timezone: 'UTC', segmentId: id },
  ])
  const path = `/v1/workflows/${body.id}`
  expect((await api.alice.post(`${path}/enable`)).status).toBe(200)
  const refused = await api.alice.delete(`/v1/segments/${id}`)
  expect(refused).toMatchObject({ status: 409, body: { reason: 'segment_in_use' } })
  expect(refused.body.error).toContain('the workflow "Weekly"')
  await api.alice.post(`${path}/disable`)
  expect((await api.alice.delete(`/v1/segments/${id}`)).status).toBe(200)
  expect(await api.alice.post(`${path}/enable`)).toMatchObject({
    status: 400,
    body: {
      reason: 'workflow_not_runnable',
      details: [{ path: 'triggerConfig.segmentId' }],
    },
  })
})

test('a segment that is not there is 400, another organization’s 403, and none on the free plan', async () => {
  for (const id of [uuidv7(), 'paying']) {
    expect(await save(api.alice, id)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'triggerConfig.segmentId' }] },
    })
  }
  const foreign = await segment(api.charlie)
  expect((await save(api.alice, foreign)).status).toBe(403)
  const organizationId = uuidv7()
  await api.sql`insert into organizations (id, name, plan) values (${organizationId}, 'Own', 'free')`
  const free = await api.client(organizationId, ['full'])
  expect((await save(free, foreign)).status).toBe(402)
  const made = await api.sql`select from flows where trigger_key = ${foreign}`
  expect(made.length).toBe(0)
})

test('either enabling a schedule or a concurrent deletion of its segment wins', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await segment(api.alice)
    const { body } = await save(api.alice, id)
    const [enabled, deleted] = await Promise.all([
      api.alice.post(`/v1/workflows/${body.id}/enable`),
      api.alice.delete(`/v1/segments/${id}`),
    ])
    expect([
      [200, 409],
      [400, 200],
    ]).toContainEqual([enabled.status, deleted.status])
  }
})

test('a workflow says which moment of its schedule failed, and why', async () => {
  const { body } = await save(api.alice, await segment(api.alice))
  expect(body.scheduleFailure).toBe(null)
  const { organizationId } = api.alice
  const moment = { organizationId, flowId: body.id, firedFor: '2026-11-23T09:00:00.000Z' }
  await schedules.recordFailure(api.sql, moment, 'segment_too_slow')
  const scheduleFailure = { scheduledFor: moment.firedFor, reason: 'segment_too_slow' }
  const path = `/v1/workflows/${body.id}`
  const shown = await api.alice.get(path)
  expect(shown.body.scheduleFailure).toEqual(scheduleFailure)
  // What was read can be sent back.
  expect((await api.alice.patch(path, { ...shown.body, name: 'Monthly' })).status).toBe(200)
  const { data } = (await api.alice.get('/v1/workflows?search=Monthly')).body
  expect(data).toMatchObject([{ name: 'Monthly', scheduleFailure }])
})
