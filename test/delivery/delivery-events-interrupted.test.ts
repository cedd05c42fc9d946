import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SLOW_ANSWER_MS } from '../../src/core/delivery/receiving.ts'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, connectAccount, inject, startApi, wasVerified } from '../support/api.ts'
import { until } from '../support/engine.ts'

/** These tests are about events that the event bus regards as not delivered. */
const accountId = '123456789013'
const region = 'eu-central-1'

let api: Api
let secret: string
let connectionId: Uuid
const told: (Uuid | undefined)[] = []

beforeAll(async () => {
  api = await startApi({ receiving: { refused: (whose) => void told.push(whose?.id) } })
  const connection = await connectAccount(api.alice, { accountId, region })
  secret = connection.webhookSecret
  connectionId = connection.connectionId
  await wasVerified(api.sql, connectionId)
  await api.app.listen({ host: '127.0.0.1', port: 0 })
})
beforeEach(() => {
  told.length = 0
})
afterAll(() => api.close())

const url = `/webhooks/ses/${accountId}`
const headers = (withSecret = secret) => ({
  'content-type': 'application/json',
  'x-webhook-secret': withSecret,
})
const event = () =>
  JSON.stringify({
    version: '0',
    id: uuidv7(),
    'detail-type': 'Email Delivered',
    source: 'aws.ses',
    account: accountId,
    time: '2026-11-21T10:00:00Z',
    region,
    resources: [],
    detail: {
      eventType: 'Delivery',
      mail: { messageId: 'm', timestamp: '2026-11-21T10:00:00Z', destination: ['ada@example.com'] },
    },
  })
const deliver = (withSecret?: string) =>
  inject(api.app, { method: 'POST', url, headers: headers(withSecret), payload: event() })

/** While `work` runs no event can be stored. */
const blocked = (work: () => Promise<void>) =>
  api.sql.begin(async (tx) => {
    await tx`lock table inbound_events in access exclusive mode`
    await work()
  })

test('a stored event and a refused stranger are no interruption', async () => {
  expect((await deliver()).status).toBe(200)
  expect((await deliver('wrong')).status).toBe(401)
  expect(told).toEqual([])
})

test('an event that is answered too late is an interruption of its connection', async () => {
  let late: ReturnType<typeof deliver> | undefined
  await blocked(async () => {
    late = deliver()
    await sleep(SLOW_ANSWER_MS + 200)
  })
  expect((await late)?.status).toBe(200)
  await until(async () => told.length > 0)
  expect(new Set(told)).toEqual(new Set([connectionId]))
})

test('an event whose sender hung up is an interruption, also if it was stored', async () => {
  const { port } = api.app.server.address() as { port: number }
  const hangUp = new AbortController()
  let sent: Promise<unknown> | undefined
  await blocked(async () => {
    sent = fetch(`http://127.0.0.1:${port}${url}`, {
      method: 'POST',
      headers: headers(),
      body: event(),
      signal: hangUp.signal,
    }).catch(() => undefined)
    await until(async () => {
      const waiting = await api.admin`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      return waiting.length > 0
    })
    hangUp.abort()
    await sent
    await until(async () => told.length > 0)
  })
  expect(new Set(told)).toEqual(new Set([connectionId]))
})

test('an event that fails on our side is an interruption', async () => {
  const broken = await startApi({
    sql: api.deps.sql,
    receiving: { refused: (whose) => void told.push(whose?.id) },
    keyring: api.deps.keyring,
  })
  await api.admin`alter function store_inbound_events rename to store_no_events`
  try {
    const answer = await inject(broken.app, {
      method: 'POST',
      url,
      headers: headers(),
      payload: event(),
    })
    expect(answer.status).toBe(500)
  } finally {
    await api.admin`alter function store_no_events rename to store_inbound_events`
    await broken.close()
  }
  expect(told).toEqual([connectionId])
})
