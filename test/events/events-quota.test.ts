import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMember } from '../support/people.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as organizations from '../../src/store/access/organizations.ts'
import { type Api, type Client, createContact, startApi, tally } from '../support/api.ts'
import { figures, limitEvents, storedEvents } from '../support/events.ts'

let api: Api
/** What the API takes the time to be. It stands: the last millisecond of a month is asked for. */
let now = Date.now()

beforeAll(async () => {
  api = await startApi({ now: () => now })
})
afterAll(() => api.close())

/** An organization of its own with an owner, a contact and so many events a month. */
async function customer(limit: number, used = 0): Promise<Client & { contactId: string }> {
  const id = uuidv7()
  await organizations.create(api.sql, { id, name: 'Customer', plan: 'enterprise' })
  await addMember(api.sql, id, 'owner')
  await addMember(api.sql, id, 'admin')
  const client = await api.client(id, ['full'])
  await limitEvents(api, client, limit, used)
  const contact = await createContact(client, { email: 'ada@example.com' })
  return { ...client, contactId: contact.id }
}

const one = (client: Client & { contactId: string }, more: object = {}) =>
  client.post('/v1/events', { name: 'x', contactId: client.contactId, ...more })
const many = (client: Client & { contactId: string }, count: number) =>
  client.post('/v1/events/batch', {
    events: Array.from({ length: count }, () => ({ name: 'x', contactId: client.contactId })),
  })
const told = async ({ organizationId }: Client) =>
  (
    await api.sql<{ told: string }[]>`
      select n.subject || ' ' || n.period || ' ' || count(m.user_id) as told
      from notices n
      join notice_mails m on m.organization_id = n.organization_id and m.notice_id = n.id
      where n.organization_id = ${organizationId} and n.kind = 'event_quota'
      group by n.id, n.subject, n.period
      order by n.id`
  ).map((row) => row.told)
const stored = async ({ organizationId }: Client) =>
  (await storedEvents(api, organizationId)).length
const month = () => new Date(now).toISOString().slice(0, 7)

test('usage is told from none to 125 %, where events are refused whole', async () => {
  const client = await customer(4)
  const seen = []
  for (let n = 0; n < 5; n++) seen.push(figures(await one(client)))
  expect(seen).toEqual([
    { limit: 4, current: 1, remaining: 3, percent: 25, exceeded: 'false' },
    { limit: 4, current: 2, remaining: 2, percent: 50, exceeded: 'false' },
    { limit: 4, current: 3, remaining: 1, percent: 75, exceeded: 'false' },
    { limit: 4, current: 4, remaining: 0, percent: 100, exceeded: 'false' },
    { limit: 4, current: 5, remaining: 0, percent: 125, exceeded: 'false' },
  ])
  const refused = await one(client)
  expect(refused.status).toBe(429)
  expect(figures(refused)).toEqual({ ...seen[4], exceeded: 'true' })
  const nextMonth = new Date(now)
  nextMonth.setUTCMonth(nextMonth.getUTCMonth() + 1, 1)
  nextMonth.setUTCHours(0, 0, 0, 0)
  expect(refused.body).toEqual({
    error: 'event_limit_exceeded',
    code: 'RATE_LIMITED',
    message: expect.stringContaining(nextMonth.toISOString().slice(0, 10)),
    current: 5,
    limit: 4,
    requested: 1,
    percentUsed: 125,
    resetsAt: nextMonth.toISOString(),
    requestId: refused.headers['x-request-id'],
  })
  expect(Number(refused.headers['retry-after'])).toBe(
    Math.ceil((nextMonth.getTime() - now) / 1_000),
  )
  expect(await stored(client)).toBe(5)
  // What is refused for another reason is not refused for this one.
  const invalid = await client.post('/v1/events', {})
  expect([invalid.status, figures(invalid).exceeded]).toEqual([422, 'false'])
})

