import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Uuid } from '../../src/runtime/ids.ts'
import { type Sql, within } from '../../src/store/db/sql.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startEngine, until } from '../support/engine.ts'
import { type FlowSketch, seedFlow } from '../support/flows.ts'
import { guarantee } from '../support/guarantee.ts'
import { connectAs } from '../support/logins.ts'
import { fakeMailer, sent } from '../support/mailer.ts'
import { seedContacts, seedOrganization } from '../support/seed.ts'
import { sized } from '../support/size.ts'
import { each, receiveAll } from '../support/waiting.ts'

const PEOPLE = sized(48, 2_000)
/** How long no worker runs although events come. */
const STOPPED_MS = sized(0, 8_000)
const PATIENCE_MS = sized(120_000, 1_800_000)

let database: TestDatabase
let sql: Sql
let apiSql: Sql
let organizationId: Uuid

beforeAll(async () => {
  database = await createDatabase()
  sql = database.sql
  apiSql = connectAs(database.url, { name: 'events', role: 'letterloom_api' })
  ;({ organizationId } = await seedOrganization(sql))
})
afterAll(async () => {
  await apiSql.end()
  await database.drop()
})

const waitFor = (id: string): FlowSketch['steps'][number] => ({
  id,
  type: 'wait_for_event',
  config: { eventName: 'order_placed', timeout: { amount: 3, unit: 'days' } },
})
const ORDERS = [waitFor('first'), waitFor('second')]
const MAIL: FlowSketch['steps'][number] = {
  id: 'hello',
  type: 'send_email',
  config: { subject: 'Welcome', html: '<p>Good to have you.</p>', from: 'news@example.com' },
}
const DELAY: FlowSketch['steps'][number] = {
  id: 'delay',
  type: 'delay',
  config: { amount: 0.02, unit: 'minutes' },
}

/** What may stand between the event that starts an execution and its waits. */
const FLOWS = [ORDERS, [MAIL, ...ORDERS], [DELAY, ...ORDERS], [MAIL, DELAY, MAIL, ...ORDERS]].map(
  (steps) => steps.map((step, n) => ({ ...step, id: `${step.id}-${n}` })),
)

const send = (contactId: Uuid, ...names: string[]) =>
  receiveAll(
    within(apiSql, organizationId),
    organizationId,
    names.map((name) => ({ contactId, name })),
  )

/** When the order comes: beside `signed-up-<n>`, which starts the n-th flow. */
const ARRIVALS: readonly ((contactId: Uuid, signedUp: string) => Promise<unknown>)[] = [
  async (contactId, signedUp) => {
    await send(contactId, 'order_placed')
    await send(contactId, signedUp)
  },
  (contactId, signedUp) => send(contactId, 'order_placed', signedUp),
  (contactId, signedUp) => send(contactId, signedUp, 'order_placed'),
  (contactId, signedUp) =>
    Promise.all([send(contactId, signedUp), send(contactId, 'order_placed')]),
  async (contactId, signedUp) => {
    await send(contactId, signedUp)
    await send(contactId, 'order_placed')
  },
  async (contactId, signedUp) => {
    await send(contactId, signedUp)
    await sleep(Math.random() * 400)
    await send(contactId, 'order_placed')
  },
]

async function arrive(people: readonly Uuid[]): Promise<void> {
  await each([...people.entries()], async ([n, contactId]) => {
    const flow = n % FLOWS.length
    await ARRIVALS[Math.floor(n / FLOWS.length) % ARRIVALS.length]?.(contactId, `signed-up-${flow}`)
  })
}

/** How many executions have taken so many orders and wait for another, or are over. */
const areAt = (orders: 'any' | 'all') =>
  until(async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count
      from executions e
      where organization_id = ${organizationId} and (
        status = 'completed' or status = 'waiting' and ${orders === 'any'}
          or status = 'waiting' and step_id like 'second%')`
    return row?.count === PEOPLE
  }, PATIENCE_MS)

test(`${PEOPLE} orders before, with and right after what starts a flow, also while no worker runs: none is lost, none is taken twice`, {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  for (const [n, steps] of FLOWS.entries()) {
    const transitions = steps.slice(1).map(({ id }, at) => {
      const before = steps[at]!
      return `${before.id}${before.type === 'wait_for_event' ? ':yes' : ''}>${id}`
    })
    const trigger = { type: 'event', name: `signed-up-${n}` } as const
    const { flowId } = await seedFlow(sql, organizationId, { steps, transitions, trigger })
    await sql`update flows set trigger_key = ${trigger.name} where id = ${flowId}`
  }
  const people = await seedContacts(sql, organizationId, PEOPLE)
  const half = PEOPLE / 2
  await arrive(people.slice(0, half))
  await sleep(STOPPED_MS)
  const engine = await startEngine({ databaseUrl: database.url, mailer: fakeMailer(() => sent()) })
  await arrive(people.slice(half))
  await areAt('any')
  // One more for everybody: whose first order came too early takes this one.
  await each(people, (contactId) => send(contactId, 'order_placed'))
  await areAt('all')
  await engine.stop()

  const taken = await sql<{ contactId: Uuid; expected: Uuid[]; ids: Uuid[] }[]>`
      select e.contact_id,
        array(
          select o.id
          from events o
          join events s on s.organization_id = o.organization_id and s.id = e.event_id
          where o.organization_id = e.organization_id and o.contact_id = e.contact_id
            and o.name = 'order_placed' and (o.received_at, o.id) > (s.received_at, s.id)
          order by o.received_at, o.id
        ) as expected,
        array(
          select w.matched_event_id
          from waits w
          where w.organization_id = e.organization_id and w.execution_id = e.id
            and w.matched_event_id is not null
          order by w.step_id
        ) as ids
      from executions e
      where organization_id = ${organizationId}`
  expect(taken).toHaveLength(PEOPLE)
  guarantee(() => {
    for (const { ids, expected } of taken) expect(ids).toEqual(expected)
  })
  // Both did happen: an order that came too early, and one that came in time.
  expect(new Set(taken.map(({ ids }) => ids.length))).toEqual(new Set([1, 2]))
})
