import type { Client } from '@temporalio/client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Settings } from '../../src/domain/flows/flow.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import { admit } from '../../src/core/flows/admission.ts'
import { admitWithinLimit } from '../../src/core/flows/concurrency.ts'
import * as executions from '../../src/store/flows/executions.ts'
import { fire } from '../../src/core/flows/triggers.ts'
import * as outbox from '../../src/store/platform/outbox.ts'
import { type Sql, transact } from '../../src/store/db/sql.ts'
import { FIRST_TURN } from '../../src/store/db/turns.ts'
import { executionWorkflowId } from '../../workflows/contract.ts'
import { tally } from '../support/api.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { until } from '../support/engine.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { countersOf, executionsOf, seedFlow, SETTINGS } from '../support/seed-flow.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { connectAs } from '../support/logins.ts'

const TEN_MINUTES_MS = 600_000

let database: TestDatabase
let sql: Sql
let temporal: TestTemporal
let organizationId: Uuid
/** Fresh ones in each test. */
let people: Uuid[]
const relays: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  ;[database, temporal] = await Promise.all([createDatabase(), openTemporal()])
  sql = connectAs(database.url, { name: 'relay', role: 'letterloom_worker', max: 16 })
})
beforeEach(async () => {
  ;({ organizationId } = await seedOrganization(database.sql))
  people = await seedContacts(database.sql, organizationId, 300)
})
afterEach(stopRelays)
afterAll(async () => {
  await temporal.close()
  await sql.end()
  await database.drop()
})

const log = { info: () => {}, warn: () => {}, error: () => {} }

/** Temporal as it is, noting what was really started; or down. Nobody works on it here. */
function watched(isDown: () => boolean = () => false) {
  const started: string[] = []
  let asked = 0
  const start: Client['workflow']['start'] = async (type, options) => {
    asked++
    if (isDown()) throw new Error('UNAVAILABLE: connection refused')
    const handle = await temporal.client.workflow.start(type, options)
    started.push(options.workflowId)
    return handle
  }
  const client = { workflow: { start } } as unknown as Client
  return { client, started, asked: () => asked }
}

const run = (...clients: Client[]) =>
  relays.push(...clients.map((client) => startOutboxRelay({ sql, temporal: client, log })))

async function stopRelays(): Promise<void> {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()))
}

const allDone = () =>
  until(async () => {
    const [row] = await sql<{ open: number }[]>`
      select count(*)::integer as open from outbox where done_at is null`
    return row?.open === 0 ? true : undefined
  })

async function limited(most: number, given: Partial<Settings> = {}) {
  const settings = { ...SETTINGS, maxConcurrentExecutions: most, ...given }
  const id = await seedFlow(database.sql, organizationId, { settings })
  const flow = { id, version: 1, settings }
  const enter = (contactIds: readonly Uuid[]) =>
    transact(sql, async (tx) => {
      const starts = contactIds.map((contactId) => ({
        flow,
        contactId,
        data: {},
        dedupeKey: uuidv7(),
      }))
      const admitted = await admit(tx, organizationId, starts, undefined)
      return admitted.map(({ outcome }) => outcome)
    })
  const statuses = async () =>
    tally((await executionsOf(sql, id)).map(({ status, reason }) => `${status} ${reason ?? ''}`))
  const end = (ids: readonly Uuid[]) =>
    transact(sql, (tx) =>
      executions.end(tx, organizationId, ids, { status: 'completed', reason: null }),
    )
  return { id, enter, statuses, end }
}

const pendingOf = async (flowId: Uuid) =>
  (await executionsOf(sql, flowId)).filter(({ status }) => status === 'pending')

const idOf = (execution: { id: Uuid }) => executionWorkflowId(execution.id, 1)

test('a flow runs as many at once as it says, whoever relays', async () => {
  const flow = await limited(5)
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => flow.enter(people.slice(i * 10, i * 10 + 10))),
  )
  const [one, other] = [watched(), watched()]
  run(one.client, other.client)
  await allDone()
  expect(await flow.statuses()).toEqual({ 'pending ': 5, 'cancelled dropped': 195 })
  const pending = await pendingOf(flow.id)
  expect([...one.started, ...other.started].toSorted()).toEqual(pending.map(idOf).toSorted())
  expect(await countersOf(sql, flow.id)).toEqual({ started: 200, cancelled: 195, dropped: 195 })

  // Places that become free are given again, and no more than those.
  await flow.end(pending.slice(0, 2).map(({ id }) => id))
  const late = people.slice(200, 203)
  await flow.enter(late)
  await allDone()
  expect(await flow.statuses()).toMatchObject({ 'pending ': 5, 'cancelled dropped': 196 })
  const inside = (await pendingOf(flow.id)).map(({ contactId }) => contactId)
  expect(late).toEqual(expect.arrayContaining(inside.slice(3)))
})

