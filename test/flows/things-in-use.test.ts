import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Condition } from '../../src/domain/audience/condition.ts'
import type { Settings, Step, Trigger } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { transact } from '../../src/store/db/sql.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { seedExecution, seedFlow } from '../support/seed-flow.ts'
import { insertTopic } from '../support/topics.ts'

let api: Api
let contactId: Uuid
beforeAll(async () => {
  api = await startApi()
  contactId = (await createContact(api.alice, { email: 'ada@example.com' })).id
})
afterAll(() => api.close())

type Kind = 'template' | 'topic' | 'segment'

const make: Record<Kind, () => Promise<Uuid>> = {
  template: async () => {
    const { body } = await api.alice.post('/v1/templates', { name: 'T', source: '<p>x</p>' })
    return body.id
  },
  topic: () => insertTopic(api.sql, api.alice.organizationId),
  segment: async () => {
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'email', operator: 'exists' }] }],
    }
    return (await api.alice.post('/v1/segments', { name: 'S', condition })).body.id
  },
}
const remove = (kind: Kind, id: Uuid) => api.alice.delete(`/v1/${kind}s/${id}`)

/** A condition that asks about the topic in a nested one. */
const asking = (topicId: Uuid): Condition => ({
  logic: 'OR',
  groups: [
    { filters: [{ field: 'firstName', operator: 'exists' }] },
    {
      filters: [],
      nested: {
        logic: 'AND',
        groups: [{ filters: [{ field: 'topics', operator: 'hasTopic', value: topicId }] }],
      },
    },
  ],
})
const END: Step = { id: 'end', type: 'exit', name: 'End', config: { outcome: 'completed' } }
const step = (type: Step['type'], config: object): { steps: Step[] } => ({
  steps: [{ id: 'it', type, name: 'It', config } as Step, END],
})
const trigger = (given: object): { trigger: Trigger } => ({ trigger: given as Trigger })
const exitOn = (condition: Condition): { settings: Partial<Settings> } => ({
  settings: { exitOn: { events: [], condition } },
})

const PLACES: { kind: Kind; place: string; naming: (id: Uuid) => object }[] = [
  {
    kind: 'template',
    place: 'a mail',
    naming: (templateId) => step('send_email', { from: 'a@b.example', templateId }),
  },
  {
    kind: 'template',
    place: 'a mail, in capital letters,',
    naming: (id) => step('send_email', { from: 'a@b.example', templateId: id.toUpperCase() }),
  },
  { kind: 'topic', place: 'a mail', naming: (topicId) => step('send_email', { topicId }) },
  { kind: 'topic', place: 'a step', naming: (topicId) => step('subscribe_topic', { topicId }) },
  { kind: 'topic', place: 'a step', naming: (topicId) => step('unsubscribe_topic', { topicId }) },
  {
    kind: 'topic',
    place: 'a condition',
    naming: (id) => step('condition', { condition: asking(id) }),
  },
  { kind: 'topic', place: 'what ends executions', naming: (id) => exitOn(asking(id)) },
  {
    kind: 'topic',
    place: 'the trigger',
    naming: (topicId) => trigger({ type: 'topic_unsubscribed', topicId }),
  },
  ...(['segment_entry', 'segment_exit', 'schedule'] as const).map((type) => ({
    kind: 'segment' as const,
    place: `the trigger ${type}`,
    naming: (segmentId: Uuid) => trigger({ type, segmentId, cron: '0 9 * * *', timezone: 'UTC' }),
  })),
]

const seed = (more: object) => seedFlow(api.sql, api.alice.organizationId, more)
const start = (flowId: Uuid, status: 'waiting' | 'failed' = 'waiting') =>
  seedExecution(api.sql, api.alice.organizationId, { flowId, contactId, status })
const finish = (id: Uuid) => api.sql`
  update executions
  set status = 'completed', finished_at = now()
  where id = ${id}`
const disable = (id: Uuid) => api.sql`update flows set enabled = false where id = ${id}`

/** The flow gets another version, which names nothing. */
async function change(flowId: Uuid): Promise<void> {
  await api.sql`
    insert into flow_versions (organization_id, flow_id, version, definition)
    values (${api.alice.organizationId}, ${flowId}, 2, ${api.sql.json({ steps: [END], settings: {} })})`
  await api.sql`update flows set version = 2 where id = ${flowId}`
}

