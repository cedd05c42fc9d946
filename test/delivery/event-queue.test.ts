import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { EventQueues } from '../../src/domain/delivery/event-queue.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, startApi } from '../support/api.ts'
import { withoutPartition } from '../support/database.ts'
import { until } from '../support/engine.ts'
import {
  type QueueConnection,
  QUEUE_TIMINGS,
  queueUrl,
  startQueues,
} from '../support/event-queues.ts'
import { REGION } from '../support/seed.ts'

let api: Api
let queues: Awaited<ReturnType<typeof startQueues>>
const pollers: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  api = await startApi()
  queues = await startQueues(api.sql, api.databaseUrl)
})
afterEach(async () => {
  await Promise.all(pollers.splice(0).map((each) => each.stop()))
  queues.logged.length = 0
  queues.notApplied.length = 0
})
afterAll(async () => {
  await queues.stop()
  await api.close()
})

const poll = (change?: (given: EventQueues) => EventQueues, timings?: typeof QUEUE_TIMINGS) => {
  const poller = queues.startPoller(change, timings)
  pollers.push(poller)
  return poller
}

/** A worker that is gone once a call was made, before it hears of it. */
function dyingAt(call: 'receive' | 'delete') {
  let die = (): void => {}
  const dead = new Promise<void>((resolve) => (die = resolve))
  const poller = poll((given) => ({
    open: (source) => {
      const opened = given.open(source)
      const fatal = async (answer: Promise<unknown>): Promise<never> => {
        await answer
        void poller.stop()
        die()
        throw new Error('killed')
      }
      return call === 'receive'
        ? { ...opened, receive: (options) => fatal(opened.receive(options)) }
        : { ...opened, delete: () => fatal(Promise.resolve()) }
    },
  }))
  return { dead }
}

/** A connection of hers whose queue is polled from now on. */
async function connect(options: Parameters<typeof queues.connect>[1] = {}) {
  const made = await queues.connect(api.alice.organizationId, options)
  const { status } = await setQueue(made)
  expect(status).toBe(200)
  return made
}

const setQueue = (made: QueueConnection, eventQueueUrl: string | null = queueUrl(made)) =>
  api.alice.patch(`/v1/connections/${made.connectionId}`, { eventQueueUrl })

const event = ({ accountId }: QueueConnection, changes: object = {}) => ({
  version: '0',
  id: uuidv7(),
  'detail-type': 'Email Delivered',
  source: 'aws.ses',
  account: accountId,
  time: '2026-11-21T10:00:00Z',
  region: REGION,
  resources: [],
  detail: {
    eventType: 'Delivery',
    mail: {
      messageId: 'm',
      timestamp: '2026-11-21T10:00:00Z',
      destination: ['ada@example.com'],
    },
  },
  ...changes,
})

const send = (made: QueueConnection, events: (object | string)[]) =>
  queues.control.putMessages(
    made.accountId,
    made.queue,
    events.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))),
  )
const left = async ({ accountId, queue }: QueueConnection): Promise<number> => {
  const { visible, hidden } = await queues.control.queue(accountId, queue)
  return visible + hidden
}
const stored = ({ connectionId }: QueueConnection) => api.sql<
  { envelopeId: string; error: string | null; ignored: string | null }[]
>`
  select envelope_id, error, ignored
  from inbound_events
  where connection_id = ${connectionId}
  order by position`
const emptied = (made: QueueConnection) => until(async () => (await left(made)) === 0)
const shown = async ({ connectionId }: QueueConnection) => {
  const { body } = await api.alice.get('/v1/connections')
  return body.connections.find(({ id }: { id: string }) => id === connectionId)
}