test('the oldest of concurrent requests are admitted', async () => {
  const flow = await limited(2)
  await flow.enter(people.slice(0, 5))
  const attempts = (await pendingOf(flow.id)).map(({ id }) => ({
    organizationId,
    executionId: id,
    attempt: 1,
  }))
  await admitWithinLimit(sql, attempts.toReversed())
  const inside = (await pendingOf(flow.id)).map(({ contactId }) => contactId)
  expect(inside).toEqual(people.slice(0, 2))
  run(watched().client)
  await allDone()
})

test('each reason of failures in a round is logged once', async () => {
  const flow = await limited(100)
  await flow.enter(people.slice(0, 12))
  const told: { attempts: number; err: Error }[] = []
  let asked = 0
  const start = () => Promise.reject(new Error(asked++ % 2 === 0 ? 'UNAVAILABLE' : 'FULL'))
  const temporal = { workflow: { start } } as unknown as Client
  const listening = { ...log, warn: (line: object) => told.push(line as (typeof told)[number]) }
  relays.push(startOutboxRelay({ sql, temporal, log: listening }))
  await until(async () => told.some(({ attempts }) => attempts > (told[0]?.attempts ?? 0)))
  const first = told.filter(({ attempts }) => attempts === told[0]?.attempts)
  expect(new Set(first.map(({ err }) => err.message))).toEqual(new Set(['UNAVAILABLE', 'FULL']))
  // Two loops share them.
  expect(first.length).toBeLessThanOrEqual(4)

  await relays.pop()?.stop()
  run(watched().client)
  await allDone()
})

test('a dropped contact has neither started nor ended, so no delay applies', async () => {
  const rules = { allowReentry: true, reentryDelaySeconds: 3_600, contactCooldownSeconds: 3_600 }
  const flow = await limited(1, rules)
  const [ada = '', bea = ''] = people
  await flow.enter([ada])
  run(watched().client)
  await allDone()
  await flow.end((await pendingOf(flow.id)).map(({ id }) => id))
  expect(await flow.enter([ada])).toEqual(['dropped'])
  await sql`
    update executions
    set created_at = now() - interval '2 hours',
      finished_at = now() - interval '2 hours'
    where flow_id = ${flow.id}`
  await sql`
    update flow_entries
    set last_started_at = now() - interval '2 hours',
      last_ended_at = now() - interval '2 hours'
    where flow_id = ${flow.id}`
  expect(await flow.enter([bea])).toEqual(['started'])
  await allDone()
  expect(await flow.enter([ada])).toEqual(['started'])
  await allDone()
  expect(await flow.statuses()).toMatchObject({ 'cancelled dropped': 1 })
  await flow.end((await pendingOf(flow.id)).map(({ id }) => id))
  // Two hours ago is still when they last were in it.
  expect(await flow.enter([ada])).toEqual(['started'])
  expect(await flow.enter([bea])).toEqual(['dropped'])
})

test('a dropped contact has not entered and is admitted when there is room', async () => {
  const flow = await limited(1)
  const [ada = '', bea = ''] = people
  expect(await flow.enter([ada, bea])).toEqual(['started', 'started'])
  run(watched().client)
  await allDone()
  expect(await flow.statuses()).toEqual({ 'pending ': 1, 'cancelled dropped': 1 })
  // A relay has two loops: which of them comes first is open.
  const [inside] = await pendingOf(flow.id)
  const out = inside?.contactId === ada ? bea : ada
  await flow.end([inside?.id ?? ''])
  expect(await flow.enter([inside?.contactId ?? '', out])).toEqual(['dropped', 'started'])
  await allDone()
  expect((await pendingOf(flow.id)).map(({ contactId }) => contactId)).toEqual([out])
})

test('executions from before the limit take a slot, and waiting ones do not', async () => {
  const flow = await limited(2)
  await database.sql`update flows set max_concurrent = null where id = ${flow.id}`
  await flow.enter(people.slice(0, 1))
  await database.sql`update executions set status = 'waiting' where flow_id = ${flow.id}`
  await database.sql`update flows set max_concurrent = 2 where id = ${flow.id}`
  await flow.enter(people.slice(1, 4))
  run(watched().client)
  await allDone()
  const expected = { 'waiting ': 1, 'pending ': 1, 'cancelled dropped': 2 }
  expect(await flow.statuses()).toEqual(expected)
})

