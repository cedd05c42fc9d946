import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { waitForEvent } from '../../activities/flows/steps/wait-for-event.ts'
import type { Condition } from '../../src/domain/audience/condition.ts'
import type { StepOf, StepType } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { latestEvent } from '../../src/store/flows/execution-events.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { createPartitions } from '../../src/store/db/partitions.ts'
import { transact } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import {
  receive,
  receiveAll,
  seedExecution,
  seedExitFlow,
  visit,
  wakes,
} from '../support/waiting.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000

let database: TestDatabase
let organizationId: Uuid
let flowId: Uuid
let contactId: Uuid
beforeAll(async () => {
  database = await createDatabase()
})
beforeEach(async () => {
  ;({ organizationId } = await seedOrganization(database.sql))
  flowId = await seedExitFlow(database.sql, organizationId)
  contactId = (await seedContacts(database.sql, organizationId, 1))[0]!
})
afterAll(() => database.drop())

type WaitStep = StepOf<'wait_for_event'>

const waitStep = (id = 'wait', config: Partial<WaitStep['config']> = {}): WaitStep => ({
  id,
  name: id,
  type: 'wait_for_event',
  config: { eventName: 'bought', timeout: { amount: 1, unit: 'days' }, ...config },
})

const execution = (more: { contactId?: Uuid; eventId?: Uuid; occurredAt?: string } = {}) =>
  seedExecution(database.sql, { organizationId, flowId, contactId, ...more })

/** Notes that an execution came to a step that is over. `dueAt`: when a delay ended. */
const passStep = (
  executionId: Uuid,
  stepId = 'before',
  { type = 'delay', dueAt = null }: { type?: StepType; dueAt?: string | null } = {},
) => database.sql`
  insert into execution_steps (organization_id, execution_id, step_id, visit, position, type, status,
    due_at)
  select ${organizationId}, ${executionId}, ${stepId}, 1, coalesce(max(position), 0) + 1, ${type},
    'completed', ${dueAt}
  from execution_steps
  where execution_id = ${executionId}`

const run = (executionId: Uuid, step = waitStep()) =>
  visit({
    sql: database.sql,
    handler: waitForEvent,
    organizationId,
    executionId,
    contactId,
    step,
  })

const bought = (properties: Record<string, unknown> = {}, more: { occurredAt?: Date } = {}) =>
  receive(database.sql, organizationId, { contactId, name: 'bought', properties, ...more })

const yes = (id: Uuid) => expect.objectContaining({ branch: 'yes', result: took(id) })
const took = (eventId: Uuid) => expect.objectContaining({ eventId })
const waiting = expect.objectContaining({ kind: 'wait', status: 'waiting' })
const timeout = { kind: 'done', branch: 'timeout' }

const endAll = (executionId: Uuid) => database.sql`
  update waits set expires_at = clock_timestamp() where execution_id = ${executionId}`

