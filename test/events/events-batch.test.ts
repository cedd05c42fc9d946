import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, createContact, startApi } from '../support/api.ts'
import { figures, storedEvents } from '../support/events.ts'

let api: Api
let contactId: string

beforeAll(async () => {
  api = await startApi()
  ;({ id: contactId } = await createContact(api.alice, {
    email: 'ada@example.com',
    externalId: 'ada',
  }))
})
afterAll(() => api.close())

const ingest = (events: object[]) => api.alice.post('/v1/events/batch', { events })
const count = async () => (await storedEvents(api, api.alice.organizationId)).length

test('good events are kept when others fail, and each failure is told by its place', async () => {
  const { id: foreign } = await createContact(api.charlie, { email: 'theirs@example.com' })
  const future = new Date(Date.now() + 3_600_000).toISOString()
  const before = await count()
  const { status, body, headers } = await ingest([
    { name: 'a', contactId },
    { name: 'b', contactId: uuidv7() },
    { name: 'c', contactId: foreign },
    { name: 'd' },
    { name: 'e', contactEmail: 'ada@example.com', occurredAt: future },
    { name: 'f', contactExternalId: 'ada', properties: { long: 'x'.repeat(40_000) } },
    { name: 'g', contactEmail: 'new@example.com', createIfMissing: true, contactName: 'Bea' },
    { name: 'h', contactEmail: 'new@example.com', createIfMissing: true },
    { name: 'i', contactExternalId: 'b', contactEmail: 'ada@example.com', createIfMissing: true },
    { name: 'j', contactExternalId: 'c', createIfMissing: true },
    { name: 'k', contactExternalId: 'ada', contactEmail: 'new@example.com' },
  ])
  expect(status).toBe(200)
  expect(body).toMatchObject({
    success: false,
    processed: 4,
    duplicates: 0,
    workflowsTriggered: 0,
    executionsResumed: 0,
  })
  expect(
    body.errorDetails.map(({ index, code, reason }: Record<string, unknown>) => [
      index,
      code,
      reason,
    ]),
  ).toEqual([
    [1, 'NOT_FOUND', 'contact_not_found'],
    [2, 'FORBIDDEN', 'contact_of_another_organization'],
    [3, 'BAD_REQUEST', 'contact_needed'],
    [4, 'BAD_REQUEST', 'occurred_in_future'],
    [5, 'BAD_REQUEST', 'properties_refused'],
    [8, 'CONFLICT', 'email_taken'],
    [9, 'BAD_REQUEST', 'email_needed'],
  ])
  expect(body.errors).toHaveLength(7)
  expect(body.errors[0]).toBe('events[1]: Contact not found')
  expect(await count()).toBe(before + 4)
  expect(figures({ headers }).current).toBe(before + 4)
  const { body: made } = await api.alice.get('/v1/contacts/new@example.com')
  expect(made).toMatchObject({ firstName: 'Bea', lastName: null })
})

test('within a request the first of one eventId counts, unless it fails', async () => {
  const eventId = uuidv7()
  const { body } = await ingest([
    { name: 'gone', contactId: uuidv7(), eventId },
    { name: 'kept', contactId, eventId },
    { name: 'kept', contactEmail: 'ada@example.com', eventId },
  ])
  expect(body).toMatchObject({ processed: 1, duplicates: 1 })
  expect(body.errorDetails).toHaveLength(1)
  const events = await storedEvents(api, api.alice.organizationId)
  expect(events.filter((each) => each.eventId === eventId).map(({ name }) => name)).toEqual([
    'kept',
  ])
  const again = await ingest([{ name: 'kept', contactId, eventId }])
  expect(again.body).toMatchObject({ success: true, processed: 0, duplicates: 1 })
})

test('the same events from many sides at once are each stored once', async () => {
  const given = Array.from({ length: 100 }, () => ({ name: 'x', contactId, eventId: uuidv7() }))
  const before = await count()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => ingest(n % 2 ? given : given.toReversed())),
  )
  const sum = (field: string) => answers.reduce((total, { body }) => total + body[field], 0)
  expect([sum('processed'), sum('duplicates')]).toEqual([100, 700])
  expect(await count()).toBe(before + 100)
})

test('a thousand are taken in the order given, with what each of them says', async () => {
  const contacts = await Promise.all(
    Array.from({ length: 7 }, (_, n) =>
      createContact(api.alice, { email: `reader-${n}@example.com` }),
    ),
  )
  const given = Array.from({ length: 1_000 }, (_, n) => ({
    name: n % 2 ? 'odd' : 'even',
    contactId: contacts[n % 7]?.id,
    properties: n % 3 ? { n, text: `"{,}\\' ü ${n}` } : {},
    ...(n % 5 ? {} : { occurredAt: new Date(Date.now() - n * 1_000).toISOString() }),
    ...(n % 11 ? {} : { eventId: `event-${n}` }),
  }))
  const before = await count()
  const { body } = await ingest(given)
  expect(body).toMatchObject({ success: true, processed: 1_000, errors: [] })
  const events = (await storedEvents(api, api.alice.organizationId)).slice(before)
  expect(events).toHaveLength(1_000)
  for (const [n, wanted] of given.entries()) {
    const event = events[n]
    expect(event).toMatchObject({
      name: wanted.name,
      contactId: wanted.contactId,
      properties: wanted.properties,
      eventId: wanted.eventId ?? null,
      occurredAt: wanted.occurredAt ?? event?.receivedAt,
    })
  }
  expect((await ingest([...given, given[0] ?? {}])).status).toBe(422)
  expect((await ingest([])).status).toBe(422)
})
