import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { type Api, connectAccount, inject, startApi, tally } from '../support/api.ts'

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
})
beforeEach(() => {
  later = 0
})
afterAll(() => api.close())

const event = (changes: object = {}) => ({
  version: '0',
  id: uuidv7(),
  'detail-type': 'Email Delivered',
  source: 'aws.ses',
  account: accountId,
  time: '2026-11-21T10:00:00Z',
  region,
  resources: [],
  detail: { eventType: 'Delivery', mail: { messageId: 'm' } },
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

test('an event is stored whole, under the connection that the secret proves', async () => {
  const envelope = event()
  const answer = await deliver(envelope)
  expect([answer.status, answer.body]).toEqual([200, { status: 'processed' }])
  expect(await stored(envelope.id)).toEqual([
    { organizationId: api.alice.organizationId, connectionId, body: envelope },
  ])
  const [row] = await api.sql<{ lastEventReceivedAt: string | null }[]>`
    select last_event_received_at from connections where id = ${connectionId}`
  expect(row?.lastEventReceivedAt).not.toBeNull()
})

test('the same event again, and fifty times at once, is a duplicate and one row', async () => {
  const envelope = event()
  const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(envelope)))
  const statuses = answers.map(({ body }) => body.status)
  expect(tally(statuses)).toEqual({ processed: 1, duplicate: 49 })
  expect((await deliver(envelope)).body).toEqual({ status: 'duplicate' })
  expect((await stored(envelope.id)).length).toBe(1)
})

test('an envelope of another account or region is ignored and not stored', async () => {
  const account = event({ account: '999999999999' })
  expect((await deliver(account)).body).toEqual({ status: 'ignored', reason: 'other_account' })
  const elsewhere = event({ region: 'us-east-1' })
  expect((await deliver(elsewhere)).body).toEqual({ status: 'ignored', reason: 'other_region' })
  expect(await stored(account.id)).toEqual([])
  expect(await stored(elsewhere.id)).toEqual([])
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
  test('text that cannot be stored is replaced: the provider would only send it again', async () => {
    const envelope = event({ detail: { subject: 'a\u0000b\ud800c', smile: '\u{1f600}' } })
    expect((await deliver(envelope)).body).toEqual({ status: 'processed' })
    expect(await stored(envelope.id)).toMatchObject([
      { body: { detail: { subject: 'a\ufffdb\ufffdc', smile: '\u{1f600}' } } },
    ])
  })

  test.each([
    ['no JSON', '{', 400],
    ['no envelope', {}, 422],
    ['no detail', { ...event(), detail: undefined }, 422],
    ['more than 256 KiB', event({ detail: { a: 'a'.repeat(270_000) } }), 413],
  ])('%s', async (_name, payload, status) => {
    expect((await deliver(payload)).status).toBe(status)
  })
})