describe('an event that comes while an execution waits', () => {
  test('lets it go on with the event, once, and is told of', async () => {
    const id = await execution()
    expect(await run(id)).toEqual(waiting)
    const first = await bought({ item: 'tea' })
    const second = await bought({ item: 'cup' })
    expect([first.resumed, second.resumed]).toEqual([1, 0])
    expect(await wakes(database.sql, organizationId)).toEqual([id])
    expect(await run(id)).toEqual({
      kind: 'done',
      branch: 'yes',
      result: {
        eventId: first.id,
        name: 'bought',
        receivedAt: first.receivedAt,
        properties: { item: 'tea' },
      },
    })
    expect(await latestEvent(database.sql, organizationId, id)).toMatchObject({ id: first.id })
  })

  test('lets several executions of the contact go on, each of them once', async () => {
    const ids = [await execution(), await execution()]
    for (const id of ids) await run(id)
    const [nothing, event] = await receiveAll(database.sql, organizationId, [
      { contactId, name: 'visited' },
      { contactId, name: 'bought' },
    ])
    expect([nothing!.resumed, event!.resumed]).toEqual([0, 2])
    for (const id of ids) expect(await run(id)).toEqual(yes(event!.id))
    expect((await wakes(database.sql, organizationId)).toSorted()).toEqual(ids.toSorted())
  })

  test('is no other contact’s, no other name’s and no other organization’s', async () => {
    const id = await execution()
    await run(id)
    const stranger = await seedOrganization(database.sql)
    const theirs = (await seedContacts(database.sql, stranger.organizationId, 1))[0]!
    const neighbour = uuidv7()
    await database.sql`
      insert into contacts (organization_id, id, email)
      values (${organizationId}, ${neighbour}, 'neighbour@example.com')`
    const all = [
      await receive(database.sql, stranger.organizationId, { contactId: theirs, name: 'bought' }),
      await receive(database.sql, organizationId, { contactId: neighbour, name: 'bought' }),
      await receive(database.sql, organizationId, { contactId, name: 'Bought' }),
    ]
    expect(all.map(({ resumed }) => resumed)).toEqual([0, 0, 0])
    expect(await run(id)).toEqual(waiting)
    await endAll(id)
    expect(await run(id)).toEqual(timeout)
  })

  test('comes too late for an execution that was cancelled', async () => {
    const id = await execution()
    await run(id)
    const ending = { status: 'cancelled', reason: null } as const
    await transact(database.sql, (tx) => executions.end(tx, organizationId, [id], ending))
    expect((await bought()).resumed).toBe(0)
    expect(await wakes(database.sql, organizationId)).toEqual([])
  })

  test('comes too late after the timeout, and is there for the next wait', async () => {
    const id = await execution()
    await run(id)
    await endAll(id)
    const late = await bought()
    expect(late.resumed).toBe(0)
    expect(await run(id)).toEqual(timeout)
    expect(await run(id)).toEqual(timeout)
    expect(await run(id, waitStep('next'))).toEqual(yes(late.id))
  })
})

test('a wait that is looked at too early goes on until its time has come', async () => {
  const id = await execution()
  const first = await run(id)
  expect(first).toEqual(waiting)
  expect(await run(id)).toEqual(first)
})

