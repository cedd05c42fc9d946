import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOST_ROW_DETAILS } from '../../src/domain/row-failures.ts'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { type Answer, type Api, createContact, startApi } from '../support/api.ts'
import { figures, limitEvents, storedEvents } from '../support/events.ts'
import { executionsOf, seedFlow } from '../support/seed-flow.ts'

/*
 * Requests of many rows: a row that is malformed in whatever way fails alone, is told by its place,
 * and the other rows are kept.
 */

let api: Api
let flowId: string
beforeAll(async () => {
  api = await startApi()
  flowId = await seedFlow(api.sql, api.alice.organizationId, { settings: { allowReentry: true } })
})
afterAll(() => api.close())

const ROWS = 1_000
const times = <T>(length: number, make: (n: number) => T): T[] =>
  Array.from({ length }, (_, n) => make(n))
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

/** A row that no schema lets in: what it is, and what is said of it. */
type Malformed = Record<string, [row: unknown, told: string]>

/** Wrong whatever the rows are. */
const ANY: Malformed = {
  'a number': [5, ' must be an object'],
  null: [null, ' must be an object'],
  'a list': [[], ' must be an object'],
  'an unknown field': [{ unheardOf: 1 }, '.unheardOf is unknown'],
}

interface Kind {
  url: () => string
  list: 'events' | 'contacts'
  good: (n: number) => object
  malformed: Malformed
  /** Rows of the answer that were kept. */
  kept: (body: Answer['body']) => number
}

const address = 'must be an email address'
const long = 'x'.repeat(300)
const unstorable = 'must not contain NUL characters or unpaired surrogates'

const KINDS: Record<string, Kind> = {
  events: {
    url: () => '/v1/events/batch',
    list: 'events',
    good: () => ({ name: 'kept', contactEmail: 'ada@example.com' }),
    malformed: {
      ...ANY,
      'an address that is none': [
        { name: 'x', contactEmail: 'nobody' },
        `.contactEmail ${address}`,
      ],
      'an id that is no UUID': [
        { name: 'x', contactId: '42' },
        '.contactId must be an id, which is a UUID',
      ],
      'an unknown field': [
        { name: 'x', contactEmail: 'ada@example.com', unheardOf: 1 },
        '.unheardOf is unknown',
      ],
      'no name': [{ contactEmail: 'ada@example.com' }, '.name is required'],
      'a wrong type': [
        { name: 'x', contactEmail: 'ada@example.com', createIfMissing: 'yes' },
        '.createIfMissing must be true or false',
      ],
      'a text that is too long': [
        { name: long, contactEmail: 'ada@example.com' },
        '.name must not have more than 255 characters',
      ],
      'a time that is none': [
        { name: 'x', contactEmail: 'ada@example.com', occurredAt: 'now' },
        '.occurredAt must be a time of ISO 8601',
      ],
      'text that cannot be stored': [
        { name: 'x\0', contactEmail: 'ada@example.com' },
        `.name ${unstorable}`,
      ],
      'a nest without end': [
        { name: 'x', contactEmail: 'ada@example.com', properties: nested(100) },
        '.properties.a.a',
      ],
    },
    kept: ({ processed }) => processed,
  },
  contacts: {
    url: () => '/v1/contacts/batch',
    list: 'contacts',
    good: (n) => ({ email: `row-${n}@example.com` }),
    malformed: {
      ...ANY,
      'an address that is none': [{ email: 'nobody' }, `.email ${address}`],
      'an address that is too long': [
        { email: `${long}@example.com` },
        '.email must not have more than 255 characters',
      ],
      'an external id with a slash': [
        { email: 'a@example.com', externalId: 'a/b' },
        '.externalId must not contain @, / or control characters',
      ],
      'a wrong type': [{ email: 'a@example.com', firstName: 1 }, '.firstName must be a string'],
      'a word that is none': [
        { email: 'a@example.com', emailStatus: 'happy' },
        '.emailStatus must be one of: active, unsubscribed',
      ],
      'a list that is none': [
        { email: 'a@example.com', topicIds: 'news' },
        '.topicIds must be an array',
      ],
      'a number that is none': [{ phone: '12' }, '.phone must be an international number'],
      'text that cannot be stored': [
        { email: 'a@example.com', firstName: '\ud800' },
        `.firstName ${unstorable}`,
      ],
    },
    kept: ({ created, updated }) => created + updated,
  },
  'contacts that start a workflow': {
    url: () => `/v1/workflows/${flowId}/trigger/batch`,
    list: 'contacts',
    good: (n) => ({ contactEmail: `row-${n}@example.com` }),
    malformed: {
      ...ANY,
      'an address that is none': [{ contactEmail: 'nobody' }, `.contactEmail ${address}`],
      'a wrong type': [{ contactId: 7 }, '.contactId must be a string'],
      'an id that is too long': [
        { contactId: long },
        '.contactId must not have more than 36 characters',
      ],
      'data that is none': [
        { contactEmail: 'row-1@example.com', data: [] },
        '.data must be an object',
      ],
      'text that cannot be stored': [
        { contactEmail: 'row-1@example.com', data: { '\0': 1 } },
        `.data ${unstorable}`,
      ],
    },
    kept: ({ triggered }) => triggered,
  },
}

