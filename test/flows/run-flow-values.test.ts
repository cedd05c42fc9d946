import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Condition, Operator } from '../../src/domain/audience/condition.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { WAKE_SIGNAL } from '../../workflows/contract.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { endOf, type FlowWorker, startFlowWorker } from '../support/flow-runs.ts'
import {
  executionRow,
  type FlowSketch,
  path,
  seedExecutions,
  seedFlow,
  type StepSketch,
} from '../support/flows.ts'
import { connectAs } from '../support/logins.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { receive } from '../support/waiting.ts'
import { expectWarnings } from '../support/worker-log.ts'

expectWarnings(/^Workflow failed runFlow .*failed: (missing_value|field_refused|bad_value)$/)

let database: TestDatabase
let sql: Sql
let workerSql: Sql
let apiSql: Sql
let temporal: TestTemporal
let worker: FlowWorker
let organizationId: Uuid

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = database.sql
  workerSql = connectAs(database.url, { name: 'flows', role: 'letterloom_worker' })
  apiSql = connectAs(database.url, { name: 'events', role: 'letterloom_api' })
  const content = { keyring: parseKeyring(newKeyringText()), publicUrl: 'https://x' }
  worker = await startFlowWorker(temporal, { sql: workerSql, content })
})
afterAll(async () => {
  await worker.stop()
  await temporal.close()
  await Promise.all([workerSql.end(), apiSql.end()])
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
})

const contactOf = async (id: Uuid) => {
  const [row] = await sql<
    { firstName: string | null; company: string | null; properties: Record<string, unknown> }[]
  >`
    select first_name, company, properties from contacts where id = ${id}`
  if (!row) throw new Error('the contact is gone')
  return row
}

async function start(sketch: FlowSketch, data: Record<string, unknown> = {}) {
  const flow = await seedFlow(sql, organizationId, sketch)
  const [contactId = ''] = await seedContacts(sql, organizationId, 1)
  const [executionId = ''] = await seedExecutions(sql, flow, [contactId], { data })
  const handle = await worker.start({ organizationId, executionId })
  return { contactId, executionId, handle }
}

const updating = (config: object): StepSketch => ({ id: 'update', type: 'update_contact', config })

describe('an update', () => {
  it('writes values of the trigger, the event and the contact, each of its own type', async () => {
    const { contactId, handle } = await start(
      {
        trigger: { type: 'event', name: 'ordered' },
        steps: [
          updating({ set: { 'properties.visits': 1, 'properties.tags': ['old', 'c-42'] } }),
          {
            ...updating({
              set: {
                firstName: '{{ trigger.data.first }}',
                company: '{{ trigger.data.total }}',
                'properties.total': '{{ trigger.data.total }}',
                'properties.isGift': '{{ event.properties.isGift }}',
                'properties.note': '{{ event.name }}: {{ trigger.data.total }} EUR',
                'properties.visits': '{{ contact.properties.visits | plus: 1 }}',
                'properties.cart': {
                  id: '{{ trigger.data.cartId }}',
                  skus: ['{{ trigger.data.sku }}'],
                },
              },
              append: { 'properties.items': '{{ trigger.data.items }}' },
              remove: { 'properties.tags': '{{ trigger.data.cartId }}' },
            }),
            id: 'more',
          },
        ],
      },
      {
        first: 'Ada',
        total: 19.5,
        isGift: false,
        cartId: 'c-42',
        sku: 7,
        items: [{ sku: 'x' }],
      },
    )
    expect(await endOf(handle.result())).toMatchObject({ status: 'completed' })
    expect(await contactOf(contactId)).toMatchObject({
      firstName: 'Ada',
      company: '19.5',
      properties: {
        total: 19.5,
        isGift: false,
        note: 'ordered: 19.5 EUR',
        visits: 2,
        cart: { id: 'c-42', skus: [7] },
        items: [[{ sku: 'x' }]],
        tags: ['old'],
      },
    })
  })

  it.each<[string, object, string, string]>([
    [
      'a value that is missing',
      { set: { firstName: '{{ trigger.data.first }}' } },
      'missing_value',
      '"trigger.data.first" has no value and no default',
    ],
    [
      'a name that is a list',
      { set: { firstName: '{{ trigger.data.list }}' } },
      'field_refused',
      'firstName cannot have this value',
    ],
    [
      'a channel that there is not',
      { set: { preferredChannel: '{{ trigger.data.channel }}' } },
      'field_refused',
      'preferredChannel cannot have this value',
    ],
    [
      'a name that is too long',
      { set: { firstName: '{% for i in (1..30) %}abcd{% endfor %}' } },
      'field_refused',
      'firstName cannot have this value',
    ],
  ])('fails with %s, and changes nothing', async (_, config, reason, error) => {
    const data = { list: ['a'], channel: 'fax' }
    const { contactId, executionId, handle } = await start({ steps: [updating(config)] }, data)
    const before = await contactOf(contactId)
    expect(await endOf(handle.result())).toContain(reason)
    expect(await executionRow(sql, executionId)).toMatchObject({ status: 'failed', reason, error })
    expect(await contactOf(contactId)).toEqual(before)
  })

  it('of one contact in several runs at once loses none', async () => {
    const step = updating({
      set: { 'properties.n': '{{ contact.properties.n | default: 0 | plus: 1 }}' },
    })
    const flow = await seedFlow(sql, organizationId, { steps: [step] })
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const times = 8
    const ids = await seedExecutions(
      sql,
      flow,
      Array.from({ length: times }, () => contactId),
    )
    const runs = await Promise.all(
      ids.map((executionId) => worker.start({ organizationId, executionId })),
    )
    await Promise.all(runs.map((run) => endOf(run.result())))
    expect((await contactOf(contactId)).properties['n']).toBe(times)
  })
})

