import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/runtime/ids.ts'
import * as inboundEvents from '../../src/store/delivery/inbound-events.ts'
import { type Api, connectAccount, inject, startApi, tally, wasVerified } from '../support/api.ts'
import { until } from '../support/engine.ts'

const accountId = '123456789012'
const region = 'eu-central-1'
const HOUR_MS = 3_600_000

let api: Api
let secret: string
let connectionId: string
/** Moved on by tests: how much later it is than it is. */
let later = 0
beforeAll(async () => {
  api = await startApi({ now: () => Date.now() + later })
  const connection = await connectAccount(api.alice, { accountId, region })
  secret = connection.webhookSecret
  connectionId = connection.connectionId
  await wasVerified(api.sql, connectionId)
})
beforeEach(() => {
  later = 0
})
afterAll(() => api.close())

const mail = {
  messageId: 'm',
  timestamp: '2026-11-21T10:00:00Z',
  destination: ['ada@example.com'],
}
const event = (changes: object = {}) => ({
  version: '0',
  id: uuidv7(),
  'detail-type': 'Email Delivered',
  source: 'aws.ses',
  account: accountId,
  time: '2026-11-21T10:00:00Z',
  region,
  resources: [],
  detail: { eventType: 'Delivery', mail },
  ...changes,
})
const deliver = (
  payload: object | string,
  withSecret: string | undefined = secret,
  url = accountId,
) =>
  inject(api.app, {
    method: 'POST',
    url: `/webhooks/ses/${url}`,
    headers: {
      'content-type': 'application/json',
      ...(withSecret === undefined ? {} : { 'x-webhook-secret': withSecret }),
    },
    payload,
  })
const stored = (envelopeId: string) => api.sql`
  select organization_id, connection_id, body
  from inbound_events
  where envelope_id = ${envelopeId}`
/** Lists stored events that the applier never sees, newest first. */
const setAside = () => api.sql<{ body: { unread?: string }; error: string; ignored: string }[]>`
  select body, error, ignored
  from inbound_events
  where connection_id = ${connectionId} and applied_at is not null
  order by position desc`
const lastEventAt = async () => {
  const [row] = await api.sql<{ at: string | null }[]>`
    select last_event_received_at as at from connections where id = ${connectionId}`
  return row?.at
}
const counted = async (reason: string): Promise<number> => {
  const { values } = await api.deps.metrics.eventsNotApplied.get()
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0
}

test('an event is stored whole, under the connection that the secret proves', async () => {
  const envelope = event()
  const answer = await deliver(envelope)
  expect([answer.status, answer.body]).toEqual([200, { status: 'processed' }])
  expect(await stored(envelope.id)).toEqual([
    { organizationId: api.alice.organizationId, connectionId, body: envelope },
  ])
  await until(async () => (await lastEventAt()) !== null)
})

test('the same event again, and fifty times at once, is a duplicate and one row', async () => {
  const envelope = event()
  const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(envelope)))
  const statuses = answers.map(({ body }) => body.status)
  expect(tally(statuses)).toEqual({ processed: 1, duplicate: 49 })
  expect((await deliver(envelope)).body).toEqual({ status: 'duplicate' })
  expect((await stored(envelope.id)).length).toBe(1)
})

describe('an event that can never be applied is stored for inspection only, and not refused', () => {
  const tagged = (organizationId: string) => ({
    ...mail,
    tags: {
      'letterloom-message': [`${uuidv7()}_${uuidv7()}`],
      'letterloom-organization': [organizationId],
    },
  })
  test.each([
    ['other_account', { account: '999999999999' }],
    ['other_region', { region: 'us-east-1' }],
    ['unknown_event', { detail: { eventType: 'Subscription', mail } }],
    ['unknown_event', { detail: { eventType: 'toString' } }],
    ['unknown_event', { detail: {} }],
  ])('%s', async (reason, changes) => {
    const envelope = event(changes)
    const before = [await lastEventAt(), await counted(reason)]
    for (let time = 0; time < 2; time++) {
      const { status, body } = await deliver(envelope)
      expect([status, body]).toEqual([200, { status: 'ignored', reason }])
    }
    expect((await setAside())[0]).toEqual({ body: envelope, error: null, ignored: reason })
    expect((await stored(envelope.id)).length).toBe(1)
    // It is no sign that events of our mail arrive.
    expect([await lastEventAt(), await counted(reason)]).toEqual([before[0], Number(before[1]) + 1])
  })

  test('an event of another organization’s mail is stored without its content', async () => {
    const envelope = event({
      detail: { eventType: 'Send', mail: tagged(api.charlie.organizationId) },
    })
    const { status, body } = await deliver(envelope)
    expect([status, body]).toEqual([200, { status: 'ignored', reason: 'other_organization' }])
    expect((await setAside())[0]).toEqual({ body: {}, error: null, ignored: 'other_organization' })
    const own = event({ detail: { eventType: 'Send', mail: tagged(api.alice.organizationId) } })
    expect((await deliver(own)).body).toEqual({ status: 'ignored', reason: 'unknown_mail' })
  })

  test('a mail without our tag is for the applier, which knows message ids', async () => {
    expect((await deliver(event())).body).toEqual({ status: 'processed' })
  })
})

