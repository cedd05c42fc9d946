import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { HOOK_EVENT_TYPES } from '../../src/domain/hooks/hook-event.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  createDrainer,
  createEndpoint,
  type HookAnswer,
  makeDue,
  startHookReceiver,
  verifyCall,
} from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'

const servers = createServers()
let api: Api
let drainer: ReturnType<typeof createDrainer>
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
  drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
})
afterEach(async () => {
  await servers.close()
  await api.sql`delete from hook_endpoints`
})
afterAll(() => api.close())

const deliveriesOf = async (id: string) =>
  (await api.alice.get(`/v1/webhook-endpoints/${id}/deliveries`)).body.data
const endpointOf = async (id: string) => (await api.alice.get(`/v1/webhook-endpoints/${id}`)).body

test('an event is posted once, signed as Standard Webhooks specifies', async () => {
  const { url, calls } = await startHookReceiver(servers)
  const { id, secret } = await createEndpoint(api.alice, `${url}/in?x=1`, {
    eventTypes: ['contact.created'],
  })
  const contact = await createContact(api.alice, { email: 'ada@example.com', firstName: 'Ada' })
  await drainer.drainOf(id)
  expect(calls).toHaveLength(1)
  const [call] = calls
  if (!call) throw new Error('no call')
  expect(call.path).toBe('/in?x=1')
  expect(call.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Letterloom-Webhooks',
    'webhook-id': call.event.id,
  })
  verifyCall(secret, call)
  expect(call.event).toMatchObject({
    id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    type: 'contact.created',
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { contact: { id: contact.id, email: 'ada@example.com', firstName: 'Ada' } },
  })
  expect(call.event.data.contact).not.toHaveProperty('organizationId')
  expect(await deliveriesOf(id)).toMatchObject([
    { eventId: call.event.id, state: 'delivered', attempts: 1, tries: [{ status: 200 }] },
  ])
  expect(await endpointOf(id)).toMatchObject({
    pending: 0,
    last24Hours: { delivered: 1, failedCalls: 0 },
    lastSuccessAt: expect.any(String),
  })
  await drainer.drainOf(id)
  expect(calls).toHaveLength(1)
})

test('every type has a sample, which is marked as a test', async () => {
  const { url, calls } = await startHookReceiver(servers)
  const { id, secret } = await createEndpoint(api.alice, url)
  for (const type of HOOK_EVENT_TYPES) {
    const answer = await api.alice.post(`/v1/webhook-endpoints/${id}/test`, { type })
    expect(answer.status).toBe(202)
  }
  await drainer.drainOf(id)
  expect(new Set(calls.map(({ event }) => event.type))).toEqual(new Set(HOOK_EVENT_TYPES))
  expect(calls).toHaveLength(HOOK_EVENT_TYPES.length)
  for (const call of calls) {
    verifyCall(secret, call)
    expect(call.event.data.test).toBe(true)
    expect(Object.values(call.event.data)).not.toContain(undefined)
  }
})

test('both secrets sign for a day after a rotation, and then only the new one', async () => {
  const { url, calls } = await startHookReceiver(servers)
  const { id, secret: oldSecret } = await createEndpoint(api.alice, url)
  const rotated = await api.alice.post(`/v1/webhook-endpoints/${id}/rotate-secret`)
  expect(rotated.status).toBe(200)
  const { secret: newSecret } = rotated.body
  await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
  await drainer.drainOf(id)
  const [both] = calls
  if (!both) throw new Error('no call')
  verifyCall(newSecret, both)
  verifyCall(oldSecret, both)

  await api.sql`update hook_endpoints set previous_secret_until = now() where id = ${id}`
  await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
  await drainer.drainOf(id)
  const [, single] = calls
  if (!single) throw new Error('no second call')
  verifyCall(newSecret, single)
  expect(() => verifyCall(oldSecret, single)).toThrow('No matching signature found')
})