test('a request that would pass 125 % is refused whole, and what it made is not there', async () => {
  const client = await customer(1_000, 1_249)
  const refused = await client.post('/v1/events/batch', {
    events: [
      { name: 'x', contactId: client.contactId, eventId: 'a' },
      { name: 'x', contactId: client.contactId, eventId: 'a' },
      { name: 'x', contactId: uuidv7() },
      { name: 'new', contactEmail: 'new@example.com', createIfMissing: true, eventId: 'b' },
    ],
  })
  expect(refused).toMatchObject({ status: 429, body: { requested: 2, current: 1_249 } })
  expect(await stored(client)).toBe(0)
  expect((await client.get('/v1/contacts/new@example.com')).status).toBe(404)
  expect((await client.get('/v1/events/names')).body.data).toEqual([])
  const fitting = await one(client, { eventId: 'a' })
  expect(fitting.body).toMatchObject({ duplicate: false })
  expect(figures(fitting)).toMatchObject({ current: 1_250, percent: 125 })
  // Duplicates are never refused for the quota.
  expect((await one(client, { eventId: 'a' })).body.duplicate).toBe(true)
})

test('concurrent events beyond the quota are accepted exactly up to it', async () => {
  const client = await customer(100, 110)
  const answers = await Promise.all(Array.from({ length: 40 }, () => one(client)))
  expect(tally(answers.map(({ status }) => status))).toEqual({ '200': 15, '429': 25 })
  const currents = answers
    .filter(({ status }) => status === 200)
    .map((each) => figures(each).current)
  expect(currents.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => 111 + n))
  expect(await stored(client)).toBe(15)

  const other = await customer(100, 0)
  const batches = await Promise.all(Array.from({ length: 8 }, () => many(other, 30)))
  expect(tally(batches.map(({ status }) => status))).toEqual({ '200': 4, '429': 4 })
  expect(await stored(other)).toBe(120)
})

test('owners are told above 100 % and at 125 %, each once a month, also by a refusal', async () => {
  const client = await customer(100, 99)
  await one(client)
  expect(await told(client)).toEqual([])
  await one(client)
  await one(client)
  expect(await told(client)).toEqual([`100 ${month()} 1`])
  expect((await many(client, 24)).status).toBe(429)
  expect(await told(client)).toEqual([`100 ${month()} 1`, `125 ${month()} 1`])
  expect((await many(client, 23)).status).toBe(200)
  expect((await one(client)).status).toBe(429)
  expect(await told(client)).toEqual([`100 ${month()} 1`, `125 ${month()} 1`])

  const other = await customer(100, 0)
  expect((await many(other, 125)).status).toBe(200)
  expect(await told(other)).toEqual([`100 ${month()} 1`, `125 ${month()} 1`])
  const outbox = await api.sql`
    select 1 from outbox where organization_id = ${other.organizationId} and kind = 'send_notice'`
  expect(outbox).toHaveLength(2)
})

test('a month is a month of UTC: usage and notices begin anew at its first moment', async () => {
  const client = await customer(100, 0)
  now = Date.parse('2024-02-29T23:59:59.999Z')
  await limitEvents(api, client, 100, 125)
  const refused = await one(client)
  expect(refused.headers['retry-after']).toBe('1')
  expect(refused).toMatchObject({
    status: 429,
    body: { resetsAt: '2024-03-01T00:00:00.000Z' },
  })
  now += 1
  expect(figures(await one(client))).toMatchObject({ current: 1, percent: 1 })
  now = Date.parse('2025-12-31T23:59:59.999Z')
  expect((await many(client, 125)).status).toBe(200)
  expect((await one(client)).body.resetsAt).toBe('2026-01-01T00:00:00.000Z')
  now = Date.parse('2026-01-01T00:00:00.000Z')
  expect(figures(await one(client))).toMatchObject({ current: 1 })
  expect((await client.get('/v1/organization')).body).toMatchObject({
    usage: { events: 1 },
    limits: { eventsPerMonth: 100 },
  })
  expect(await told(client)).toEqual(['125 2024-02 1', '100 2025-12 1', '125 2025-12 1'])
  now = Date.now()
})

test('without a limit usage is counted and nothing is refused', async () => {
  const { id: contactId } = await createContact(api.alice, { email: 'ada@example.com' })
  const answer = await api.alice.post('/v1/events', { name: 'x', contactId })
  expect(figures(answer)).toEqual({
    limit: -1,
    current: 1,
    remaining: -1,
    percent: 0,
    exceeded: 'false',
  })
  expect(await told(api.alice)).toEqual([])
})
