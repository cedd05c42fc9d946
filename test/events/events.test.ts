import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUuid, timeOf, uuidv7 } from '../../src/runtime/ids.ts'
import { type Api, type Client, createContact, inject, startApi, tally } from '../support/api.ts'
import { figures, limitEvents, storedEvents } from '../support/events.ts'
import { executionsOf, seedExecution, seedFlow } from '../support/seed-flow.ts'

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

let people = 0
const newAddress = () => `person-${++people}@example.com`
const ingest = (body: object, client: Client = api.alice) => client.post('/v1/events', body)
const eventsOf = async (contactId: string) =>
  (await storedEvents(api, api.alice.organizationId)).filter((each) => each.contactId === contactId)

test('an event is stored for its contact, whom our id, their own or their address names', async () => {
  const externalId = `user-${++people}`
  const email = newAddress()
  const { id } = await createContact(api.alice, { email, externalId })
  const before = Date.now()
  for (const key of [
    { contactId: id.toUpperCase() },
    { contactExternalId: externalId },
    { contactEmail: ` ${email.toUpperCase()} ` },
  ]) {
    const { status, body } = await ingest({ name: 'order_placed', properties: { n: 1 }, ...key })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        eventId: expect.any(String),
        duplicate: false,
        contactCreated: false,
        workflowsTriggered: 0,
        executionsResumed: 0,
      },
    ])
    expect(isUuid(body.eventId)).toBe(true)
  }
  const stored = await eventsOf(id)
  expect(stored).toHaveLength(3)
  for (const event of stored) {
    expect(event).toMatchObject({ name: 'order_placed', properties: { n: 1 }, eventId: null })
    // Nothing was said of when it happened: when it came. The id tells the same time.
    expect(event.occurredAt).toBe(event.receivedAt)
    expect(timeOf(event.id)).toBe(Date.parse(event.receivedAt))
    expect(timeOf(event.id)).toBeGreaterThanOrEqual(before - 1)
  }
})

test('the keys are tried in their order, and an address never leads to another person', async () => {
  const externalId = `user-${++people}`
  const ada = { email: newAddress(), externalId }
  const bea = { email: newAddress() }
  const [adaId, beaId] = await Promise.all(
    [ada, bea].map(async (each) => (await createContact(api.alice, each)).id),
  )
  const whose = async (key: object) => {
    const answer = await ingest({ name: 'whose', ...key })
    if (answer.status !== 200) return answer.status
    return (await storedEvents(api, api.alice.organizationId)).at(-1)?.contactId
  }
  expect(await whose({ contactId: adaId, contactEmail: bea.email })).toBe(adaId)
  expect(await whose({ contactId: uuidv7(), contactEmail: bea.email })).toBe(beaId)
  expect(await whose({ contactExternalId: externalId, contactEmail: bea.email })).toBe(adaId)
  expect(await whose({ contactExternalId: 'nobody', contactEmail: bea.email })).toBe(beaId)
  expect(await whose({ contactExternalId: 'nobody else', contactEmail: ada.email })).toBe(404)
})

test('an unknown contact is 404, another organization’s 403, and nothing is stored', async () => {
  const { id: foreign } = await createContact(api.charlie, {
    email: 'theirs@example.com',
    externalId: 'theirs',
  })
  const count = (await storedEvents(api, api.alice.organizationId)).length
  for (const [key, status, code] of [
    [{ contactId: uuidv7() }, 404, 'NOT_FOUND'],
    [{ contactId: foreign }, 403, 'FORBIDDEN'],
    [{ contactId: foreign, contactEmail: newAddress(), createIfMissing: true }, 403, 'FORBIDDEN'],
    [{ contactExternalId: 'theirs' }, 404, 'NOT_FOUND'],
    [{ contactEmail: 'theirs@example.com' }, 404, 'NOT_FOUND'],
  ] as const) {
    const refused = await ingest({ name: 'x', ...key })
    expect(refused).toMatchObject({ status, body: { code } })
    expect(refused.headers['x-event-limit']).toBe('-1')
  }
  expect(await storedEvents(api, api.alice.organizationId)).toHaveLength(count)
  expect(await storedEvents(api, api.charlie.organizationId)).toHaveLength(0)
})