test('a call that fails is repeated with the same id and a new time, and its answer is shown', async () => {
  let answer: HookAnswer = { status: 503, body: 'x'.repeat(600), headers: { 'retry-after': '60' } }
  const { url, calls } = await startHookReceiver(servers, () => answer)
  let now = Date.now()
  const clocked = createDrainer({ sql: api.sql, keyring: api.deps.keyring, now: () => now })
  const { id, secret } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await createContact(api.alice, { email: 'bea@example.com' })
  await clocked.drainOf(id)
  expect(await deliveriesOf(id)).toMatchObject([
    {
      state: 'pending',
      attempts: 1,
      nextTryAt: expect.any(String),
      tries: [{ status: 503, error: 'The receiver answered 503' }],
      answer: 'x'.repeat(500),
    },
  ])
  const { nextTryAt, failingSince } = await endpointOf(id)
  expect(Date.parse(nextTryAt) - Date.parse(failingSince)).toBeGreaterThan(50_000)

  answer = 200
  now += 5_000
  await makeDue(api.sql, id)
  await clocked.drainOf(id)
  const [first, second] = calls
  if (!first || !second) throw new Error('fewer than two calls')
  verifyCall(secret, second)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(Number(second.headers['webhook-timestamp'])).toBe(
    Number(first.headers['webhook-timestamp']) + 5,
  )
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempts: 2, answer: null }])
  expect(await endpointOf(id)).toMatchObject({ failingSince: null, nextTryAt: null })
})

test('a redirect is no success and is not followed', async () => {
  const other = await startHookReceiver(servers)
  const { url, calls } = await startHookReceiver(servers, () => ({
    status: 307,
    headers: { location: other.url },
  }))
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await createContact(api.alice, { email: 'cleo@example.com' })
  await drainer.drainOf(id)
  expect([calls.length, other.calls.length]).toEqual([1, 0])
  const [delivery] = await deliveriesOf(id)
  expect(delivery.tries).toMatchObject([
    { status: 307, error: 'The receiver answered 307; redirects are not followed' },
  ])
})

test('after five failures in a row only one call at a time is made, at growing intervals', async () => {
  const { url, calls } = await startHookReceiver(servers, () => 500)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  for (let n = 0; n < 20; n++) {
    await createContact(api.alice, { email: `many-${n}@example.com` })
  }
  await drainer.drainOf(id)
  expect(calls).toHaveLength(5)
  const waits: number[] = []
  for (let trial = 0; trial < 6; trial++) {
    const [row] = await api.sql<{ waitMs: number }[]>`
      select (extract(epoch from gate_until - (
          select max((tries -> -1 ->> 'at')::timestamptz)
          from hook_deliveries where endpoint_id = ${id}
        )) * 1000)::float8 as wait_ms
      from hook_endpoints where id = ${id}`
    waits.push(Math.round((row?.waitMs ?? 0) / 10_000) * 10)
    await api.sql`update hook_endpoints set gate_until = now() - interval '1 second' where id = ${id}`
    await drainer.drainOf(id)
    expect(calls).toHaveLength(6 + trial)
  }
  expect(waits).toEqual([10, 30, 120, 600, 1_800, 1_800])
  // A test passes the gate.
  await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
  await drainer.drainOf(id)
  expect(calls).toHaveLength(12)
  expect(await endpointOf(id)).toMatchObject({ pending: 20, enabled: true })
})

test('a test that succeeds opens the gate, and everything that waited arrives', async () => {
  let answer: HookAnswer = 500
  const { url, calls } = await startHookReceiver(servers, () => answer)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  for (let n = 0; n < 20; n++) {
    await createContact(api.alice, { email: `waiting-${n}@example.com` })
  }
  await drainer.drainOf(id)
  answer = 200
  await drainer.drainOf(id)
  expect(calls).toHaveLength(5)
  await api.alice.post(`/v1/webhook-endpoints/${id}/test`)
  await drainer.drainOf(id)
  // Those five that were called before wait for their own times.
  expect(await endpointOf(id)).toMatchObject({ pending: 5, nextTryAt: null })
  await makeDue(api.sql, id)
  await drainer.drainOf(id)
  const ids = new Set(calls.filter(({ event }) => !event.data.test).map(({ event }) => event.id))
  expect(ids.size).toBe(20)
  expect(await endpointOf(id)).toMatchObject({ pending: 0 })
})

test('an endpoint that answers 410 is disabled at once, and its owners are told', async () => {
  const { url, calls } = await startHookReceiver(servers, () => 410)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await createContact(api.alice, { email: 'dora@example.com' })
  await drainer.drainOf(id)
  await createContact(api.alice, { email: 'emil@example.com' })
  await makeDue(api.sql, id)
  await drainer.drainOf(id)
  expect(calls).toHaveLength(1)
  expect(await endpointOf(id)).toMatchObject({
    enabled: false,
    disabledReason: 'gone',
    pending: 2,
  })
  const notices = await api.sql`
    select kind, data ->> 'reason' as reason from notices where subject = ${id}`
  expect(notices).toMatchObject([{ kind: 'webhook_disabled', reason: 'gone' }])
})