describe('an event that came before the wait', () => {
  test('counts from the moment the execution came to its last rest, the earliest first', async () => {
    const id = await execution()
    await passStep(id, 'one')
    const early = await bought()
    await sleep(5)
    await passStep(id, 'two')
    const first = await bought({ n: 1 })
    await bought({ n: 2 })
    expect(await run(id)).toEqual(yes(first.id))
    expect(early.id).not.toBe(first.id)
    expect(await wakes(database.sql, organizationId)).toEqual([])
  })

  test('is taken by one wait of an execution only, and by others as well', async () => {
    const [id, other] = [await execution(), await execution()]
    await passStep(id)
    await passStep(other)
    const one = await bought()
    expect(await run(id)).toEqual(yes(one.id))
    expect(await run(id, waitStep('second'))).toEqual(waiting)
    expect(await run(other)).toEqual(yes(one.id))
    const two = await bought()
    expect(two.resumed).toBe(1)
    expect(await run(id, waitStep('second'))).toEqual(yes(two.id))
  })

  test.each<[string, StepType[]]>([
    ['the wait is the first step', []],
    ['one that mails stands before the wait', ['send_email']],
    ['several stand before the wait', ['update_contact', 'webhook', 'condition', 'send_email']],
    ['one that waits for a mail that was never made does', ['wait_for_email_engagement']],
  ])('counts since the execution began, however long its steps took: %s', async (_, types) => {
    const before = await bought()
    const start = await receive(database.sql, organizationId, { contactId, name: 'signed_up' })
    const right = await bought()
    const id = await execution({ eventId: start.id })
    for (const [n, type] of types.entries()) {
      await sleep(2)
      await passStep(id, `step-${n}`, { type })
    }
    await sleep(2)
    expect(await run(id)).toEqual(yes(right.id))
    expect(before.resumed).toBe(0)
    // One that nothing but a call or a contact started: since it was written.
    const other = await execution()
    for (const type of types) await passStep(other, type, { type })
    expect(await run(other)).toEqual(waiting)
    const next = await execution()
    const later = await bought()
    for (const type of types) await passStep(next, type, { type })
    expect(await run(next)).toEqual(yes(later.id))
  })

  test('of two before the first wait, the second is there for the wait after it, and for no third', async () => {
    const id = await execution()
    await passStep(id)
    const zero = await receive(database.sql, organizationId, { contactId, name: 'visited' })
    const one = await bought()
    const visited = await receive(database.sql, organizationId, { contactId, name: 'visited' })
    const two = await bought()
    await sleep(5)
    expect(await run(id)).toEqual(yes(one.id))
    await passStep(id, 'mail', { type: 'send_email' })
    expect(await run(id, waitStep('second'))).toEqual(yes(two.id))
    expect(await run(id, waitStep('third'))).toEqual(waiting)
    // What came before the event that the wait before took is over for the wait behind it.
    const other = await execution({ eventId: zero.id })
    expect(await run(other, waitStep('first', { eventName: 'bought' }))).toEqual(yes(one.id))
    expect(await run(other, waitStep('next', { eventName: 'visited' }))).toEqual(yes(visited.id))
  })

  test('counts when it came while a worker had not begun the delay before it, nor a step behind one', async () => {
    const start = await receive(database.sql, organizationId, { contactId, name: 'signed_up' })
    const stopped = await bought({ n: 1 })
    await sleep(2)
    const id = await execution({ eventId: start.id })
    await passStep(id, 'mail', { type: 'send_email' })
    await passStep(id, 'delay', { dueAt: new Date().toISOString() })
    expect(await run(id)).toEqual(yes(stopped.id))
    // A delay that ended while no worker ran, and the next one, which was begun late.
    const other = await execution({ eventId: start.id })
    await sleep(2)
    await passStep(other, 'one', { dueAt: new Date().toISOString() })
    await sleep(2)
    const between = await bought({ n: 2 })
    await sleep(2)
    await passStep(other, 'two', { dueAt: new Date().toISOString() })
    expect(await run(other)).toEqual(yes(between.id))
  })

  test('counts for the wait behind one that timed out, since that one was come to', async () => {
    const start = await receive(database.sql, organizationId, { contactId, name: 'signed_up' })
    const id = await execution({ eventId: start.id })
    await passStep(id, 'delay', { dueAt: new Date().toISOString() })
    await sleep(2)
    const filter = where('event.properties.plan', 'pro')
    const first = waitStep('first', { filter })
    expect(await run(id, first)).toEqual(waiting)
    await database.sql`
      update execution_steps set due_at = now() where execution_id = ${id} and step_id = 'first'`
    const free = await bought({ plan: 'free' })
    await endAll(id)
    expect(await run(id, first)).toEqual(timeout)
    expect(await run(id, waitStep('second'))).toEqual(yes(free.id))
  })

  test('is not the one that started the execution, nor one before it; one after it in the same request is', async () => {
    const [before, start, after] = await receiveAll(database.sql, organizationId, [
      { contactId, name: 'bought' },
      { contactId, name: 'bought' },
      { contactId, name: 'bought' },
    ])
    const only = await execution({ eventId: after!.id })
    expect(await run(only)).toEqual(waiting)
    const id = await execution({ eventId: start!.id })
    expect(await run(id)).toEqual(yes(after!.id))
    expect(before!.id).not.toBe(after!.id)
    expect(await latestEvent(database.sql, organizationId, only)).toMatchObject({ id: after!.id })
  })

  test('does not count when it had happened more than three days before', async () => {
    const occurredAt = new Date(Date.now() - 4 * DAY_MS).toISOString()
    const id = await execution({ occurredAt })
    await passStep(id)
    await bought({}, { occurredAt: new Date(Date.now() - 3 * DAY_MS - 60_000) })
    expect(await run(id)).toEqual(waiting)
    const other = await execution({ occurredAt })
    await passStep(other)
    const recent = await bought({}, { occurredAt: new Date(Date.now() - 3 * DAY_MS + 60_000) })
    expect(await run(other)).toEqual(yes(recent.id))
  })

  test('does not count when it happened before the execution began, nor while it waits', async () => {
    const ago = (ms: number) => ({ occurredAt: new Date(Date.now() - ms) })
    const id = await execution()
    await bought({}, ago(60_000))
    expect(await run(id)).toEqual(waiting)
    expect((await bought({}, ago(60_000))).resumed).toBe(0)
    const now = await bought()
    expect(now.resumed).toBe(1)
    expect(await run(id)).toEqual(yes(now.id))
  })

  test('counts when what started the execution was sent as late as it was', async () => {
    const ago = (ms: number) => ({ occurredAt: new Date(Date.now() - ms) })
    const [start, before, after] = await receiveAll(database.sql, organizationId, [
      { contactId, name: 'signed_up', ...ago(60_000) },
      { contactId, name: 'bought', ...ago(61_000) },
      { contactId, name: 'bought', ...ago(59_000) },
    ])
    const id = await execution({ eventId: start!.id })
    expect(await run(id)).toEqual(yes(after!.id))
    const second = waitStep('second')
    expect(await run(id, second)).toEqual(waiting)
    expect((await bought({}, ago(61_000))).resumed).toBe(0)
    expect((await bought({}, ago(58_000))).resumed).toBe(1)
    expect(before!.resumed).toBe(0)
  })

  test('is found among hundreds that do not fit', async () => {
    const id = await execution()
    await passStep(id)
    const many = Array.from({ length: 350 }, (_, n) => ({
      contactId,
      name: 'bought',
      properties: { n },
    }))
    const all = await receiveAll(database.sql, organizationId, many)
    expect(await run(id, waitStep('wait', { filter: where('event.properties.n', 333) }))).toEqual(
      yes(all[333]!.id),
    )
  })
})