describe.each(PLACES)('a $kind that $place names', ({ kind, naming }) => {
  test('is not deleted while the workflow is enabled, or an execution of that version lives', async () => {
    const id = await make[kind]()
    const flowId = await seed({ ...naming(id), name: 'Welcome' })
    const refused = await remove(kind, id)
    expect([refused.status, refused.body.reason]).toEqual([409, `${kind}_in_use`])
    expect(refused.body.error).toBe(`The ${kind} is used by the workflow "Welcome"`)

    const executionId = await start(flowId)
    await change(flowId)
    const byExecutions = await remove(kind, id)
    expect(byExecutions.status).toBe(409)
    expect(byExecutions.body.error).toBe(
      `The ${kind} is used by the workflow "Welcome" in executions that are not over`,
    )
    expect(byExecutions.body.details).toEqual([
      { path: 'id', message: `is used by executions of the workflow ${flowId}` },
    ])
    await disable(flowId)
    expect((await remove(kind, id)).status).toBe(409)

    await finish(executionId)
    expect((await remove(kind, id)).status).toBe(200)
  })
})

test('a template that only executions need is not archived either', async () => {
  const id = await make.template()
  const flowId = await seed({
    ...step('send_email', { from: 'a@b.example', templateId: id }),
    enabled: false,
  })
  const executionId = await start(flowId)
  const archive = () => api.alice.patch(`/v1/templates/${id}`, { status: 'ARCHIVED' })
  expect((await archive()).body.reason).toBe('template_in_use')
  await finish(executionId)
  expect((await archive()).status).toBe(200)
})

test('a topic is not deleted while an execution lives that a subscription to it started', async () => {
  const [topicId, other] = [await make.topic(), await make.topic()]
  const flowId = await seed(trigger({ type: 'topic_subscribed' }))
  const executionId = await start(flowId)
  await api.sql`update executions set topic_id = ${topicId} where id = ${executionId}`
  expect((await remove('topic', topicId)).body.reason).toBe('topic_in_use')
  expect((await remove('topic', other)).status).toBe(200)
  await finish(executionId)
  expect((await remove('topic', topicId)).status).toBe(200)
})

test('neither failed executions, nor deleted workflows, nor another organization’s use it', async () => {
  const id = await make.topic()
  const failed = await seed({ ...step('subscribe_topic', { topicId: id }), enabled: false })
  await start(failed, 'failed')
  const deleted = await seed({ ...step('subscribe_topic', { topicId: id }), enabled: false })
  await start(deleted)
  await api.sql`update flows set deleted_at = now() where id = ${deleted}`
  await seedFlow(api.sql, api.charlie.organizationId, step('subscribe_topic', { topicId: id }))
  expect((await remove('topic', id)).status).toBe(200)
})

test('an execution that is being started when its workflow is disabled is seen', async () => {
  const id = await make.topic()
  const flowId = await seed(step('subscribe_topic', { topicId: id }))
  const { organizationId } = api.alice
  let removal: ReturnType<typeof remove> | undefined
  await transact(api.sql, async (tx) => {
    await tx`insert into executions ${tx({ organizationId, id: uuidv7(), flowId, version: 1, contactId, dedupeKey: uuidv7() })}`
    await disable(flowId)
    removal = remove('topic', id)
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
  })
  expect((await removal)?.body.reason).toBe('topic_in_use')
})

const waiting = async () => {
  const [row] = await api.sql<{ count: number }[]>`
    select count(*)::integer as count
    from pg_locks
    join pg_stat_activity using (pid)
    where datname = current_database() and not granted`
  return row?.count ?? 0
}

test('a workflow whose topic is deleted cannot be enabled: the step is named', async () => {
  const id = await make.topic()
  const created = await api.alice.post('/v1/workflows', {
    name: 'Joins',
    triggerType: 'api',
    steps: [{ id: 'join', type: 'subscribe_topic', name: 'Join', config: { topicId: id } }],
  })
  expect((await remove('topic', id)).status).toBe(200)
  const refused = await api.alice.post(`/v1/workflows/${created.body.id}/enable`)
  expect(refused).toMatchObject({
    status: 400,
    body: {
      reason: 'workflow_not_runnable',
      details: [
        {
          path: 'steps[0].config.topicId',
          message: 'Step "Join" (join): config.topicId names a topic that is deleted',
        },
      ],
    },
  })
})
