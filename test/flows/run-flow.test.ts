import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pointOf } from '../../activities/flows/run-step.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import { branchAt } from '../../src/domain/flows/split.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import {
  executionRow,
  figures,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
} from '../support/flows.ts'
import { seedOrganization, seedTopic } from '../support/seed.ts'
import { type TimeSkipping, timeSkipping } from '../support/temporal.ts'
import { expectWarnings } from '../support/worker-log.ts'
import { connectAs } from '../support/logins.ts'

expectWarnings(
  /^Workflow failed runFlow .* failed: (not_a_number|no|not_available|too_many_visits)$/,
)

const DAY_MS = 86_400_000
const keyring = parseKeyring(newKeyringText())
let database: TestDatabase
let sql: Sql
let workerSql: Sql
let time: TimeSkipping
let worker: FlowWorker
let organizationId: string

beforeAll(async () => {
  ;[database, time] = await Promise.all([createDatabase(), timeSkipping()])
  sql = database.sql
  workerSql = connectAs(database.url, { name: 'flows', role: 'letterloom_worker' })
  worker = await startFlowWorker(time, {
    sql: workerSql,
    content: { keyring, publicUrl: 'https://mail.example.com' },
    aheadMs: async () => Number(await time.now()) - Date.now(),
  })
})
afterAll(async () => {
  await worker.stop()
  await time.close()
  await workerSql.end()
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
})

async function seedContact(columns: Record<string, unknown> = {}): Promise<string> {
  const id = uuidv7()
  const email = `${id}@example.com`
  await sql`insert into contacts ${sql({ organizationId, id, email, emailStatus: 'active', ...columns })}`
  return id
}

interface Options {
  /** Columns of the contact. */
  contact?: Record<string, unknown>
  contactId?: string
  data?: Record<string, unknown>
  topicId?: string
  /** After the execution began, once it sleeps. */
  meanwhile?: (ids: { contactId: string; executionId: string }) => Promise<unknown>
}

/** Runs a flow for a contact to its end, however many days that takes. */
async function run(sketch: FlowSketch, options: Options = {}) {
  const { meanwhile, data, topicId } = options
  const flow = await seedFlow(sql, organizationId, sketch)
  const contactId = options.contactId ?? (await seedContact(options.contact))
  const more = { ...(data ? { data } : {}), ...(topicId === undefined ? {} : { topicId }) }
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId], more)
  const startedAt = Number(await time.now())
  const handle = await worker.start({ organizationId, executionId })
  if (meanwhile) {
    await until(async () => (await executionRow(sql, executionId)).status === 'paused')
    await meanwhile({ contactId, executionId })
  }
  const end = await endOf(time.result(handle))
  const endedAt = await time.closedAt(handle)
  return {
    end,
    endedAt,
    days: (Number(endedAt) - startedAt) / DAY_MS,
    row: await executionRow(sql, executionId),
    path: await path(sql, executionId),
    figures: await figures(sql, flow),
    executionId,
    contactId,
  }
}

const COMPLETED = { status: 'completed', reason: null }
const oneDay = { type: 'delay', config: { amount: 1, unit: 'days' } } as const
const count = { type: 'update_contact', config: { increment: { 'properties.n': 1 } } } as const

const asks = (field: string, operator: string, value: unknown): Condition =>
  ({ logic: 'AND', groups: [{ filters: [{ field, operator, value }] }] }) as Condition
const isVip = asks('properties.plan', 'equals', 'vip')

const contactOf = async (contactId: string) => {
  const [contact] = await sql<Record<string, unknown>[]>`
    select first_name, properties, email_status from contacts where id = ${contactId}`
  return contact
}

describe('a delay', () => {
  it('of three days takes three days, and the execution is completed', async () => {
    const done = await run({
      steps: [{ id: 'wait', type: 'delay', config: { amount: 3, unit: 'days' } }],
    })
    expect(done.end).toEqual(COMPLETED)
    expect(done.days).toBeGreaterThanOrEqual(3)
    expect(done.days).toBeLessThan(3.01)
    expect(done.row).toMatchObject({ status: 'completed', attempt: 1 })
    expect(done.path).toEqual(['wait completed'])
    expect(done.figures).toMatchObject({ started: 1, completed: 1, live: 0 })
  })

  it('is paused while it lasts', async () => {
    const seen: unknown[] = []
    await run(
      { steps: [{ id: 'wait', ...oneDay }] },
      {
        meanwhile: async ({ executionId }) =>
          seen.push((await executionRow(sql, executionId)).status),
      },
    )
    expect(seen).toEqual(['paused'])
  })
})