describe('credentials', () => {
  test('an unknown account and a wrong secret get the same 401, before the body is read', async () => {
    const answers = await Promise.all([
      deliver(event(), 'wrong'),
      deliver(event(), ''),
      deliver(event(), secret, '999999999999'),
      deliver(event(), secret, 'x'),
      deliver('{', 'wrong'),
      deliver('a'.repeat(300_000), 'wrong'),
      inject(api.app, { method: 'POST', url: `/webhooks/ses/${accountId}`, payload: event() }),
    ])
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual({
        error: 'The webhook secret is missing or not valid',
        code: 'UNAUTHORIZED',
        requestId: headers['x-request-id'],
      })
    }
  })

  test('the secret decides between organizations with the same account', async () => {
    const charlie = await connectAccount(api.charlie, { accountId, region })
    const [his, hers] = [event(), event()]
    expect((await deliver(his, charlie.webhookSecret)).body.status).toBe('processed')
    expect((await deliver(hers)).body.status).toBe('processed')
    expect(await stored(his.id)).toMatchObject([{ organizationId: api.charlie.organizationId }])
    expect(await stored(hers.id)).toMatchObject([{ organizationId: api.alice.organizationId }])
  })

  test('every secret of the last day works, whatever was rotated meanwhile; an older one never', async () => {
    const account = { accountId, region }
    const secrets = [secret]
    for (let rotation = 0; rotation < 4; rotation++) {
      secrets.push((await connectAccount(api.alice, account)).webhookSecret)
      // The new one works at once; those before it go on.
      for (const each of secrets.toReversed())
        expect((await deliver(event(), each)).status).toBe(200)
    }
    const statuses = async () => {
      const answers = await Promise.all(secrets.map((each) => deliver(event(), each)))
      return answers.map(({ status }) => status)
    }
    later = 23 * HOUR_MS
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    later = 25 * HOUR_MS
    expect(await statuses()).toEqual([401, 401, 401, 401, 200])
    later = 0
    await api.sql`
      update connection_secrets set valid_until = now() - interval '1 second'
      where connection_id = ${connectionId} and valid_until is not null`
    await sleep(1_000)
    expect(await statuses()).toEqual([401, 401, 401, 401, 200])
    secret = secrets.at(-1) ?? ''
  })

  test('a disconnected account is refused within a second', async () => {
    const gone = await connectAccount(api.alice, { accountId: '555555555555', region })
    const url = '555555555555'
    const envelope = () => event({ account: url })
    expect((await deliver(envelope(), gone.webhookSecret, url)).status).toBe(200)
    await api.alice.delete(`/v1/connections/${gone.connectionId}`)
    await sleep(1_000)
    expect((await deliver(envelope(), gone.webhookSecret, url)).status).toBe(401)
  })
})