test('a retry keeps its place, and an execution that is over is not started', async () => {
  const flow = await limited(1)
  const [ada = '', bea = ''] = people
  await flow.enter([ada])
  const client = watched()
  run(client.client)
  await allDone()
  const [execution] = await pendingOf(flow.id)
  const payload = { executionId: execution?.id ?? '', attempt: 2, flowId: flow.id, contactId: ada }
  await database.sql`update executions set attempt = 2 where id = ${payload.executionId}`
  await transact(sql, (tx) =>
    outbox.put(tx, organizationId, { kind: 'start_execution', payload }, undefined),
  )
  await allDone()
  expect(client.started).toContain(executionWorkflowId(payload.executionId, 2))

  const free = await seedFlow(database.sql, organizationId)
  const start = {
    flow: { id: free, version: 1, settings: SETTINGS },
    contactId: bea,
    data: {},
    dedupeKey: uuidv7(),
  }
  await transact(sql, async (tx) => {
    const [admitted] = await admit(tx, organizationId, [start], undefined)
    if (admitted?.outcome !== 'started') throw new Error('not started')
    const ending = { status: 'cancelled', reason: 'workflow_deleted' } as const
    await executions.end(tx, organizationId, [admitted.executionId], ending)
  })
  await allDone()
  const [over] = await executionsOf(sql, free)
  expect(over?.status).toBe('cancelled')
  expect(client.started).not.toContain(idOf({ id: over?.id ?? '' }))
})

test('while Temporal is down for ten minutes every execution waits, and then starts once', async () => {
  const flowId = await seedFlow(database.sql, organizationId, {
    trigger: { type: 'event', name: 'ordered' },
  })
  const tell = (some: readonly Uuid[]) =>
    transact(sql, (tx) => {
      const events = some.map((contactId) => ({
        type: 'event' as const,
        contactId,
        name: 'ordered',
        eventId: uuidv7(),
        properties: {},
      }))
      return fire(tx, organizationId, events, undefined)
    })
  let isDown = true
  const [one, other] = [watched(() => isDown), watched(() => isDown)]
  await tell(people.slice(0, 150))
  run(one.client, other.client)
  await until(async () => (one.asked() + other.asked() >= 200 ? true : undefined))
  // Accepted meanwhile as well.
  expect(await tell(people.slice(150))).toEqual(Array(150).fill(1))
  expect(one.started.length + other.started.length).toBe(0)
  const [stuck] = await sql<{ error: string }[]>`
    select last_error as error
    from outbox
    where done_at is null and last_error is not null
    limit 1`
  expect(stuck?.error).toContain('UNAVAILABLE')

  // What a relay has leased would else be another one's, too.
  await stopRelays()
  await sql`
    update outbox
    set available_at = available_at - ${TEN_MINUTES_MS} * interval '1 millisecond'
    where done_at is null`
  isDown = false
  run(one.client, other.client)
  await allDone()
  const rows = await executionsOf(sql, flowId)
  expect(rows.map(({ status }) => status)).toEqual(Array(300).fill('pending'))
  expect([...one.started, ...other.started].toSorted()).toEqual(rows.map(idOf).toSorted())
})

test('while one start waits for its answer all others are asked for', async () => {
  const flow = await limited(1_000)
  await flow.enter(people.slice(0, 200))
  const { client, started } = watched()
  let answer = (): void => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let isFirst = true
  const start: Client['workflow']['start'] = async (type, options) => {
    const isHeld = isFirst
    isFirst = false
    if (isHeld) await answered
    return client.workflow.start(type, options)
  }
  run({ workflow: { start } } as unknown as Client)
  await until(async () => started.length === 199)
  answer()
  await allDone()
  expect(started.toSorted()).toEqual((await pendingOf(flow.id)).map(idOf).toSorted())
})

test('a crowd of executions that start delays no other promise', async () => {
  const flowId = await seedFlow(database.sql, organizationId)
  const payload = { attempt: 1, flowId, contactId: uuidv7() }
  const crowd = Array.from({ length: 500 }, () => ({
    kind: 'start_execution' as const,
    payload: { ...payload, executionId: uuidv7() },
  }))
  const notice = { kind: 'send_notice', payload: { noticeId: uuidv7() } } as const
  await transact(sql, async (tx) => {
    await outbox.putAll(tx, organizationId, crowd, undefined)
    await outbox.put(tx, organizationId, notice, undefined)
  })
  const lease = async (lane: outbox.OutboxLane, limit: number) => {
    const options = { limit, leaseMs: 60_000, after: FIRST_TURN }
    return (await outbox.lease(sql, lane, options)).messages
  }
  expect(await lease('others', 50)).toMatchObject([notice])
  const taken = await lease('executions', 1_000)
  expect(taken.map(({ kind }) => kind)).toEqual(Array(500).fill('start_execution'))
  expect(await lease('executions', 50)).toEqual([])
})