describe('a delay until a time of day', () => {
  const atNine = (timezone: string): FlowSketch => ({
    steps: [{ id: 'wait', type: 'delay', config: { until: { time: '09:00', timezone } } }],
  })
  const clockIn = (timeZone: string, at: Date): string => {
    const hours = { timeZone, hour: '2-digit', minute: '2-digit', hour12: false } as const
    return new Intl.DateTimeFormat('en', hours).format(at)
  }

  it('ends when it is that late where the contact lives', async () => {
    const contact = { properties: { timezone: 'Asia/Kathmandu' } }
    const done = await run(atNine('contact'), { contact })
    expect(done.end).toEqual(COMPLETED)
    expect(clockIn('Asia/Kathmandu', done.endedAt)).toBe('09:00')
    expect(done.days).toBeLessThanOrEqual(1.01)
  })

  it('is in UTC where nobody knows that', async () => {
    const contact = { properties: { timezone: 'somewhere nice' } }
    const done = await run(atNine('contact'), { contact })
    expect(clockIn('UTC', done.endedAt)).toBe('09:00')
  })

  it('is in the zone that the flow names', async () => {
    const contact = { properties: { timezone: 'Asia/Kathmandu' } }
    const done = await run(atNine('America/New_York'), { contact })
    expect(clockIn('America/New_York', done.endedAt)).toBe('09:00')
  })
})

describe('a condition', () => {
  const sketch = (condition: Condition): FlowSketch => ({
    steps: [
      { id: 'asks', type: 'condition', config: { condition } },
      { id: 'rich', type: 'exit', config: { outcome: 'completed', reason: 'rich' } },
      { id: 'poor', type: 'exit', config: { outcome: 'cancelled', reason: 'poor' } },
    ],
    transitions: ['asks:yes>rich', 'asks:no>poor'],
  })

  it('that holds takes its branch', async () => {
    const done = await run(sketch(isVip), { contact: { properties: { plan: 'vip' } } })
    expect(done.end).toEqual({ status: 'completed', reason: 'rich' })
    expect(done.path).toEqual(['asks completed yes', 'rich completed'])
  })

  it('that does not hold takes the other', async () => {
    const done = await run(sketch(isVip), { contact: { properties: { plan: 'free' } } })
    expect(done.end).toEqual({ status: 'cancelled', reason: 'poor' })
    expect(done.row).toMatchObject({ status: 'cancelled', reason: 'poor' })
    expect(done.path).toEqual(['asks completed no', 'poor completed'])
    expect(done.figures).toMatchObject({ cancelled: 1, completed: 0, live: 0 })
  })

  it('asks what the execution was started with, topics and events of the contact', async () => {
    const data = { order: { total: 70 } }
    const large = asks('trigger.data.order.total', 'greaterThan', 50)
    expect((await run(sketch(large), { data })).path[0]).toBe('asks completed yes')

    const contactId = await seedContact()
    const topicId = await seedTopic(sql, organizationId, [contactId])
    const hasTopic = sketch(asks('topics', 'hasTopic', topicId))
    expect((await run(hasTopic, { contactId })).path[0]).toBe('asks completed yes')
    expect((await run(hasTopic)).path[0]).toBe('asks completed no')

    const bought = sketch(asks('event.bought', 'triggeredAtLeast', 2))
    for (let each = 0; each < 2; each++) {
      expect((await run(bought, { contactId })).path[0]).toBe('asks completed no')
      await sql`
        insert into events (organization_id, id, contact_id, name, occurred_at)
        values (${organizationId}, ${uuidv7()}, ${contactId}, 'bought', now())`
    }
    expect((await run(bought, { contactId })).path[0]).toBe('asks completed yes')
    expect((await run(bought)).path[0]).toBe('asks completed no')
  })
})

describe('a split', () => {
  const branches = [
    { name: 'most', weight: 3 },
    { name: 'few', weight: 1 },
    { name: 'none', weight: 0 },
  ]

  it('sends an execution the way that its id says, always the same', async () => {
    const done = await run({
      steps: [
        { id: 'ways', type: 'split', config: { branches } },
        { id: 'wait', ...oneDay },
        { id: 'asks', type: 'condition', config: { condition: asks('properties.n', 'equals', 3) } },
        { id: 'count', ...count },
      ],
      transitions: ['ways>wait', 'wait>count', 'count>asks', 'asks:no>ways'],
    })
    expect(done.end).toEqual(COMPLETED)
    const way = branchAt(branches, pointOf(done.executionId, 'ways'))
    expect(done.path.filter((line) => line.startsWith('ways'))).toEqual([
      `ways completed ${way}`,
      `ways#2 completed ${way}`,
      `ways#3 completed ${way}`,
    ])
    expect(done.days).toBeGreaterThanOrEqual(3)
  })

  it('sends as many each way as the weights say', () => {
    const ways = Array.from({ length: 4_000 }, () => branchAt(branches, pointOf(uuidv7(), 'ways')))
    const share = (name: string) => ways.filter((way) => way === name).length / ways.length
    expect(share('most')).toBeGreaterThan(0.72)
    expect(share('most')).toBeLessThan(0.78)
    expect(share('none')).toBe(0)
    expect(branchAt(branches, 0)).toBe('most')
    expect(branchAt(branches, 1 - Number.EPSILON)).toBe('few')
  })
})