describe('bodies', () => {
  test('text that Postgres cannot store is replaced, since the provider would send it again', async () => {
    const texts = { subject: 'a\u0000b\ud800c', smile: '\u{1f600}' }
    const envelope = event({ detail: { eventType: 'Send', mail, ...texts } })
    expect((await deliver(envelope)).body).toEqual({ status: 'processed' })
    expect(await stored(envelope.id)).toMatchObject([
      { body: { detail: { subject: 'a\ufffdb\ufffdc', smile: '\u{1f600}' } } },
    ])
  })

  const text = (payload: object | string): string =>
    typeof payload === 'string' ? payload : JSON.stringify(payload)
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) })

  test.each([
    ['no JSON', '{"account": "ada@example.com', 'invalid_json'],
    ['no JSON, with a NUL', '{"a\u0000"', 'invalid_json'],
    ['nothing', '', 'no_envelope'],
    ['no envelope', {}, 'no_envelope'],
    ['no object', '[1]', 'no_envelope'],
    ['null', 'null', 'no_envelope'],
    ['no detail', { ...event(), detail: undefined }, 'no_envelope'],
    ['an event of a mail without the mail', event({ detail: { eventType: 'Send' } }), 'no_event'],
    ['nested without end', event({ detail: deep(200) }), 'unstorable_text'],
    ['a key that cannot be stored', event({ detail: { 'a\u0000': 1 } }), 'unstorable_text'],
    ['more than 1 MiB', event({ detail: { a: 'a'.repeat(1_100_000) } }), 'too_large'],
  ])('%s: kept as it came and told apart from silence', async (_name, payload, reason) => {
    const before = await counted(reason)
    const { status, body } = await deliver(payload)
    expect([status, body]).toEqual([200, { status: 'ignored', reason }])
    const unread = text(payload).replaceAll('\u0000', '\ufffd').slice(0, 4_096)
    // What is an envelope is kept as one.
    const kept = reason === 'no_event' ? payload : { unread }
    expect((await setAside())[0]).toEqual({ body: kept, error: reason, ignored: null })
    expect(await counted(reason)).toBe(before + 1)
  })

  test('far more than that on a real connection: answered as well', async () => {
    const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(`${origin}/webhooks/ses/${accountId}`, {
      method: 'POST',
      headers: { 'x-webhook-secret': secret, 'content-type': 'application/json' },
      body: 'b'.repeat(16 * 1_048_576),
    })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'ignored', reason: 'too_large' },
    ])
    expect((await setAside())[0]?.body.unread).toBe('b'.repeat(4_096))
  })

  test('an event of a full mebibyte but for its envelope is one like others', async () => {
    const envelope = event({ detail: { eventType: 'Send', mail, more: 'a'.repeat(1_048_000) } })
    expect((await deliver(envelope)).body).toEqual({ status: 'processed' })
  })

  test.each([
    ['text/plain', undefined, 'processed'],
    ['application/x-www-form-urlencoded', undefined, 'processed'],
    ['nonsense;;', undefined, 'processed'],
    [undefined, undefined, 'processed'],
    ['application/json', 'gzip', 'ignored'],
    ['application/json', 'br', 'ignored'],
  ])('as %s, encoded %s: %s', async (type, encoding, answer) => {
    const { status, body } = await inject(api.app, {
      method: 'POST',
      url: `/webhooks/ses/${accountId}`,
      headers: {
        'x-webhook-secret': secret,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      },
      payload: Buffer.from(JSON.stringify(event())),
    })
    expect([status, body.status]).toEqual([200, answer])
    if (answer === 'processed') return
    // An address in it could not be found, so it is not kept.
    expect((await setAside())[0]).toEqual({
      body: { unread: null },
      error: 'unsupported_encoding',
      ignored: null,
    })
  })

  test('an encoded body without a right secret is 401 like any other', async () => {
    const { status } = await inject(api.app, {
      method: 'POST',
      url: `/webhooks/ses/${accountId}`,
      headers: { 'content-encoding': 'gzip', 'x-webhook-secret': 'wrong' },
      payload: '{}',
    })
    expect(status).toBe(401)
  })
})

test('an event is answered while somebody holds the row of its connection', async () => {
  // The next event notes that events come.
  await sleep(1_100)
  await api.sql.begin(async (tx) => {
    await tx`select from connections where id = ${connectionId} for update`
    const answer = await Promise.race([deliver(event()), sleep(10_000)])
    expect(answer?.body.status).toBe('processed')
  })
})

test('events that come twice at once, in two orders, are all stored', async () => {
  const { organizationId } = api.alice
  const whose = { organizationId, connectionId, body: '{}', ignored: 'unknown_event' }
  for (let round = 0; round < 15; round++) {
    const events = Array.from({ length: 200 }, () => ({ ...whose, envelopeId: uuidv7() }))
    const answers = await Promise.all([
      inboundEvents.store(api.sql, events),
      inboundEvents.store(api.sql, events.toReversed()),
    ])
    expect(answers.flat().filter(Boolean)).toHaveLength(events.length)
  }
})