describe('events', () => {
  test('are stored under the connection of the queue, each once, and then deleted', async () => {
    const made = await connect()
    const events = Array.from({ length: 250 }, () => event(made))
    // A standard queue may deliver twice, and the bus too.
    await send(made, [...events, ...events.slice(0, 60)])
    poll()
    poll()
    await emptied(made)
    const rows = await stored(made)
    expect(new Set(rows.map(({ envelopeId }) => envelopeId))).toEqual(
      new Set(events.map(({ id }) => id)),
    )
    expect(rows).toHaveLength(250)
    expect(rows.filter(({ error, ignored }) => error ?? ignored)).toEqual([])
    expect((await shown(made)).lastEventReceivedAt).not.toBeNull()
    const calls = await queues.control.calls(made.accountId)
    expect(calls['sqs:DeleteMessageBatch']).toBeLessThan(80)
  })

  test('that are large are received by one call at a time', async () => {
    const made = await connect()
    const padding = 'x'.repeat(200_000)
    const events = Array.from({ length: 40 }, () => event(made, { padding }))
    for (let from = 0; from < 40; from += 10) await send(made, events.slice(from, from + 10))
    let receiving = 0
    let most = 0
    const watching = (given: EventQueues): EventQueues => ({
      open: (source) => {
        const opened = given.open(source)
        // Pollers look at the queues of other tests, too.
        if (source.connectionId !== made.connectionId) return opened
        const receive: typeof opened.receive = async (options) => {
          most = Math.max(most, ++receiving)
          return opened.receive(options).finally(() => receiving--)
        }
        return { ...opened, receive }
      },
    })
    // A worker that is held up for longer than its lease has lost it.
    poll(watching, { ...QUEUE_TIMINGS, leaseMs: 60_000 })
    await emptied(made)
    expect(most).toBe(1)
    expect(await stored(made)).toHaveLength(40)
  })

  test('come again after a worker died before it deleted them, and are stored once', async () => {
    const made = await connect()
    const events = Array.from({ length: 30 }, () => event(made))
    await send(made, events)
    // What it received and stored is not deleted, and its hold stays: as after kill -9.
    const dying = dyingAt('delete')
    await dying.dead
    expect(await left(made)).toBe(30)
    poll()
    await emptied(made)
    expect(await stored(made)).toHaveLength(30)
  })

  test('come again after a worker died before it stored them', async () => {
    const made = await connect()
    await send(made, [event(made)])
    await dyingAt('receive').dead
    expect(await stored(made)).toHaveLength(0)
    poll()
    await emptied(made)
    expect(await stored(made)).toHaveLength(1)
  })

  test('of a disconnected account stay where they are, and come when it is back', async () => {
    const made = await connect()
    poll()
    await api.alice.delete(`/v1/connections/${made.connectionId}`)
    await new Promise((resolve) => setTimeout(resolve, 2 * QUEUE_TIMINGS.leaseMs))
    await send(made, [event(made)])
    await new Promise((resolve) => setTimeout(resolve, QUEUE_TIMINGS.leaseMs))
    expect(await left(made)).toBe(1)
    const { accountId } = made
    await api.alice.post('/v1/connections', { accountId, region: REGION })
    await emptied(made)
  })
})