describe('an update of the contact', () => {
  it('is written once, and skipped where it changes nothing', async () => {
    const set = { firstName: 'Grace', 'properties.plan': 'vip' }
    const done = await run({
      steps: [
        { id: 'change', type: 'update_contact', config: { set } },
        { id: 'again', type: 'update_contact', config: { set } },
        { id: 'count', ...count },
      ],
    })
    expect(done.path).toEqual(['change completed', 'again skipped', 'count completed'])
    expect(await contactOf(done.contactId)).toMatchObject({
      firstName: 'Grace',
      properties: { plan: 'vip', n: 1 },
      emailStatus: 'active',
    })
  })

  it('starts no flow, not even one that changes of contacts start', async () => {
    const { flowId } = await seedFlow(sql, organizationId, {
      trigger: { type: 'contact_updated' },
      steps: [{ id: 'count', ...count }],
    })
    await run({ steps: [{ id: 'count', ...count }] })
    expect(await sql`select from executions where flow_id = ${flowId}`).toHaveLength(0)
  })

  it('that cannot be made fails the execution there, and leaves the contact', async () => {
    const increment = { 'properties.n': 1, 'properties.plan': 1 }
    const done = await run(
      { steps: [{ id: 'change', name: 'Count', type: 'update_contact', config: { increment } }] },
      { contact: { properties: { plan: 'vip' } } },
    )
    expect(done.end).toBe('The step "Count" failed: not_a_number')
    expect(done.row).toMatchObject({ status: 'failed', error: 'properties.plan is not a number' })
    expect(await contactOf(done.contactId)).toMatchObject({ properties: { plan: 'vip' } })
  })
})

describe('topics', () => {
  const standing = async (contactId: string) =>
    sql`select topic_id, status from subscriptions where contact_id = ${contactId}`
  const subscribing = (topicId: string): FlowSketch => ({
    steps: [{ id: 'join', type: 'subscribe_topic', config: { topicId } }],
  })

  it('are subscribed to, with the flow on record as the source', async () => {
    const topicId = await seedTopic(sql, organizationId)
    const done = await run(subscribing(topicId))
    expect(done.path).toEqual(['join completed'])
    expect(await standing(done.contactId)).toEqual([{ topicId, status: 'subscribed' }])
    expect(
      await sql`select kind, source from consent_events where contact_id = ${done.contactId}`,
    ).toEqual([{ kind: 'subscribed', source: 'workflow' }])
  })

  it('with double opt-in ask first, and the execution goes on', async () => {
    const topicId = await seedTopic(sql, organizationId, [], { doubleOptIn: true })
    const done = await run(subscribing(topicId))
    expect(done.path).toEqual(['join completed'])
    expect(await standing(done.contactId)).toEqual([{ topicId, status: 'pending' }])
    expect(
      await sql`
        select kind from outbox where payload ->> 'contactId' = ${done.contactId}`,
    ).toEqual([{ kind: 'start_confirmation' }])
  })

  it('that the person left by themselves stay left', async () => {
    const topicId = await seedTopic(sql, organizationId)
    const contactId = await seedContact()
    await sql`
      insert into subscriptions (organization_id, contact_id, topic_id, status, opted_out_at)
      values (${organizationId}, ${contactId}, ${topicId}, 'unsubscribed', now())`
    const done = await run(subscribing(topicId), { contactId })
    expect(done.path).toEqual(['join skipped'])
    expect(await standing(contactId)).toEqual([{ topicId, status: 'unsubscribed' }])
  })

  it('are left, and one that is gone is skipped', async () => {
    const contactId = await seedContact()
    const topicId = await seedTopic(sql, organizationId, [contactId])
    const leave = (id: string, topic: string) =>
      ({ id, type: 'unsubscribe_topic', config: { topicId: topic } }) as const
    const done = await run(
      {
        steps: [
          leave('leave', topicId),
          leave('again', topicId),
          { id: 'join', type: 'subscribe_topic', config: { topicId: uuidv7() } },
        ],
      },
      { contactId },
    )
    expect(done.path).toEqual(['leave completed', 'again skipped', 'join skipped'])
    expect(await standing(contactId)).toEqual([{ topicId, status: 'unsubscribed' }])
  })

  it.each([[[]], [['count']]])(
    'that started the execution and are left by it end it there, %j to come',
    async (rest) => {
      const contactId = await seedContact()
      const topicId = await seedTopic(sql, organizationId, [contactId])
      const leave = { id: 'leave', type: 'unsubscribe_topic', config: { topicId } } as const
      const done = await run(
        { steps: [leave, ...rest.map((id: string) => ({ id, ...count }))] },
        { contactId, topicId },
      )
      expect(done.row).toMatchObject({ status: 'cancelled', reason: 'topic_unsubscribed' })
      expect(done.path).toEqual(['leave completed'])
      expect(await contactOf(contactId)).toMatchObject({ properties: {} })
      expect(done.figures).toMatchObject({ cancelled: 1, completed: 0, live: 0 })
    },
  )

  it('of a stranger are none of ours', async () => {
    const stranger = (await seedOrganization(sql)).organizationId
    const done = await run(subscribing(await seedTopic(sql, stranger)))
    expect(done.path).toEqual(['join skipped'])
    expect(await standing(done.contactId)).toEqual([])
  })
})