/** Sends a text as it is written. */
function send({ url }: Kind, payload: string) {
  const headers = { 'content-type': 'application/json' }
  return api.alice.send({ method: 'POST', url: url(), headers, payload })
}

const post = ({ url, list }: Kind, rows: unknown[], headers: Record<string, string> = {}) =>
  api.alice.send({
    method: 'POST',
    url: url(),
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify({ [list]: rows }),
  })

beforeAll(async () => {
  await createContact(api.alice, { email: 'ada@example.com' })
  const contacts = times(ROWS, (n) => ({ email: `row-${n}@example.com` }))
  await api.alice.post('/v1/contacts/batch', { contacts })
})

describe.each(Object.entries(KINDS))('of a thousand %s', (_name, kind) => {
  const { list, good, malformed, kept } = kind

  test('one malformed row is told, and 999 are kept', async () => {
    const rows = times<unknown>(ROWS, good)
    rows[7] = Object.values(malformed)[4]?.[0]
    const { status, body } = await post(kind, rows)
    expect([status, body.success, kept(body), body.errorDetails.length]).toEqual([
      200,
      false,
      999,
      1,
    ])
  })

  test('a row of each malformed kind is told by its place, and all others are kept', async () => {
    const rows = times<unknown>(ROWS, good)
    const wrong = Object.entries(malformed).map(([name, [row, told]], n) => {
      const index = 3 + n * 61
      rows[index] = row
      return { name, index, told }
    })
    const { status, body } = await post(kind, rows)
    expect([status, body.success, kept(body)]).toEqual([200, false, ROWS - wrong.length])
    const { errors, errorDetails } = body
    expect(errorDetails.map(({ index }: { index: number }) => index)).toEqual(
      wrong.map(({ index }) => index),
    )
    for (const [n, { name, index, told }] of wrong.entries()) {
      const { code, reason, message, details } = errorDetails[n]
      const place = `${list}[${index}]`
      expect(message.startsWith(`${place}${told}`), `${name}: ${message}`).toBe(true)
      expect(errors[n]).toBe(message)
      expect(['VALIDATION_FAILED', 'BAD_REQUEST']).toContain(code)
      expect(reason).toBe(code.toLowerCase())
      expect(details[0].path.startsWith(place)).toBe(true)
      expect(`${details[0].path} ${details[0].message}`).toBe(message)
    }
  })

  test('a row with a key that is there twice is told by the key’s place, however deep it is', async () => {
    const twice: [row: string, path: string][] = [
      ['{"name":"x","name":"y"}', 'name'],
      ['{"a":{"b":[{"c":1},{"c":1,"d":2,"c":2}]}}', 'a.b[1].c'],
      ['{"\\u0061":1,"a":2,"b":1,"b":2}', 'a'],
      [`{"${list}":[{"x":1,"x":2}]}`, `${list}[0].x`],
    ]
    const rows = times(20, (n) => JSON.stringify(good(n)))
    for (const [n, [row]] of twice.entries()) rows[3 + n * 4] = row
    const { status, body } = await send(kind, `{"${list}":[${rows.join(',')}]}`)
    expect([status, body.success, kept(body)]).toEqual([200, false, 20 - twice.length])
    expect(body.errorDetails).toEqual(
      twice.map(([, path], n) => ({
        index: 3 + n * 4,
        code: 'MALFORMED_REQUEST',
        reason: 'duplicate_key',
        message: `${list}[${3 + n * 4}].${path} is repeated`,
        details: [{ path: `${list}[${3 + n * 4}].${path}`, message: 'is repeated' }],
      })),
    )
    // Of the body itself it is as ambiguous as before.
    for (const text of [
      `{"${list}":[${rows[0]}],"${list}":[]}`,
      `{"other":[{"a":1,"a":2}],"${list}":[${rows[0]}]}`,
      `{"${list}":{"0":{"a":1,"a":2}}}`,
    ]) {
      const refused = await send(kind, text)
      expect([refused.status, refused.body.reason]).toEqual([400, 'duplicate_key'])
    }
  })

  test('all of them malformed is no refusal of the whole', async () => {
    const rows = times(ROWS, () => ({ unheardOf: 1, '': { a: 1 } }))
    const { status, body } = await post(kind, rows)
    expect([status, kept(body), body.errorDetails.length]).toEqual([200, 0, ROWS])
  })

  test('what is no list of rows is refused whole, with its place', async () => {
    const rows = times<unknown>(ROWS + 1, good)
    for (const [body, path] of [
      [[], ''],
      [{}, list],
      [{ [list]: {} }, list],
      [{ [list]: [] }, list],
      [{ [list]: rows }, list],
      [{ [list]: [good(0)], unheardOf: 1 }, 'unheardOf'],
    ] as const) {
      const answer = await api.alice.post(kind.url(), body)
      expect([answer.status, answer.body.details[0].path]).toEqual([422, path])
    }
  })

  test('a row with much that is wrong is told some of it', async () => {
    const row = Object.fromEntries(times(300, (n) => [`${n}${'k'.repeat(300)}`, n]))
    const { body, text } = await post(kind, [row, good(1)])
    expect(kept(body)).toBe(1)
    expect(body.errorDetails[0].details).toHaveLength(MOST_ROW_DETAILS)
    expect(text.length).toBeLessThan(8_192)
  })

  test('the same request with the same key gets the same answer, and nothing is done twice', async () => {
    const rows = [...times<unknown>(9, (n) => good(n)), ...ANY_ROWS]
    const headers = { 'idempotency-key': uuidv7() }
    const first = await post(kind, rows, headers)
    const executions = async () =>
      (await executionsOf(api.sql, flowId)).length +
      (await storedEvents(api, api.alice.organizationId)).length
    const before = await executions()
    const again = await post(kind, rows, headers)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
    expect(again.body.errorDetails).toHaveLength(ANY_ROWS.length)
    expect(await executions()).toBe(before)
    const other = await post(kind, rows.toReversed(), headers)
    expect([other.status, other.body.reason]).toEqual([422, 'idempotency_key_reused'])
  })
})

