import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, createContact, startApi, tally } from '../support/api.ts'
import { figures, limitEvents, storedEvents } from '../support/events.ts'
import { createFlow, smallFlow } from '../support/flow-inputs.ts'
import { guarantee } from '../support/guarantee.ts'
import { seedContacts } from '../support/seed.ts'

const CONCURRENT = 30

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

interface Customer extends Client {
  contactIds: string[]
}

/** An organization of its own with contacts. */
async function customer(): Promise<Customer> {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'Customer', plan: 'enterprise' })
  const client = await api.client(id, ['full'])
  return { ...client, contactIds: await seedContacts(api.sql, id, CONCURRENT) }
}

const post = (client: Client, event: object, key?: string) =>
  client.send({
    method: 'POST',
    url: '/v1/events',
    headers: key === undefined ? {} : { 'idempotency-key': key },
    payload: { name: 'bought', ...event },
  })

/** Transactions that wrote the organization's events. */
async function transactions({ organizationId }: Client): Promise<number> {
  const [row] = await api.sql<{ count: number }[]>`
    select count(distinct xmin::text)::int as count from events
    where organization_id = ${organizationId}`
  return row?.count ?? 0
}

test('concurrent events of an organization are few transactions, each answered for itself', async () => {
  const client = await customer()
  const answers = await Promise.all(
    client.contactIds.map((contactId, n) =>
      post(client, { contactId, properties: { n }, eventId: `order-${n}` }),
    ),
  )
  for (const [n, { status, body }] of answers.entries()) {
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      eventId: `order-${n}`,
      duplicate: false,
      contactCreated: false,
      workflowsTriggered: 0,
      executionsResumed: 0,
    })
  }
  const usage = answers.map((answer) => figures(answer).current).toSorted((a, b) => a - b)
  expect(usage).toEqual(Array.from({ length: CONCURRENT }, (_, n) => n + 1))
  const stored = await api.sql<{ contactId: string; n: number }[]>`
    select contact_id, (properties ->> 'n')::int as n from events
    where organization_id = ${client.organizationId}`
  for (const { contactId, n } of stored) expect(client.contactIds[n]).toBe(contactId)
  guarantee(() => expect(stored).toHaveLength(CONCURRENT))
  expect(await transactions(client)).toBeLessThan(CONCURRENT / 2)
})

test('an event that is refused takes no other with it', async () => {
  const client = await customer()
  const answers = await Promise.all(
    client.contactIds.flatMap((contactId, n) => [
      post(client, { contactId }),
      n % 10 === 0 ? post(client, { contactId: uuidv7() }) : post(client, {}),
    ]),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({
    200: CONCURRENT,
    400: CONCURRENT - CONCURRENT / 10,
    404: CONCURRENT / 10,
  })
  expect(await storedEvents(api, client.organizationId)).toHaveLength(CONCURRENT)
})

test('each has its own Idempotency-Key, which is kept', async () => {
  const client = await customer()
  const all = () =>
    Promise.all(
      client.contactIds.map((contactId) => post(client, { contactId }, `key-${contactId}`)),
    )
  const first = await all()
  const again = await all()
  expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text))
  expect(first.some(({ headers }) => 'idempotency-replayed' in headers)).toBe(false)
  expect(again.every(({ headers }) => headers['idempotency-replayed'] === 'true')).toBe(true)
  const stored = await storedEvents(api, client.organizationId)
  guarantee(() => expect(stored).toHaveLength(CONCURRENT))
})

test('the same key in the same moment stores one event, and another body with it is refused', async () => {
  const client = await customer()
  const [contactId] = client.contactIds
  const same = await Promise.all(
    Array.from({ length: 10 }, () => post(client, { contactId }, 'same')),
  )
  expect(same.every(({ status }) => [200, 409].includes(status))).toBe(true)
  expect(new Set(same.flatMap(({ status, text }) => (status === 200 ? [text] : []))).size).toBe(1)
  expect(await storedEvents(api, client.organizationId)).toHaveLength(1)
  const others = await Promise.all(
    client.contactIds.map((each) => post(client, { contactId: each }, 'same')),
  )
  // 409: the first is under way.
  const statuses = others.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.every((status) => [200, 409, 422].includes(status))).toBe(true)
})

test('an invalid key is refused, whatever comes with it', async () => {
  const client = await customer()
  const answers = await Promise.all(
    client.contactIds.map((contactId, n) =>
      post(client, { contactId }, n % 3 === 0 ? 'not\u00a0valid' : undefined),
    ),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 20, 400: 10 })
})

test('events that create a contact, complete one or start a workflow are as alone', async () => {
  const client = await customer()
  const trigger = { triggerType: 'event', triggerConfig: { eventName: 'signed_up' } }
  const { id } = await createFlow(client, smallFlow(trigger))
  await client.post(`/v1/workflows/${id}/enable`, {})
  const partial = await createContact(client, { externalId: 'partial', phone: '+34600000001' })
  const answers = await Promise.all([
    ...client.contactIds.map((contactId) => post(client, { contactId })),
    ...client.contactIds.map((contactId) => post(client, { contactId, name: 'signed_up' })),
    post(client, { contactEmail: 'new@example.com', createIfMissing: true }),
    post(client, { contactExternalId: 'partial', contactEmail: 'filled@example.com' }),
  ])
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 2 * CONCURRENT + 2 })
  const started = answers.map(({ body }) => body.workflowsTriggered as number)
  expect(started.reduce((sum, each) => sum + each, 0)).toBe(CONCURRENT)
  expect(answers.filter(({ body }) => body.contactCreated)).toHaveLength(1)
  expect((await client.get(`/v1/contacts/${partial.id}`)).body.email).toBe('filled@example.com')
  // Each start names the request that it came with.
  const requests = await api.sql<{ requestId: string }[]>`
    select request_id from outbox
    where organization_id = ${client.organizationId} and kind = 'start_execution'`
  expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(CONCURRENT)
  expect(await storedEvents(api, client.organizationId)).toHaveLength(2 * CONCURRENT + 2)
})

test('the quota passes what fits and no more, however many come at once', async () => {
  const client = await customer()
  await limitEvents(api, client, 12, 0)
  const answers = await Promise.all(
    client.contactIds.map((contactId) => post(client, { contactId })),
  )
  guarantee(() =>
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 15, 429: CONCURRENT - 15 }),
  )
  const stored = await storedEvents(api, client.organizationId)
  guarantee(() => expect(stored).toHaveLength(15))
})

test('organizations are never mixed', async () => {
  const [one, other] = [await customer(), await customer()]
  const answers = await Promise.all(
    one.contactIds.flatMap((contactId, n) => [
      post(one, { contactId }),
      // The contact of another organization.
      post(other, { contactId: n % 2 === 0 ? contactId : other.contactIds[n] }),
    ]),
  )
  expect(tally(answers.map(({ status }) => status))).toEqual({
    200: CONCURRENT + CONCURRENT / 2,
    403: CONCURRENT / 2,
  })
  const stored = await storedEvents(api, one.organizationId)
  const others = await storedEvents(api, other.organizationId)
  guarantee(() => expect([stored.length, others.length]).toEqual([CONCURRENT, CONCURRENT / 2]))
})