describe('a message that is no event of ours', () => {
  test('is kept with its reason and stops no others', async () => {
    const made = await connect()
    const good = [event(made), event(made)]
    await send(made, [
      'not json',
      { id: 'x', detail: {} },
      event(made, { account: '999999999999' }),
      event(made, { region: 'us-east-1' }),
      event(made, { detail: { eventType: 'Subscription' } }),
      event(made, { detail: { deep: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) } }),
      event(made, { padding: 'x'.repeat(1_100_000) }),
      ...good,
    ])
    poll()
    await emptied(made)
    const rows = await stored(made)
    const reasons = rows.map(({ error, ignored }) => error ?? ignored ?? 'good')
    expect(reasons.toSorted()).toEqual(
      [
        'invalid_json',
        'no_envelope',
        'other_account',
        'other_region',
        'unknown_event',
        'unstorable_text',
        'too_large',
        'good',
        'good',
      ].toSorted(),
    )
    expect(queues.notApplied).toHaveLength(7)
  })

  test('is stored as an error without its text if Postgres refuses it; others are stored', async () => {
    const made = await connect()
    await api.admin`
      alter table inbound_events add constraint refusing check (envelope_id not like 'refused%')`
    const good = Array.from({ length: 5 }, () => event(made))
    await send(made, [event(made, { id: 'refused 1' }), ...good])
    poll()
    await emptied(made)
    await api.admin`alter table inbound_events drop constraint refusing`
    const rows = await stored(made)
    expect(rows.map(({ error }) => error ?? 'good').toSorted()).toEqual([
      ...good.map(() => 'good'),
      'refused_value',
    ])
    const [kept] = await api.sql`
      select body from inbound_events where error = 'refused_value'`
    expect(kept).toEqual({ body: { unread: null } })
  })

  test('events wait in the queue while a partition is missing, and silence proves nothing', async () => {
    const made = await connect({ maxReceiveCount: 20 })
    await send(
      made,
      Array.from({ length: 5 }, () => event(made)),
    )
    await withoutPartition(api.admin, 'inbound_events', async () => {
      poll()
      await until(async () => JSON.stringify(queues.logged).includes('was not polled'))
      // Another worker need not wait until the lease ends.
      await until(async () => {
        const [row] = await api.sql`
          select from event_queue_polls p
          join connections c on c.organization_id = p.organization_id and c.id = p.connection_id
          where c.id = ${made.connectionId} and c.events_refused_at is not null
            and (p.held_by is null or p.held_until > c.events_refused_at + interval '500 ms')`
        return row
      })
      expect(await left(made)).toBe(5)
    })
    await emptied(made)
    expect((await stored(made)).map(({ error }) => error)).toEqual(Array(5).fill(null))
  })
})

test('is received although the note that events come is locked', async () => {
  const made = await connect()
  await send(made, [event(made)])
  await api.sql.begin(async (tx) => {
    await tx`select from connections where id = ${made.connectionId} for update`
    poll()
    await emptied(made)
  })
  expect(await stored(made)).toHaveLength(1)
})