test('a missing contact is made when that is wanted, and keeps the status that it left with', async () => {
  const email = newAddress()
  const made = await ingest({
    name: 'signed_up',
    contactEmail: email,
    contactExternalId: `user-${++people}`,
    contactName: 'Ada King Lovelace',
    createIfMissing: true,
  })
  expect(made.body).toMatchObject({ contactCreated: true, duplicate: false })
  const again = await ingest({ name: 'signed_up', contactEmail: email, createIfMissing: true })
  expect(again.body).toMatchObject({ contactCreated: false })
  const { body: contact } = await api.alice.get(`/v1/contacts/${email}`)
  expect(contact).toMatchObject({
    firstName: 'Ada',
    lastName: 'King Lovelace',
    externalId: `user-${people}`,
    emailStatus: 'active',
  })
  expect(await eventsOf(contact.id)).toHaveLength(2)

  const left = newAddress()
  await api.alice.post('/v1/suppressions', { email: left })
  await ingest({ name: 'signed_up', contactEmail: left, createIfMissing: true })
  const { body: gone } = await api.alice.get(`/v1/contacts/${left}`)
  expect(gone.emailStatus).toBe('suppressed')
})

test('nobody is made without an address, under another’s address, or for a duplicate', async () => {
  const nobody = await ingest({ name: 'x', contactExternalId: 'new', createIfMissing: true })
  expect(nobody).toMatchObject({ status: 400, body: { details: [{ path: 'contactEmail' }] } })
  const email = newAddress()
  await createContact(api.alice, { email, externalId: `user-${++people}` })
  const other = await ingest({
    name: 'x',
    contactExternalId: `user-${++people}`,
    contactEmail: email,
    createIfMissing: true,
  })
  expect(other).toMatchObject({ status: 409, body: { reason: 'email_taken' } })
  expect(other.text).not.toContain(email)

  const event = { name: 'x', contactEmail: newAddress(), createIfMissing: true, eventId: uuidv7() }
  expect((await ingest(event)).body.contactCreated).toBe(true)
  await api.alice.delete(`/v1/contacts/${event.contactEmail}`)
  const again = await ingest(event)
  expect(again.body).toMatchObject({ duplicate: true, contactCreated: false })
  expect((await api.alice.get(`/v1/contacts/${event.contactEmail}`)).status).toBe(404)
})

test('one of fifty concurrent events with one eventId is stored and counted for each contact', async () => {
  const contacts = await Promise.all(
    Array.from({ length: 5 }, () => createContact(api.alice, { email: newAddress() })),
  )
  const eventId = uuidv7()
  const before = figures(await ingest({ name: 'before', contactId: contacts[0]?.id })).current
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      ingest({ name: 'once', contactId: contacts[n % 5]?.id, eventId }),
    ),
  )
  expect(tally(answers.map(({ status, body }) => `${status} ${body.duplicate}`))).toEqual({
    '200 false': 5,
    '200 true': 45,
  })
  expect(new Set(answers.map(({ body }) => body.eventId))).toEqual(new Set([eventId]))
  const stored = await storedEvents(api, api.alice.organizationId)
  expect(new Set(stored.filter((each) => each.eventId === eventId).map(contactOf))).toEqual(
    new Set(contacts.map(({ id }) => id)),
  )
  const after = figures(await api.alice.post('/v1/events', { name: 'x' }))
  expect(after.current).toBe(before + 5)
})

const contactOf = ({ contactId }: { contactId: string }) => contactId

test('the same eventId is another event for another name or another contact, one at a time and in a set', async () => {
  const email = newAddress()
  const [ada, bea] = await Promise.all([
    createContact(api.alice, { email }),
    createContact(api.alice, { email: newAddress() }),
  ])
  const eventId = uuidv7()
  const events = [
    { name: 'order_placed', contactId: ada?.id, eventId },
    { name: 'order_paid', contactId: ada?.id, eventId },
    { name: 'Order_placed', contactId: ada?.id, eventId },
    { name: 'order_placed', contactId: bea?.id, eventId },
  ]
  for (const isDuplicate of [false, true]) {
    for (const event of events) {
      expect((await ingest(event)).body.duplicate).toBe(isDuplicate)
    }
  }
  // The same contact, however it is named.
  const byAddress = { name: 'order_paid', contactEmail: email, eventId }
  expect((await ingest({ ...byAddress, createIfMissing: true })).body.duplicate).toBe(true)
  const set = events.map((event) => ({ ...event, eventId: uuidv7().slice(0, 8) }))
  const same = set.map((event) => ({ ...event, eventId: set[0]?.eventId }))
  const { body } = await api.alice.post('/v1/events/batch', { events: [...same, ...same] })
  expect(body).toMatchObject({ processed: 4, duplicates: 4, errors: [] })
})

