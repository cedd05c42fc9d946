import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  createDrainer,
  createEndpoint,
  type HookAnswer,
  letTimePass,
  startHookReceiver,
} from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const EVENTS_AN_HOUR = sized(1, 20)
/** Calls of an outage: five until the gate closes, then one every half an hour at most. */
const mostCallsOf = (hours: number): number => 5 + 2 * hours

const servers = createServers()
let api: Api
let drainer: ReturnType<typeof createDrainer>
let answer: HookAnswer = 200
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
  drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
})
afterEach(async () => {
  answer = 200
  await servers.close()
  await api.sql`delete from hook_endpoints`
})
afterAll(() => api.close())

async function startOutage() {
  const { url, calls } = await startHookReceiver(servers, () => answer)
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  const contactIds = new Set<string>()
  const path = `/v1/webhook-endpoints/${id}`
  answer = 503
  return {
    id,
    path,
    calls,
    contactIds,
    create: async () => {
      const email = `${crypto.randomUUID()}@example.com`
      contactIds.add((await createContact(api.alice, { email })).id)
    },
    pass: async (ms: number) => {
      await letTimePass(api.sql, id, ms)
      await drainer.drainOf(id)
    },
    endpoint: async () => (await api.alice.get(path)).body,
    /** Lists the deliveries that wait for longer than a call may take. */
    late: () => api.sql`
        select from hook_queue where endpoint_id = ${id} and due_at > now() + interval '46 seconds'`,
    /** Drains until only so many deliveries wait. */
    drainUntil: (pending: number) =>
      until(async () => {
        await drainer.drainOf(id)
        return (await api.alice.get(path)).body.pending === pending
      }),
    failed: async () => (await api.alice.get(`${path}/deliveries?state=failed`)).body.data,
    noticeKinds: async () =>
      (
        await api.sql<
          { kind: string }[]
        >`select kind from notices where subject = ${id} order by id`
      ).map(({ kind }) => kind),
    /** Ids of the events of each contact that was called about. */
    calledContacts: () => {
      const ids = new Map<string, Set<string>>()
      for (const { event } of calls) {
        const { id: contactId } = event.data.contact
        ids.set(contactId, (ids.get(contactId) ?? new Set()).add(event.id))
      }
      return ids
    },
  }
}

type Outage = Awaited<ReturnType<typeof startOutage>>

/** Lets hours pass with new events, `step` hours at a time. */
async function endure({ create, pass }: Outage, hours: number, step = 1): Promise<void> {
  for (let hour = 0; hour < hours; hour += step) {
    for (let n = 0; n < EVENTS_AN_HOUR; n++) await create()
    await pass(step * HOUR_MS)
  }
}

/** Checks that every event was delivered, each with one id at all its calls. */
async function expectAllDelivered(outage: Outage): Promise<void> {
  expect(await outage.endpoint()).toMatchObject({ enabled: true, pending: 0, failingSince: null })
  expect(await outage.failed()).toEqual([])
  const called = outage.calledContacts()
  expect(new Set(called.keys())).toEqual(outage.contactIds)
  expect([...called.values()].filter((eventIds) => eventIds.size !== 1)).toEqual([])
}

test('an endpoint that was away for 48 hours has everything half an hour after it is back, and its owners are told once', async () => {
  const outage = await startOutage()
  await endure(outage, 23)
  expect(await outage.noticeKinds()).toEqual([])
  await endure(outage, 2)
  expect(await outage.noticeKinds()).toEqual(['webhook_failing'])
  await endure(outage, 23)
  expect(outage.calls.length).toBeLessThanOrEqual(mostCallsOf(48))
  expect(await outage.endpoint()).toMatchObject({
    enabled: true,
    pending: outage.contactIds.size,
  })

  answer = 200
  await outage.pass(30 * MINUTE_MS)
  await until(async () => (await outage.endpoint()).failingSince === null)
  expect(await outage.late()).toHaveLength(0)
  await outage.drainUntil(0)
  await expectAllDelivered(outage)
  expect(await outage.noticeKinds()).toEqual(['webhook_failing'])
})

test('an endpoint that was away for 80 hours is disabled once, and has everything when it is enabled', async () => {
  const outage = await startOutage()
  await endure(outage, 80, 4)
  expect(await outage.endpoint()).toMatchObject({ enabled: false, disabledReason: 'failing' })
  expect(await outage.noticeKinds()).toEqual(['webhook_failing', 'webhook_disabled'])

  answer = 200
  const calls = outage.calls.length
  await outage.pass(HOUR_MS)
  expect(outage.calls).toHaveLength(calls)
  await api.alice.patch(outage.path, { enabled: true })
  await outage.drainUntil(0)
  // The oldest may have been called for 72 hours. They are sent again on request.
  const since = new Date(Date.now() - HOUR_MS).toISOString()
  await api.alice.post(`${outage.path}/replay`, { since })
  await outage.drainUntil(0)
  await expectAllDelivered(outage)
})

test('a single event that has failed for a day arrives with the next event, not at its own time', async () => {
  const outage = await startOutage()
  await outage.create()
  await drainer.drainOf(outage.id)
  for (let hour = 0; hour < 24; hour++) await outage.pass(HOUR_MS)
  answer = 200
  await drainer.drainOf(outage.id)
  expect(await outage.endpoint()).toMatchObject({ pending: 1 })
  await outage.create()
  await outage.pass(30 * MINUTE_MS)
  await outage.drainUntil(0)
  await expectAllDelivered(outage)
})

test('an event that was refused before an outage is not called when the endpoint is back', async () => {
  const outage = await startOutage()
  let poison: string | undefined
  const { url, calls } = await startHookReceiver(servers, ({ event }) =>
    event.data.contact.id === poison ? 400 : answer,
  )
  await api.alice.patch(outage.path, { url })
  answer = 200
  await outage.create()
  ;[poison] = outage.contactIds
  await drainer.drainOf(outage.id)
  await outage.create()
  await outage.drainUntil(1)
  for (let hour = 0; hour < 4; hour++) await outage.pass(HOUR_MS)
  const poisonCalls = () => calls.filter(({ event }) => event.data.contact.id === poison).length
  const before = poisonCalls()

  answer = 503
  for (let n = 0; n < 3; n++) await outage.create()
  for (let minute = 0; minute < 4; minute++) await outage.pass(MINUTE_MS)
  expect(await outage.endpoint()).toMatchObject({ pending: 4, nextTryAt: expect.any(String) })
  answer = 200
  await outage.pass(30 * MINUTE_MS)
  await outage.drainUntil(1)
  expect(poisonCalls()).toBe(before)
})