describe('a queue that does not answer', () => {
  test.each([
    ['denied', 'event_queue_denied', { lacks: ['sqs:ReceiveMessage'] }],
    ['missing', 'event_queue_missing', {}],
  ])('%s: the connection says so, until it does', async (problem, warning, options) => {
    const made = await queues.connect(api.alice.organizationId, options)
    const { name } = made.queue
    const { queues: known } = await queues.control.account(made.accountId, REGION)
    if (problem === 'missing') await queues.control.putAccount(made.accountId, { queues: [] })
    await setQueue(made)
    await send(made, [event(made)])
    poll()
    await until(async () => (await shown(made)).warnings.includes(warning))
    const { body } = await api.alice.get(`/v1/account/health/${made.connectionId}`)
    expect(body).toMatchObject({ status: 'at_risk', reasons: [warning] })
    // Asked less and less often.
    const calls = async () =>
      (await queues.control.calls(made.accountId))['sqs:ReceiveMessage'] ?? 0
    expect(await calls()).toBeLessThan(4)

    const roles = (await queues.control.account(made.accountId, REGION)).roles
    await queues.control.putAccount(made.accountId, {
      queues: known,
      roles: roles.map((role) => ({ ...role, lacks: [] })),
    })
    await setQueue(made)
    await emptied(made)
    expect((await shown(made)).warnings).not.toContain(warning)
    // Neither where it is nor what opens it.
    const logged = JSON.stringify(queues.logged)
    expect(logged).toContain(problem)
    for (const secret of [name, 'amazonaws', 'Signature', 'SecretAccessKey']) {
      expect(logged).not.toContain(secret)
    }
  })

  test('a pause between two polls is an interruption, which ends when the queue is empty', async () => {
    const made = await connect()
    const row = async () => {
      const [found] = await api.sql<{ refused: string | null; emptied: string | null }[]>`
        select c.events_refused_at as refused, p.emptied_at as emptied
        from connections c
        join event_queue_polls p on p.connection_id = c.id
        where c.id = ${made.connectionId}`
      return found
    }
    await api.sql`
      update event_queue_polls set polled_at = now() - interval '5 minutes'
      where connection_id = ${made.connectionId}`
    poll(undefined, { ...QUEUE_TIMINGS, receivingGapMs: 60_000 })
    await until(async () => (await row())?.refused)
    const { refused = null } = (await row()) ?? {}
    await until(async () => ((await row())?.emptied ?? '') > (refused ?? ''))
    expect((await row())?.refused).toBe(refused)
  })

  test.each([
    ['another', (made: QueueConnection) => `${queueUrl(made)}-2`],
    ['none', () => null],
  ])('that is changed to %s: what was interrupted stays so', async (_what, url) => {
    const made = await connect()
    const refusedAt = async () => {
      const [row] = await api.sql<{ refused: string | null }[]>`
        select events_refused_at as refused from connections where id = ${made.connectionId}`
      return row?.refused
    }
    expect(await refusedAt()).toBeNull()
    const before = new Date().toISOString()
    expect((await setQueue(made, url(made))).status).toBe(200)
    expect((await refusedAt()) ?? '').toMatch(/^2/)
    expect(Date.parse((await refusedAt()) ?? '')).toBeGreaterThan(Date.parse(before) - 1_000)
  })

  test('is polled by one worker at a time', async () => {
    const made = await connect()
    let [now, most] = [0, 0]
    const watching = (given: EventQueues): EventQueues => ({
      open: (source) => {
        const opened = given.open(source)
        return {
          ...opened,
          receive: async (options) => {
            if (source.connectionId !== made.connectionId) return opened.receive(options)
            most = Math.max(most, ++now)
            return opened.receive(options).finally(() => now--)
          },
        }
      },
    })
    // A worker that is held up for longer than its lease has lost it.
    const patient = { ...QUEUE_TIMINGS, leaseMs: 60_000 }
    for (let worker = 0; worker < 4; worker++) poll(watching, patient)
    await until(async () => {
      // A queue with messages is asked at once.
      await send(made, [event(made)])
      return ((await queues.control.calls(made.accountId))['sqs:ReceiveMessage'] ?? 0) > 5
    })
    expect(most).toBe(1)
  })
})

describe('eventQueueUrl', () => {
  test.each([
    ['http', (url: string) => url.replace('https', 'http'), 422],
    [
      'no host of SQS',
      (url: string) => url.replace('amazonaws.com', 'amazonaws.com.evil.example'),
      422,
    ],
    ['a port', (url: string) => url.replace('.com/', '.com:8443/'), 422],
    ['a FIFO queue', (url: string) => `${url}.fifo`, 422],
    ['another account', (url: string) => url.replace(/\d{12}/, '999999999999'), 400],
    ['another region', (url: string) => url.replace(REGION, 'us-east-1'), 400],
    ['another partition', (url: string) => url.replace('.com/', '.com.cn/'), 400],
  ])('%s is refused', async (_what, change, expected) => {
    const made = await queues.connect(api.alice.organizationId)
    const { status, body } = await setQueue(made, change(queueUrl(made)))
    expect([status, body.details[0].path]).toEqual([expected, 'eventQueueUrl'])
    expect((await shown(made)).eventQueueUrl).toBeNull()
    const rows = await api.sql`
      select from event_queue_polls where connection_id = ${made.connectionId}`
    expect(rows).toHaveLength(0)
  })

  test('null ends the polling; a stranger changes nothing', async () => {
    const made = await connect()
    const path = `/v1/connections/${made.connectionId}`
    expect((await api.charlie.patch(path, { eventQueueUrl: null })).status).toBe(403)
    expect((await shown(made)).eventQueueUrl).toBe(queueUrl(made))
    expect((await setQueue(made, null)).body.eventQueueUrl).toBeNull()
    const rows = await api.sql`
      select from event_queue_polls where connection_id = ${made.connectionId}`
    expect(rows).toHaveLength(0)
  })
})