test('a known id makes no contact for the same name, and does for another', async () => {
  const eventId = uuidv7()
  const event = { name: 'signed_up', contactEmail: newAddress(), createIfMissing: true, eventId }
  expect((await ingest(event)).body).toMatchObject({ duplicate: false, contactCreated: true })
  await api.alice.delete(`/v1/contacts/${event.contactEmail}`)
  expect((await ingest(event)).body).toMatchObject({ duplicate: true, contactCreated: false })
  const other = { ...event, name: 'ordered' }
  expect((await ingest(other)).body).toMatchObject({ duplicate: false, contactCreated: true })
})

test('an eventId is free again after seven days, and is nothing to another organization', async () => {
  const { id: contactId } = await createContact(api.alice, { email: newAddress() })
  const event = { name: 'x', contactId, eventId: uuidv7() }
  await ingest(event)
  const age = (interval: string) =>
    api.sql`update event_ids set received_at = now() - ${interval}::interval where event_id = ${event.eventId}`
  await age('6 days 23 hours 59 minutes')
  expect((await ingest(event)).body.duplicate).toBe(true)
  await age('7 days')
  expect((await ingest(event)).body.duplicate).toBe(false)
  expect((await ingest(event)).body.duplicate).toBe(true)
  expect(await eventsOf(contactId)).toHaveLength(2)

  const { id: theirs } = await createContact(api.charlie, { email: newAddress() })
  const foreign = await ingest({ ...event, contactId: theirs }, api.charlie)
  expect(foreign.body.duplicate).toBe(false)
})

test('an event from the future is refused, one of long ago is stored', async () => {
  const { id: contactId } = await createContact(api.alice, { email: newAddress() })
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const future = await ingest({ name: 'x', contactId, occurredAt: at(5.1) })
  expect(future).toMatchObject({
    status: 400,
    body: { reason: 'occurred_in_future', details: [{ path: 'occurredAt' }] },
  })
  expect((await ingest({ name: 'x', contactId, occurredAt: at(4.9) })).status).toBe(200)
  for (const never of ['2016-12-31T23:59:60.000Z', '0000-01-01T00:00:00.000Z']) {
    expect([400, 422]).toContain((await ingest({ name: 'x', contactId, occurredAt: never })).status)
  }
  const old = '2001-02-03T04:05:06.789+02:00'
  expect((await ingest({ name: 'x', contactId, occurredAt: old })).status).toBe(200)
  expect((await eventsOf(contactId)).at(-1)?.occurredAt).toBe('2001-02-03T02:05:06.789Z')
})

test('an event older than 72 hours is stored, and starts and resumes nothing', async () => {
  const { organizationId } = api.alice
  const { id: contactId } = await createContact(api.alice, { email: newAddress() })
  const trigger = { type: 'event', name: 'ordered' } as const
  const flowId = await seedFlow(api.sql, organizationId, {
    trigger,
    settings: { allowReentry: true },
  })
  const madeAt = Date.now() - 9 * 24 * 3_600_000
  const waiting = await seedExecution(api.sql, organizationId, { flowId, contactId, madeAt })
  await api.sql`
    insert into waits (organization_id, execution_id, step_id, visit, contact_id, kind, event_name,
      since, expires_at)
    values (${organizationId}, ${waiting}, 'wait', 1, ${contactId}, 'event', 'paid',
      now() - interval '9 days', now() + interval '1 day')`
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  const told = (hours: number) =>
    ['ordered', 'paid'].map((name) => ({ name, contactId, occurredAt: hoursAgo(hours) }))
  const ask = async (hours: number) => {
    const answers = await Promise.all(told(hours).map((event) => ingest(event)))
    return answers.map(({ body }) => [body.workflowsTriggered, body.executionsResumed])
  }
  expect(await ask(72.1)).toEqual([
    [0, 0],
    [0, 0],
  ])
  const batch = await api.alice.post('/v1/events/batch', { events: told(72.1) })
  expect(batch.body).toMatchObject({ processed: 2, workflowsTriggered: 0, executionsResumed: 0 })
  expect(await eventsOf(contactId)).toHaveLength(4)
  expect(await executionsOf(api.sql, flowId)).toMatchObject([{ id: waiting }])

  expect(await ask(71.9)).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(await eventsOf(contactId)).toHaveLength(6)
  expect(await executionsOf(api.sql, flowId)).toHaveLength(2)
})

