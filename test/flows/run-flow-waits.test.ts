import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { restart } from '../../src/core/flows/reconcile.ts'
import { cancel, retry } from '../../src/core/flows/retry-and-cancel.ts'
import { startOutboxRelay } from '../../src/loops/outbox-relay.ts'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Sql, transact, within } from '../../src/store/db/sql.ts'
import { listLive } from '../../src/store/flows/held-executions.ts'
import { newKeyringText, parseKeyring } from '../../src/keys/tokens.ts'
import { WAKE_SIGNAL } from '../../workflows/contract.ts'
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
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import {
  openTemporal,
  type TestTemporal,
  type TimeSkipping,
  timeSkipping,
} from '../support/temporal.ts'
import { receive } from '../support/waiting.ts'
import { connectAs } from '../support/logins.ts'

const DAY_MS = 86_400_000
const RACES = sized(20, 60)
const keyring = parseKeyring(newKeyringText())
const content = { keyring, publicUrl: 'https://mail.example.com' }
let database: TestDatabase
let sql: Sql
let workerSql: Sql
let apiSql: Sql
let organizationId: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  workerSql = connectAs(database.url, { name: 'flows', role: 'letterloom_worker' })
  apiSql = connectAs(database.url, { name: 'events', role: 'letterloom_api' })
})
afterAll(async () => {
  await Promise.all([workerSql.end(), apiSql.end()])
  await database.drop()
})
beforeEach(async () => {
  organizationId = (await seedOrganization(sql)).organizationId
})

const bought = (contactId: Uuid, properties: Record<string, unknown> = {}) =>
  receive(within(apiSql, organizationId), organizationId, { contactId, name: 'bought', properties })

/** Waits for an event; goes different ways to its end. */
const waiting = (
  amount: number,
  unit: 'days' | 'minutes',
  more: Partial<FlowSketch> = {},
): FlowSketch => ({
  steps: [
    {
      id: 'wait',
      type: 'wait_for_event',
      config: { eventName: 'bought', timeout: { amount, unit } },
    },
    { id: 'came', type: 'exit', config: { outcome: 'completed', reason: 'came' } },
    { id: 'never', type: 'exit', config: { outcome: 'completed', reason: 'never' } },
  ],
  transitions: ['wait:yes>came', 'wait:timeout>never'],
  ...more,
})

const isAt = (executionId: Uuid, status: string) =>
  until(async () => (await executionRow(sql, executionId)).status === status)