const ANY_ROWS = Object.values(ANY).map(([row]) => row)

test('rows of contacts that failed stand among the results', async () => {
  const { body } = await api.alice.post('/v1/contacts/batch', {
    contacts: [{ email: 'first@example.com' }, { email: 'none' }, { externalId: 'unknown' }],
  })
  expect(body.results).toEqual([
    { index: 0, id: expect.any(String), status: 'created' },
    { index: 1, id: null, status: 'failed', error: 'contacts[1].email must be an email address' },
    {
      index: 2,
      id: null,
      status: 'failed',
      error: expect.stringMatching(/^contacts\[2\]\.email or/),
    },
  ])
  expect([body.created, body.updated, body.failed]).toEqual([1, 0, 2])
  expect(body.errorDetails[1]).toMatchObject({ index: 2, code: 'BAD_REQUEST' })
})

test('a row that takes what another contact has says which field, and names the contact', async () => {
  const { id } = await createContact(api.alice, { email: 'mine@example.com', externalId: 'mine' })
  const { body } = await api.alice.post('/v1/contacts/batch', {
    contacts: [{ externalId: 'other', email: 'mine@example.com' }],
  })
  expect(body.errorDetails).toEqual([
    {
      index: 0,
      code: 'CONFLICT',
      reason: 'external_id_taken',
      message: 'Another contact has this externalId already',
      details: [{ path: 'contacts[0].externalId', message: 'is taken', contactId: id }],
    },
  ])
  expect(body.errors).toEqual(['contacts[0]: Another contact has this externalId already'])
})

test('malformed events count nothing: neither towards the quota nor as their eventId', async () => {
  const { current } = figures(await post(KINDS['events']!, [KINDS['events']!.good(0)]))
  // A hundred and twenty-five are accepted of a limit of a hundred.
  await limitEvents(api, api.alice, 100, 0)
  const event = (eventId: string) => ({ name: 'x', contactEmail: 'ada@example.com', eventId })
  const wrong = times(500, (n) => ({ ...event(`e${n}`), contactEmail: 'none' }))
  const good = times(125, (n) => event(`e${n}`))
  const over = await post(KINDS['events']!, [...wrong.slice(0, 300), ...good, event('over')])
  expect([over.status, over.body.requested]).toEqual([429, 126])
  const { status, body, headers } = await post(KINDS['events']!, [...wrong, ...good])
  expect([status, body.processed, body.duplicates]).toEqual([200, 125, 0])
  expect(figures({ headers })).toMatchObject({ current: 125, percent: 125 })
  const [usage] = await api.sql<{ events: number }[]>`
    select events::int from event_usage where organization_id = ${api.alice.organizationId}`
  expect(usage?.events).toBe(125)
  expect(current).toBeGreaterThan(0)
})