test('the fields of an event have limits', async () => {
  const { id: contactId } = await createContact(api.alice, { email: newAddress() })
  const props = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) })
  const status = async (body: object) => (await ingest({ name: 'x', contactId, ...body })).status
  expect(await status({ properties: props(32_768) })).toBe(200)
  expect(await status({ properties: props(32_769) })).toBe(400)
  expect(await status({ name: 'n'.repeat(255), eventId: 'e'.repeat(255) })).toBe(200)
  expect(await status({ name: 'n'.repeat(256) })).toBe(422)
  expect(await status({ eventId: 'e'.repeat(256) })).toBe(422)
  expect(await status({ name: '' })).toBe(422)
  expect(await status({ unknown: 1 })).toBe(422)
  expect(await status({ contactId: undefined })).toBe(400)
  expect((await eventsOf(contactId)).map(({ properties }) => Object.keys(properties))).toEqual([
    ['a'],
    [],
  ])
})

test('every answer to who is known tells the usage, whatever it answers; 401 tells nothing', async () => {
  const client = await api.client(api.charlie.organizationId, ['events'])
  const reader = await api.client(api.charlie.organizationId, ['read'])
  await limitEvents(api, client, 1_000, 250)
  const expected = { limit: 1_000, current: 250, remaining: 750, percent: 25, exceeded: 'false' }
  for (const url of ['/v1/events', '/v1/events/batch']) {
    const sent = [
      await client.post(url, { name: 1 }),
      await client.post(url, { name: 'x', contactId: uuidv7(), events: [] }),
      await client.post(`${url}?x=1`, {}),
      await client.send({
        method: 'POST',
        url,
        payload: '{',
        headers: { 'content-type': 'application/json' },
      }),
      await client.send({
        method: 'POST',
        url,
        payload: 'x',
        headers: { 'content-type': 'text/plain' },
      }),
      await client.post(url, { name: 'x'.repeat(6 * 1024 * 1024) }),
      await reader.post(url, {}),
    ]
    expect(sent.map(({ status }) => status)).toEqual([422, 422, 400, 400, 415, 413, 403])
    for (const answer of sent) expect(figures(answer)).toEqual(expected)
    const stranger = await inject(api.app, { method: 'POST', url, payload: {} })
    expect([stranger.status, stranger.headers['x-event-limit']]).toEqual([401, undefined])
  }
})

test('an Idempotency-Key answers the first answer again, with the usage of now', async () => {
  const { id: contactId } = await createContact(api.alice, { email: newAddress() })
  const send = (key: string) =>
    api.alice.send({
      method: 'POST',
      url: '/v1/events',
      headers: { 'idempotency-key': key },
      payload: { name: 'x', contactId },
    })
  const key = uuidv7()
  const first = await send(key)
  const other = await send(uuidv7())
  const again = await send(key)
  expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true'])
  expect(figures(again).current).toBe(figures(other).current)
  expect(await eventsOf(contactId)).toHaveLength(2)
})

test('names are listed newest first by pages, each once, and only one’s own', async () => {
  const { id: contactId } = await createContact(api.charlie, { email: newAddress() })
  for (const name of ['first', 'second', 'first', 'third', 'Üml@ut']) {
    await ingest({ name, contactId }, api.charlie)
  }
  const page = await api.charlie.get('/v1/events/names?limit=3')
  const rest = await api.charlie.get(`/v1/events/names?limit=3&cursor=${page.body.nextCursor}`)
  const names = [...page.body.data, ...rest.body.data].map(({ name }: { name: string }) => name)
  expect(names.slice(0, 4)).toEqual(['Üml@ut', 'third', 'second', 'first'])
  expect(new Set(names).size).toBe(names.length)
  const theirs = await api.alice.get('/v1/events/names?limit=100')
  expect(theirs.body.data.map(({ name }: { name: string }) => name)).not.toContain('Üml@ut')
  const foreign = await api.alice.get(`/v1/events/names?cursor=${page.body.nextCursor}`)
  expect(foreign.status).toBe(400)
})