describe('an exit', () => {
  it('as failed fails the run with the name of the step, and the execution', async () => {
    const config = { outcome: 'failed', reason: 'no' } as const
    const done = await run({ steps: [{ id: 'out', name: 'Give up', type: 'exit', config }] })
    expect(done.end).toBe('The step "Give up" failed: no')
    expect(done.row).toMatchObject({ status: 'failed', reason: 'no', stepId: 'out', visit: 1 })
    expect(done.path).toEqual(['out failed'])
    expect(done.figures).toMatchObject({ failed: 1, completed: 0, live: 0 })
  })
})

describe('the end of an execution', () => {
  const settings = { exitOn: { events: [], condition: isVip } }

  it('is the condition of exitOn, before a step', async () => {
    const contact = { properties: { plan: 'vip' } }
    const done = await run({ steps: [{ id: 'wait', ...oneDay }], settings }, { contact })
    expect(done.end).toEqual({ status: 'cancelled', reason: 'exit_on' })
    expect(done.path).toEqual([])
    expect(done.days).toBeLessThan(0.01)
    expect(done.figures).toMatchObject({ cancelled: 1, live: 0 })
  })

  it('is the condition of exitOn, when a delay is over', async () => {
    const steps = [
      { id: 'wait', ...oneDay },
      { id: 'count', ...count },
    ]
    const done = await run(
      { steps, settings },
      {
        meanwhile: ({ contactId }) =>
          sql`update contacts set properties = '{"plan": "vip"}' where id = ${contactId}`,
      },
    )
    expect(done.end).toEqual({ status: 'cancelled', reason: 'exit_on' })
    expect(done.path).toEqual(['wait skipped'])
    expect(done.days).toBeGreaterThanOrEqual(1)
    expect(await contactOf(done.contactId)).toMatchObject({ properties: { plan: 'vip' } })
  })

  it('is a contact that is gone, whoever deleted it', async () => {
    const done = await run(
      { steps: [{ id: 'wait', ...oneDay }] },
      { meanwhile: ({ contactId }) => sql`delete from contacts where id = ${contactId}` },
    )
    expect(done.end).toEqual({ status: 'cancelled', reason: 'contact_deleted' })
    expect(done.path).toEqual(['wait skipped'])
  })

  it('is a type of step that nobody can run: it fails there', async () => {
    const done = await run({ steps: [{ id: 'sms', type: 'send_sms', config: { body: 'Hi' } }] })
    expect(done.end).toBe('The step "sms" failed: not_available')
    expect(done.path).toEqual(['sms failed'])
  })

  it('is a thousand visits of one step', async () => {
    const steps = [
      { id: 'wait', ...oneDay },
      { id: 'count', ...count },
    ]
    const done = await run(
      { steps, transitions: ['wait>count', 'count>wait'] },
      {
        meanwhile: ({ executionId }) => sql`
          insert into execution_steps (organization_id, execution_id, step_id, visit, position,
            type, status, finished_at)
          values (${organizationId}, ${executionId}, 'count', 1000, 5000, 'update_contact',
            'completed', now())`,
      },
    )
    expect(done.end).toBe('The step "count" failed: too_many_visits')
    expect(done.row).toMatchObject({ status: 'failed', reason: 'too_many_visits' })
    expect(await contactOf(done.contactId)).toMatchObject({ properties: {} })
  })
})