test('owners are told once after a day without a success, and the endpoint is disabled after three', async () => {
  const { url } = await startHookReceiver(servers, () => 500)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  for (let n = 0; n < 20; n++) {
    await createContact(api.alice, { email: `failing-${n}@example.com` })
  }
  const failOnce = async () => {
    await makeDue(api.sql, id)
    await drainer.drainOf(id)
  }
  const failingFor = (time: string) => api.sql`
    update hook_endpoints set failing_since = now() - ${time}::interval where id = ${id}`
  const kinds = async () =>
    (
      await api.sql<{ kind: string }[]>`select kind from notices where subject = ${id} order by id`
    ).map(({ kind }) => kind)
  await drainer.drainOf(id)
  await failingFor('23 hours')
  await failOnce()
  expect(await kinds()).toEqual([])
  await failingFor('25 hours')
  await failOnce()
  await failOnce()
  expect(await kinds()).toEqual(['webhook_failing'])
  await failingFor('73 hours')
  const [before] = await api.sql<{ failures: number }[]>`
    select failures from hook_endpoints where id = ${id}`
  for (let n = before?.failures ?? 0; n < 11; n++) await failOnce()
  expect(await endpointOf(id)).toMatchObject({ enabled: true })
  await failOnce()
  expect(await endpointOf(id)).toMatchObject({ enabled: false, disabledReason: 'failing' })
  expect((await kinds()).at(-1)).toBe('webhook_disabled')
})

test('what was held while an endpoint was disabled is sent when it is enabled, or dropped', async () => {
  const { url, calls } = await startHookReceiver(servers)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  const path = `/v1/webhook-endpoints/${id}`
  await api.alice.patch(path, { enabled: false })
  const held = await createContact(api.alice, { email: 'fay@example.com' })
  await drainer.drainOf(id)
  expect(calls).toHaveLength(0)
  await api.alice.patch(path, { enabled: true })
  await drainer.drainOf(id)
  expect(calls.map(({ event }) => event.data.contact.id)).toEqual([held.id])

  await api.alice.patch(path, { enabled: false })
  await createContact(api.alice, { email: 'gus@example.com' })
  await api.alice.patch(path, { enabled: true, held: 'drop' })
  const later = await createContact(api.alice, { email: 'hal@example.com' })
  await drainer.drainOf(id)
  expect(calls.map(({ event }) => event.data.contact.id)).toEqual([held.id, later.id])
  expect(await deliveriesOf(id)).toMatchObject([
    { state: 'delivered' },
    { state: 'cancelled' },
    { state: 'delivered' },
  ])

  // After three days nothing more is held.
  await api.alice.patch(path, { enabled: false })
  await api.sql`
    update hook_endpoints set disabled_at = now() - interval '73 hours' where id = ${id}`
  await createContact(api.alice, { email: 'ida@example.com' })
  expect(await deliveriesOf(id)).toHaveLength(3)
})

test('a call that outlasts its lease is made once more, with the same id, and counts once', async () => {
  let release = (): void => {}
  const held = new Promise<HookAnswer>((resolve) => (release = () => resolve(200)))
  const { url, calls } = await startHookReceiver(servers, () => (calls.length === 1 ? held : 200))
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await createContact(api.alice, { email: 'jan@example.com' })
  const draining = drainer.drainOf(id)
  await until(async () => calls.length === 1)
  await makeDue(api.sql, id)
  const otherWorker = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
  await otherWorker.drainOf(id)
  release()
  await draining
  expect(calls).toHaveLength(2)
  expect(new Set(calls.map(({ event }) => event.id)).size).toBe(1)
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('one event that is always refused fails alone', async () => {
  const { url } = await startHookReceiver(servers, ({ event }) =>
    event.data.contact.email === 'poison@example.com' ? 500 : 200,
  )
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  await createContact(api.alice, { email: 'poison@example.com' })
  for (let round = 0; round < 11; round++) {
    await createContact(api.alice, { email: `fine-${round}@example.com` })
    await makeDue(api.sql, id)
    await drainer.drainOf(id)
  }
  expect(await endpointOf(id)).toMatchObject({ enabled: true, pending: 0 })
  const failed = (await deliveriesOf(id)).filter(
    ({ state }: { state: string }) => state !== 'delivered',
  )
  expect(failed).toMatchObject([{ state: 'failed', attempts: 11 }])
})