describe('where time is skipped', () => {
  let time: TimeSkipping
  let worker: FlowWorker
  beforeAll(async () => {
    time = await timeSkipping()
    worker = await startFlowWorker(time, { sql: workerSql, content, aheadMs })
  })
  afterAll(async () => {
    await worker.stop()
    await time.close()
  })

  const aheadMs = async () => Number(await time.now()) - Date.now()

  /** Runs a flow; `meanwhile` once it waits. Then time is skipped, or stands still. */
  async function run(
    sketch: FlowSketch,
    meanwhile: (waiting: {
      contactId: Uuid
      executionId: Uuid
    }) => Promise<unknown> = async () => {},
    { skips = true } = {},
  ) {
    const flow = await seedFlow(sql, organizationId, sketch)
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
    const startedAt = Number(await time.now())
    const handle = await worker.start({ organizationId, executionId })
    await isAt(executionId, 'waiting')
    await meanwhile({ contactId, executionId })
    await handle.signal(WAKE_SIGNAL)
    const end = await endOf(skips ? time.result(handle) : handle.result())
    const days = (Number(await time.closedAt(handle)) - startedAt) / DAY_MS
    return { end, days, path: await path(sql, executionId), figures: await figures(sql, flow) }
  }

  it('a wait that nothing ends takes all its days, then goes on by `timeout`', async () => {
    const done = await run(waiting(7, 'days'))
    expect(done.end).toEqual({ status: 'completed', reason: 'never' })
    expect(done.path).toEqual(['wait completed timeout', 'never completed'])
    expect(done.days).toBeGreaterThanOrEqual(7)
    expect(done.days).toBeLessThan(7.01)
    expect(done.figures).toMatchObject({ completed: 1, live: 0 })
  })

  it('an event ends the wait at once, by `yes`', async () => {
    const done = await run(waiting(7, 'days'), ({ contactId }) => bought(contactId), {
      skips: false,
    })
    expect(done.end).toEqual({ status: 'completed', reason: 'came' })
    expect(done.path).toEqual(['wait completed yes', 'came completed'])
    expect(done.days).toBeLessThan(1)
  })

  it('a signal without an event changes nothing: what Postgres says decides', async () => {
    const done = await run(waiting(2, 'days'), async ({ contactId }) => {
      await receive(sql, organizationId, { contactId, name: 'visited' })
    })
    expect(done.end).toMatchObject({ reason: 'never' })
    expect(done.days).toBeGreaterThanOrEqual(2)
  })

  it('what a condition asks of the event is asked of the one that the wait took', async () => {
    const isPro = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'event.properties.plan', operator: 'equals', value: 'pro' }] }],
    } as const
    const sketch = waiting(7, 'days')
    const steps = [
      ...sketch.steps,
      { id: 'asks', type: 'condition', config: { condition: isPro as never } } as const,
    ]
    const transitions = ['wait:yes>asks', 'wait:timeout>never', 'asks:yes>came', 'asks:no>never']
    for (const [plan, reason] of [
      ['pro', 'came'],
      ['free', 'never'],
    ]) {
      organizationId = (await seedOrganization(sql)).organizationId
      const done = await run({ ...sketch, steps, transitions }, ({ contactId }) =>
        bought(contactId, { plan }),
      )
      expect(done.end).toMatchObject({ reason })
    }
  })

  it('a wait that failed when its event had come takes this event when it is retried', async () => {
    const flow = await seedFlow(sql, organizationId, waiting(7, 'days'))
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
    await worker.start({ organizationId, executionId })
    await isAt(executionId, 'waiting')
    const first = await bought(contactId)
    await bought(contactId)
    for (let run = 1; run <= 3; run++) {
      for (const held of await listLive(sql, [executionId])) await restart(sql, held)
    }
    expect(await executionRow(sql, executionId)).toMatchObject({ reason: 'run_lost' })
    await transact(sql, (tx) => retry(tx, organizationId, executionId, undefined))
    const { attempt } = await executionRow(sql, executionId)
    const retried = await worker.start({ organizationId, executionId }, { attempt })
    expect(await endOf(time.result(retried))).toEqual({ status: 'completed', reason: 'came' })
    expect(await path(sql, executionId)).toEqual(['wait completed yes try 2', 'came completed'])
    const [took] = await sql`
      select matched_event_id as id from waits where execution_id = ${executionId}`
    expect(took).toEqual({ id: first.id })
  })

  it('an event that ends executions ends the one that sleeps', async () => {
    const sketch = waiting(7, 'days', {
      settings: { exitOn: { events: ['unsubscribed_by_phone'] } },
    })
    const done = await run(sketch, ({ contactId }) =>
      receive(sql, organizationId, { contactId, name: 'unsubscribed_by_phone' }),
    )
    expect(done.end).toEqual({ status: 'cancelled', reason: 'exit_on' })
    expect(done.path).toEqual(['wait skipped'])
    expect(done.figures).toMatchObject({ cancelled: 1, completed: 0, live: 0 })
  })

  it('a wait for what is done with a mail that was never made is over at once', async () => {
    const flow = await seedFlow(sql, organizationId, {
      steps: [
        { id: 'mail', type: 'send_email', config: { subject: 'x', html: 'x' } },
        {
          id: 'wait',
          type: 'wait_for_email_engagement',
          config: { stepId: 'mail', events: ['opened'], timeout: { amount: 9, unit: 'days' } },
        },
        { id: 'opened', type: 'exit', config: { outcome: 'completed', reason: 'opened' } },
        { id: 'never', type: 'exit', config: { outcome: 'completed', reason: 'never' } },
      ],
      transitions: ['mail>wait', 'wait:opened>opened', 'wait:timeout>never'],
    })
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
    await sql`
      insert into execution_steps (organization_id, execution_id, step_id, visit, position, type,
        status, reason)
      values (${organizationId}, ${executionId}, 'mail', 1, 1, 'send_email', 'skipped',
        'unsubscribed')`
    await sql`update executions set step_id = 'wait', visit = 1 where id = ${executionId}`
    const end = await endOf(time.result(await worker.start({ organizationId, executionId })))
    expect(end).toEqual({ status: 'completed', reason: 'never' })
    expect(await path(sql, executionId)).toEqual([
      'mail skipped',
      'wait skipped timeout',
      'never completed',
    ])
  })

  it('a loop that mails until a mail is opened pauses where no mail may be made', async () => {
    const flow = await seedFlow(sql, organizationId, {
      steps: [
        { id: 'mail', type: 'send_email', config: { subject: 'x', html: 'x' } },
        {
          id: 'wait',
          type: 'wait_for_email_engagement',
          config: { stepId: 'mail', events: ['opened'], timeout: { amount: 9, unit: 'days' } },
        },
      ],
      transitions: ['mail>wait', 'wait:timeout>mail'],
    })
    const [contactId = ''] = await seedContacts(sql, organizationId, 1)
    await sql`update contacts set email_status = 'unsubscribed' where id = ${contactId}`
    const [executionId = ''] = await seedExecutions(sql, flow, [contactId])
    const handle = await worker.start({ organizationId, executionId })
    await isAt(executionId, 'waiting')
    const first = ['mail skipped', 'wait skipped timeout', 'mail#2 skipped']
    expect(await path(sql, executionId)).toEqual([...first, 'wait#2 executing'])
    const [{ dueAt } = { dueAt: '' }] = await sql<{ dueAt: string }[]>`
      select due_at from execution_steps where execution_id = ${executionId} and visit = 2
        and step_id = 'wait'`
    expect(Date.parse(dueAt) - Number(await time.now())).toBeGreaterThan(8 * DAY_MS)
    // A wake before its time changes nothing.
    await handle.signal(WAKE_SIGNAL)
    await sleep(300)
    expect(await path(sql, executionId)).toEqual([...first, 'wait#2 executing'])
    await sql`
      update execution_steps set due_at = now() where execution_id = ${executionId} and visit = 2
        and step_id = 'wait'`
    await handle.signal(WAKE_SIGNAL)
    await until(async () => (await executionRow(sql, executionId)).visit === 3)
    await isAt(executionId, 'waiting')
    const second = ['wait#2 skipped timeout', 'mail#3 skipped']
    expect(await path(sql, executionId)).toEqual([...first, ...second, 'wait#3 executing'])
    await transact(sql, (tx) => cancel(tx, organizationId, executionId, undefined))
    await handle.signal(WAKE_SIGNAL)
    expect(await endOf(handle.result())).toMatchObject({ status: 'cancelled' })
  })
})