describe('a wait', () => {
  const filter = (...filters: [string, Operator, unknown][]): Condition => ({
    logic: 'AND',
    groups: [{ filters: filters.map(([field, operator, value]) => ({ field, operator, value })) }],
  })
  const waiting = (condition: Condition, before: StepSketch[] = []): FlowSketch => ({
    steps: [
      ...before,
      {
        id: 'wait',
        type: 'wait_for_event',
        config: { eventName: 'ordered', filter: condition, timeout: { amount: 1, unit: 'days' } },
      },
    ],
    transitions: before.map(({ id }) => `${id}>wait`),
  })
  const receives = (contactId: Uuid, properties: Record<string, unknown>) =>
    receive(within(apiSql, organizationId), organizationId, {
      contactId,
      name: 'ordered',
      properties,
    })
  const isWaiting = (executionId: Uuid) =>
    until(async () => (await executionRow(sql, executionId)).status === 'waiting')

  it.each<[string, Condition, object, object]>([
    [
      'the cart of its trigger, a text',
      filter(['event.properties.cartId', 'equals', '{{ trigger.data.cartId }}']),
      { cartId: 'c-41' },
      { cartId: 'c-42' },
    ],
    [
      'the number of its trigger',
      filter(['event.properties.total', 'greaterThanOrEqual', '{{ trigger.data.total }}']),
      { total: 9 },
      { total: 100 },
    ],
    [
      'one of a list of its trigger',
      filter(['event.properties.sku', 'inList', '{{ trigger.data.skus }}']),
      { sku: 'z' },
      { sku: 'y' },
    ],
    [
      'one of several values, some of them rendered',
      filter(['event.properties.cartId', 'inList', ['none', '{{ trigger.data.cartId }}']]),
      { cartId: 'c-41' },
      { cartId: 'c-42' },
    ],
    [
      'a text made of two values',
      filter([
        'event.properties.key',
        'startsWith',
        '{{ trigger.data.cartId }}/{{ trigger.data.total }}',
      ]),
      { key: 'c-42/1' },
      { key: 'c-42/10/x' },
    ],
    [
      'what the contact has',
      filter(['event.properties.plan', 'equals', '{{ contact.properties.plan }}']),
      { plan: 'free' },
      { plan: 'pro' },
    ],
  ])('for %s is ended by no other event', async (_, condition, other, right) => {
    const data = { cartId: 'c-42', total: 10, skus: ['x', 'y'] }
    const before = [updating({ set: { 'properties.plan': 'pro' } })]
    const { contactId, executionId, handle } = await start(waiting(condition, before), data)
    await isWaiting(executionId)
    await receives(contactId, { ...other })
    await handle.signal(WAKE_SIGNAL)
    await receives(contactId, { ...right })
    await handle.signal(WAKE_SIGNAL)
    expect(await endOf(handle.result())).toMatchObject({ status: 'completed' })
    const [step] = await sql<{ result: { properties: object } }[]>`
      select result from execution_steps where execution_id = ${executionId} and step_id = 'wait'`
    expect(step?.result.properties).toEqual(right)
  })

  it.each<[string, Condition, string]>([
    [
      'has no value',
      filter(['event.properties.cartId', 'equals', '{{ trigger.data.cartId }}']),
      'missing_value',
    ],
    [
      'is not a time, where one is compared',
      filter(['createdAt', 'greaterThan', '{{ trigger.data.word }}']),
      'bad_value',
    ],
    [
      'is no list',
      filter(['event.properties.x', 'inList', '{{ trigger.data.word }}']),
      'bad_value',
    ],
  ])('fails when its value %s', async (_, condition, reason) => {
    const { executionId, handle } = await start(waiting(condition), { word: 'soon' })
    expect(await endOf(handle.result())).toContain(reason)
    expect(await path(sql, executionId)).toEqual(['wait failed'])
    expect(await sql`select from waits where execution_id = ${executionId}`).toHaveLength(0)
  })
})
