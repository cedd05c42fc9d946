import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Trigger } from '../../src/domain/flows/flow.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Answer, type Api, startApi, tally } from '../support/api.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { seedFlow } from '../support/seed-flow.ts'
import { insertTopic } from '../support/topics.ts'

const MOST = 20
const ORDERED: Trigger = { type: 'event', name: 'ordered' }

let api: Api
beforeAll(async () => {
  api = await startApi()
})
beforeEach(async () => {
  await api.sql`update flows set enabled = false`
})
afterAll(() => api.close())

const seed = (count: number, trigger: Trigger = ORDERED) =>
  Promise.all(
    Array.from({ length: count }, () => seedFlow(api.sql, api.alice.organizationId, { trigger })),
  )
const onEvent = (eventName: string, changes: object = {}) =>
  smallFlow({ triggerType: 'event', triggerConfig: { eventName }, ...changes })
const create = (input: object) => api.alice.post('/v1/workflows', input)
const enable = (id: string) => api.alice.post(`/v1/workflows/${id}/enable`)
const patch = (id: string, body: object) => api.alice.patch(`/v1/workflows/${id}`, body)
const push = (workflow: object, dryRun = false) =>
  api.alice.post('/v1/workflows/push', { workflows: [workflow], force: true, dryRun })

const expectRefused = ({ status, body }: Answer) =>
  expect([status, body.reason, body.error]).toEqual([
    409,
    'trigger_limit',
    `${MOST} workflows with the trigger event ordered are enabled already`,
  ])

describe('while as many workflows of an event are enabled as may be', () => {
  test('none is created enabled or enabled; one that is disabled may be there', async () => {
    await seed(MOST)
    expectRefused(await create(onEvent('ordered', { enabled: true })))
    const { id } = await createFlow(api.alice, onEvent('ordered'))
    expectRefused(await enable(id))
    expectRefused(await patch(id, { enabled: true }))
    expectRefused(await patch(id, { enabled: true, name: 'Renamed' }))
    const { body } = await api.alice.get(`/v1/workflows/${id}`)
    expect(body).toMatchObject({ enabled: false, name: 'Small' })
  })

  test('an enabled one gets this trigger by no change and no push', async () => {
    await seed(MOST)
    const slug = `viewed-${uuidv7()}`
    const { id } = await createFlow(api.alice, onEvent('viewed', { slug, enabled: true }))
    expectRefused(await patch(id, { triggerConfig: { eventName: 'ordered' } }))
    expectRefused(await push(onEvent('ordered', { slug })))
    expectRefused(await push(onEvent('ordered', { slug }), true))
    const { body } = await api.alice.get(`/v1/workflows/${id}`)
    expect(body).toMatchObject({
      enabled: true,
      version: 1,
      triggerConfig: { eventName: 'viewed' },
    })
    await api.alice.post(`/v1/workflows/${id}/disable`)
    expect((await push(onEvent('ordered', { slug }))).status).toBe(200)
    expectRefused(await enable(id))
  })

  test('those that are enabled can be changed and stay enabled, also when there are more', async () => {
    const [id = ''] = await seed(MOST + 2)
    const filter = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'event.properties.total', operator: 'exists' }] }],
    }
    const changes = { name: 'Renamed', triggerConfig: { eventName: 'ordered', filter } }
    expect((await patch(id, changes)).body).toMatchObject({ enabled: true, version: 2 })
    const { slug } = (await enable(id)).body
    expect((await push(onEvent('ordered', { slug }))).body.results).toMatchObject([
      { outcome: 'updated', version: 3 },
    ])
    expect((await api.alice.get(`/v1/workflows/${id}`)).body.enabled).toBe(true)
  })

  test('a place is free once one is disabled or deleted; others are counted apart', async () => {
    const [first, second] = await seed(MOST)
    await seed(MOST, { type: 'contact_created' })
    expect((await create(onEvent('viewed', { enabled: true }))).status).toBe(201)
    expect((await api.charlie.post('/v1/workflows', onEvent('ordered'))).status).toBe(201)
    const { id } = await createFlow(api.alice, onEvent('ordered'))
    await api.alice.post(`/v1/workflows/${first}/disable`)
    expect((await enable(id)).status).toBe(200)
    expectRefused(await enable(first ?? ''))
    await api.alice.delete(`/v1/workflows/${second}`)
    expect((await enable(first ?? '')).status).toBe(200)
  })

  test('of those who want the last place at once one gets it', async () => {
    await seed(MOST - 1)
    const slug = `pushed-${uuidv7()}`
    await createFlow(api.alice, onEvent('viewed', { slug, enabled: true }))
    const made = async () => (await createFlow(api.alice, onEvent('ordered'))).id
    const [one, two, three] = [await made(), await made(), await made()]
    const answers = await Promise.all([
      enable(one),
      enable(two),
      patch(three, { enabled: true }),
      create(onEvent('ordered', { enabled: true })),
      push(onEvent('ordered', { slug })),
    ])
    expect(tally(answers.map(({ status }) => (status < 300 ? 'done' : status)))).toEqual({
      done: 1,
      409: 4,
    })
    const [row] = await api.sql<{ count: number }[]>`
      select count(*)::integer as count from flows where enabled and trigger_key = 'ordered'`
    expect(row?.count).toBe(MOST)
  })
})

test('each topic, any topic and each kind of trigger has a limit of its own', async () => {
  const topicId = await insertTopic(api.sql, api.alice.organizationId, { slug: 'news' })
  const joined = { type: 'topic_subscribed' } as const
  await Promise.all([seed(MOST, { ...joined, topicId }), seed(MOST, { type: 'contact_updated' })])
  const refused = async (triggerType: string, triggerConfig: object = {}) =>
    (await create(smallFlow({ triggerType, triggerConfig, enabled: true }))).body.reason
  expect(await refused('topic_subscribed', { topicId })).toBe('trigger_limit')
  expect(await refused('topic_subscribed')).toBeUndefined()
  expect(await refused('topic_unsubscribed', { topicId })).toBeUndefined()
  expect(await refused('contact_updated')).toBe('trigger_limit')
  expect(await refused('contact_created')).toBeUndefined()
})

test('a trigger that names one workflow has no limit', async () => {
  await seed(MOST)
  await seed(MOST, { type: 'api' })
  await seed(MOST, { type: 'schedule', cron: '0 9 * * *', timezone: 'UTC' })
  expect((await create(smallFlow({ enabled: true }))).status).toBe(201)
  const scheduled = { triggerType: 'schedule', triggerConfig: { cron: '0 9 * * *' } }
  expect((await create(smallFlow({ ...scheduled, enabled: true }))).status).toBe(201)
})
