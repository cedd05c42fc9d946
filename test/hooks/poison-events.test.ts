import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Api, createContact, startApi } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  createDrainer,
  createEndpoint,
  type HookAnswer,
  makeDue,
  startHookReceiver,
} from '../support/hooks.ts'
import { createServers } from '../support/servers.ts'
import { sized } from '../support/size.ts'

const GOOD_EVENTS = sized(60, 1_000)
/** A delivery is called eleven times, within 72 hours. */
const ROUNDS = 11
const POISON = 'poison@example.com'

const servers = createServers()
let api: Api
let drainer: ReturnType<typeof createDrainer>
beforeAll(async () => {
  api = await startApi({ allowsHttpHooks: true })
  drainer = createDrainer({ sql: api.sql, keyring: api.deps.keyring })
})
afterEach(async () => {
  await servers.close()
  await api.sql`delete from contacts`
  await api.sql`delete from hook_endpoints`
})
afterAll(() => api.close())

async function endpointWith(answer: HookAnswer) {
  const { url, calls } = await startHookReceiver(servers, ({ event }) =>
    event.data.contact.email === POISON ? answer : 204,
  )
  const { id } = await createEndpoint(api.alice, url, { eventTypes: ['contact.created'] })
  const deliveries = () =>
    api.sql<{ state: string; attempts: number; rows: number }[]>`
      select state, attempts, count(*)::int as rows
      from hook_deliveries
      where endpoint_id = ${id}
      group by state, attempts
      order by state`
  return { id, calls, deliveries }
}

async function createGood(count: number): Promise<void> {
  const contacts = Array.from({ length: count }, () => ({
    email: `${crypto.randomUUID()}@example.com`,
  }))
  const { status } = await api.alice.post('/v1/contacts/batch', { contacts })
  expect(status).toBe(200)
}

test.each<HookAnswer>([404, 'resets'])(
  'an event that is always answered with %s fails alone: good events arrive at their first call',
  async (answer) => {
    const { id, deliveries } = await endpointWith(answer)
    await createContact(api.alice, { email: POISON })
    for (let round = 1; round <= ROUNDS; round++) {
      await createGood(Math.ceil(GOOD_EVENTS / ROUNDS))
      await makeDue(api.sql, id)
      await until(async () => {
        await drainer.drainOf(id)
        const [waiting] = await api.sql`
          select from hook_queue where endpoint_id = ${id} and due_at <= now()`
        return waiting === undefined
      })
      const [row] = await api.sql`
        select gate_step, gate_until from hook_endpoints where id = ${id}`
      expect(row).toEqual({ gateStep: 0, gateUntil: null })
    }
    const good = Math.ceil(GOOD_EVENTS / ROUNDS) * ROUNDS
    expect(await deliveries()).toEqual([
      { state: 'delivered', attempts: 1, rows: good },
      { state: 'failed', attempts: ROUNDS, rows: 1 },
    ])
    const { body } = await api.alice.get(`/v1/webhook-endpoints/${id}`)
    expect(body).toMatchObject({ enabled: true, pending: 0 })
  },
)

test('good events arrive while a call of another event of the endpoint hangs', async () => {
  const { id, calls, deliveries } = await endpointWith('hangs')
  // An endpoint begins with one call at a time. A success gives it room for two.
  await createGood(1)
  await drainer.drainOf(id)
  await createContact(api.alice, { email: POISON })
  const [row] = await api.sql<{ shard: number }[]>`
    select shard from hook_endpoints where id = ${id}`
  const draining = drainer.start(row?.shard ?? 0)
  try {
    await until(async () => calls.length === 2)
    await createGood(GOOD_EVENTS)
    await until(async () => (await deliveries())[0]?.rows === GOOD_EVENTS + 1)
    expect(await deliveries()).toEqual([
      { state: 'delivered', attempts: 1, rows: GOOD_EVENTS + 1 },
      { state: 'pending', attempts: 0, rows: 1 },
    ])
  } finally {
    await draining.stop()
  }
})