const where = (field: string, value: unknown): Condition => ({
  logic: 'AND',
  groups: [{ filters: [{ field, operator: 'equals', value }] }],
})

describe('a filter', () => {
  test('leaves out events whose properties do not fit, before the wait and during it', async () => {
    const step = waitStep('wait', { filter: where('event.properties.plan', 'pro') })
    const id = await execution()
    await passStep(id)
    await bought({ plan: 'free' })
    expect(await run(id, step)).toEqual(waiting)
    const [, second, third] = await receiveAll(
      database.sql,
      organizationId,
      ['free', 'pro', 'pro'].map((plan) => ({ contactId, name: 'bought', properties: { plan } })),
    )
    expect([second!.resumed, third!.resumed]).toEqual([1, 0])
    expect(await run(id, step)).toEqual(yes(second!.id))
  })

  test('may ask about the contact as it is when the event comes', async () => {
    const step = waitStep('wait', { filter: where('firstName', 'Ada') })
    const id = await execution()
    await run(id, step)
    expect((await bought()).resumed).toBe(0)
    await database.sql`update contacts set first_name = 'Ada' where id = ${contactId}`
    const event = await bought()
    expect(event.resumed).toBe(1)
    expect(await run(id, step)).toEqual(yes(event.id))
  })
})

test('properties that are long are not repeated in what the step answers', async () => {
  const id = await execution()
  await run(id)
  const event = await bought({ text: 'x'.repeat(5_000) })
  const { result } = (await run(id)) as { result: object }
  expect(result).toEqual({ eventId: event.id, name: 'bought', receivedAt: event.receivedAt })
})

test('an event whose record is gone by the time the execution goes on still counts', async () => {
  const id = await execution()
  await run(id)
  const event = await bought()
  await database.sql`delete from events where id = ${event.id}`
  expect(await run(id)).toEqual({
    kind: 'done',
    branch: 'yes',
    result: { eventId: event.id, name: 'bought' },
  })
})

test('events before a wait are looked for in the days since the step before, of however many', async () => {
  for (let day = 0; day < 60; day += 8) {
    await createPartitions(database.sql, Date.now() - day * DAY_MS)
  }
  const asked: { query: string; parameters: unknown[] }[] = []
  const sql = connectAs(database.url, {
    name: 'plans',
    role: 'letterloom_worker',
    onQuery: (query, parameters) => asked.push({ query, parameters }),
  })
  const start = await bought()
  const id = await execution({ eventId: start.id })
  await passStep(id)
  const event = await bought()
  await visit({
    sql,
    handler: waitForEvent,
    organizationId,
    contactId,
    step: waitStep(),
    executionId: id,
  })
  expect(await latestEvent(sql, organizationId, id)).toMatchObject({ id: event.id })
  const statements = asked.filter(({ query }) => /\bfrom events\b/.test(query))
  expect(statements).toHaveLength(3)
  for (const { query, parameters } of statements) {
    const plan = await sql.unsafe(`explain ${query}`, parameters as never[])
    const text = plan.map((line) => String(line['QUERY PLAN'] ?? line['queryPlan'])).join('\n')
    // Around midnight it is two.
    expect(new Set(text.match(/\bevents_\d{8}\b/g)).size).toBeLessThanOrEqual(2)
  }
  await sql.end()
})