describe('on the real server', () => {
  let temporal: TestTemporal
  beforeAll(async () => {
    temporal = await openTemporal()
  })
  afterAll(() => temporal.close())

  it(`${RACES} events at the moment of the timeout: the time of arrival decides, one branch each`, {
    timeout: 360_000,
  }, async () => {
    const flow = await seedFlow(sql, organizationId, waiting(0.1, 'minutes'))
    const contactIds = await seedContacts(sql, organizationId, RACES)
    const executionIds = await seedExecutions(sql, flow, contactIds)
    const log = pino({ level: 'silent' })
    const relay = startOutboxRelay({ sql: workerSql, temporal: temporal.client, log })
    const worker = await startFlowWorker(temporal, { sql: workerSql, content })
    const met = await Promise.all(
      executionIds.map(async (executionId, i) => {
        const handle = await worker.start({ organizationId, executionId })
        await isAt(executionId, 'waiting')
        const [wait] = await sql<{ expiresAt: string }[]>`
          select expires_at from waits where execution_id = ${executionId}`
        const untilEnd = Date.parse(wait!.expiresAt) - Date.now()
        // The first of them at once: it is in time on a busy machine, too.
        await sleep(i === 0 ? 0 : Math.max(0, untilEnd - (RACES - i) * 10 + 60))
        const event = await bought(contactIds[i]!)
        const isInTime = event.receivedAt < wait!.expiresAt
        return { isInTime, end: await endOf(handle.result()), path: await path(sql, executionId) }
      }),
    )
    await worker.stop()
    await relay.stop()
    for (const { isInTime, end, path } of met) {
      expect(end).toEqual({ status: 'completed', reason: isInTime ? 'came' : 'never' })
      expect(path).toEqual(
        isInTime
          ? ['wait completed yes', 'came completed']
          : ['wait completed timeout', 'never completed'],
      )
    }
    const inTime = met.filter(({ isInTime }) => isInTime).length
    expect(Math.min(inTime, RACES - inTime)).toBeGreaterThan(0)
    expect(await figures(sql, flow)).toMatchObject({ completed: RACES, live: 0 })
  })
})
