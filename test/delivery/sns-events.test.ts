import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applyEvents } from '../../src/core/delivery/apply-delivery-events.ts'
import { storeQueued } from '../../src/core/delivery/receive-queued.ts'
import { tagsOf } from '../../src/domain/delivery/ses-event.ts'
import { dayBucket, type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import type { Sql } from '../../src/store/db/sql.ts'
import { type Api, connectAccount, inject, insertMail, startApi, tally } from '../support/api.ts'
import { until } from '../support/engine.ts'
import {
  CERTIFICATE_PATH,
  CERTIFICATE_URL,
  confirmation,
  type Fields,
  notification,
  SNS_ORIGIN,
  SNS_REGION as region,
  type SnsHost,
  startSnsHost,
  topicOf,
} from '../support/sns.ts'
import {
  expiredCertificate,
  futureCertificate,
  strangersCertificate,
} from '../support/sns-certificates.ts'
import { connectAs } from '../support/logins.ts'

const accountId = '123456789012'
const topicArn = topicOf(accountId)
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let api: Api
let worker: Sql
let host: SnsHost
let connectionId: Uuid
let secret: string
/** Moved on by tests: how much later it is than it is. */
let later = 0
/** Connections whose events were missed. */
const missed: (string | undefined)[] = []

beforeAll(async () => {
  host = await startSnsHost()
  api = await startApi({
    fetcher: host.fetcher,
    now: () => Date.now() + later,
    receiving: { refused: (whose) => missed.push(whose?.id) },
  })
  worker = connectAs(api.databaseUrl, { name: 'applier', role: 'letterloom_worker' })
  const connection = await connectAccount(api.alice, { accountId, region })
  secret = connection.webhookSecret
  connectionId = connection.connectionId
  await api.sql`update connections set is_verified = true where id = ${connectionId}`
  await setTopic(topicArn)
})
beforeEach(() => {
  later = 0
  missed.length = 0
  host.reset()
})
afterAll(async () => {
  await worker.end()
  await api.close()
  await host.close()
})

const setTopic = async (snsTopicArn: string | null, id = connectionId, client = api.alice) => {
  const { status } = await client.patch(`/v1/connections/${id}`, { snsTopicArn })
  expect(status).toBe(200)
}

const event = (mail: object = {}) => ({
  eventType: 'Delivery',
  mail: {
    messageId: `m-${uuidv7()}`,
    timestamp: '2026-11-21T10:00:00Z',
    sendingAccountId: accountId,
    destination: ['ada@example.com'],
    ...mail,
  },
  delivery: { timestamp: '2026-11-21T10:00:05Z', recipients: ['ada@example.com'] },
})

interface Posting {
  url?: string
  headers?: Record<string, string>
  remoteAddress?: string
}

const post = (payload: Fields | string | Buffer, { url = connectionId, ...more }: Posting = {}) =>
  inject(api.app, {
    method: 'POST',
    url: `/webhooks/sns/${url}`,
    ...more,
    headers: { 'content-type': 'text/plain; charset=UTF-8', ...more.headers },
    payload: Buffer.isBuffer(payload) || typeof payload === 'string' ? payload : text(payload),
  })
const text = (message: Fields): string => JSON.stringify(message)

const stored = (envelopeId: string) => api.sql<
  {
    organizationId: Uuid
    connectionId: Uuid
    body: { account: string; region: string; detail: object }
    error: string | null
    ignored: string | null
  }[]
>`
  select organization_id, connection_id, body, error, ignored
  from inbound_events
  where envelope_id = ${envelopeId}`
const rows = async (): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`select count(*) as count from inbound_events`
  return row?.count ?? 0
}

describe('a notification', () => {
  test.each(['1', '2'])('of signature version %s is stored and told', async (version) => {
    const detail = event()
    const message = notification(topicArn, detail, { SignatureVersion: version, Subject: 'Sent' })
    const { status, body } = await post(message)
    expect([status, body]).toEqual([200, { status: 'processed' }])
    const id = message['MessageId'] ?? ''
    expect(await stored(id)).toMatchObject([
      {
        organizationId: api.alice.organizationId,
        connectionId,
        body: { id, account: accountId, region, detail },
        error: null,
        ignored: null,
      },
    ])
    await until(async () => {
      const { body: list } = await api.alice.get('/v1/connections')
      return list.connections[0].lastEventReceivedAt !== null
    })
  })

  test('that comes again, also fifty times at once, is a duplicate and one row', async () => {
    const message = notification(topicArn, event())
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(message)))
    expect(tally(answers.map(({ body }) => body.status))).toEqual({ processed: 1, duplicate: 49 })
    expect((await post(message)).body).toEqual({ status: 'duplicate' })
    expect(await stored(message['MessageId'] ?? '')).toHaveLength(1)
  })

  test('is read with any content type', async () => {
    for (const type of ['text/plain', 'application/json', 'nonsense;;']) {
      const message = notification(topicArn, event())
      const answer = await post(message, { headers: { 'content-type': type } })
      expect(answer.body).toEqual({ status: 'processed' })
    }
  })

  test('by the webhook and by the queue is one row and counts once', async () => {
    const { organizationId } = api.alice
    const id = uuidv7()
    const mail = { organizationId, bucket: dayBucket(id), id, connectionId }
    const messageId = `m-${id}`
    await insertMail(api.sql, { ...mail, messageId, state: 'sent', status: 'sent' })
    const tags = Object.fromEntries(tagsOf(mail).map(({ name, value }) => [name, [value]]))
    const detail = event({ messageId, tags })
    const envelope = { account: accountId, region, source: 'aws.ses', detail }
    const [first, second] = [uuidv7(), uuidv7()]
    const message = notification(topicArn, detail)

    const bus = await inject(api.app, {
      method: 'POST',
      url: `/webhooks/ses/${accountId}`,
      headers: { 'x-webhook-secret': secret },
      payload: { ...envelope, id: first },
    })
    const topic = await post(message)
    const source = { organizationId, connectionId, accountId, region, externalId: '' }
    const queued = [{ receipt: 'r', body: JSON.stringify({ ...envelope, id: second }) }]
    const queue = await storeQueued(worker, { ...source, eventQueueUrl: '' }, queued)
    expect([bus.body, topic.body]).toEqual([{ status: 'processed' }, { status: 'processed' }])
    expect(queue).toEqual({ isHeard: true, notApplied: [], refused: [] })

    const ids = [first, second, message['MessageId'] ?? '']
    const same = await Promise.all(ids.map(async (each) => (await stored(each))[0]))
    for (const row of same) {
      expect(row).toMatchObject({ organizationId, connectionId, error: null, ignored: null })
      expect(row?.body).toMatchObject({ account: accountId, region, detail })
    }
    while ((await applyEvents(worker, api.deps.keyring)) > 0);
    const events = await api.sql`select kind from delivery_events where log_id = ${id}`
    expect(events).toEqual([{ kind: 'delivery' }])
    const [found] = await api.sql`select status from messages where id = ${id}`
    expect(found?.['status']).toBe('delivered')
  })
})

describe('a notification that can never be applied is stored with its reason and not refused', () => {
  const notice = 'Successfully validated SNS topic for Amazon SES event publishing.'
  test.each<[string, object | string, string]>([
    ['what SES says when the topic is set', notice, 'unknown_event'],
    [
      'the same of an identity',
      { notificationType: 'AmazonSnsSubscriptionSucceeded' },
      'unknown_event',
    ],
    ['mail of another account', event({ sendingAccountId: '999999999999' }), 'other_account'],
    ['a kind that we do not know', { eventType: 'Subscription', mail: {} }, 'unknown_event'],
  ])('%s: ignored', async (_name, detail, reason) => {
    const message = notification(topicArn, detail)
    for (let time = 0; time < 2; time++) {
      expect((await post(message)).body).toEqual({ status: 'ignored', reason })
    }
    expect(await stored(message['MessageId'] ?? '')).toMatchObject([{ ignored: reason }])
  })

  test.each([
    ['no JSON', 'hello', 'invalid_json'],
    ['no object', '[1]', 'no_envelope'],
  ])('%s: unread', async (_name, published, reason) => {
    const before = await rows()
    const { status, body } = await post(notification(topicArn, published))
    expect([status, body]).toEqual([200, { status: 'ignored', reason }])
    expect(await rows()).toBe(before + 1)
  })
})

describe('the subscription', () => {
  test('is confirmed at an address of topic and token, whatever SubscribeURL is', async () => {
    const message = confirmation(topicArn, { SubscribeURL: 'http://169.254.169.254/latest' })
    const before = await rows()
    const { status, body } = await post(message)
    expect([status, body]).toEqual([200, { status: 'processed' }])
    const query = `Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topicArn)}&Token=${message['Token']}`
    expect(host.requests.at(-1)).toBe(`GET /?${query}`)
    expect(host.asked.at(-1)).toBe(`${SNS_ORIGIN}/?${query}`)
    expect(host.asked.filter((url) => !url.startsWith(`${SNS_ORIGIN}/`))).toEqual([])
    expect(await rows()).toBe(before)
  })

  test('is not confirmed when SNS refuses the token, or there is none', async () => {
    host.answers.set('/', { status: 403 })
    const reason = 'confirmation_refused'
    expect((await post(confirmation(topicArn))).body).toEqual({ status: 'ignored', reason })
    host.reset()
    const strange = confirmation(topicArn, { Token: '../?Action=Publish' })
    expect((await post(strange)).body).toEqual({ status: 'ignored', reason })
    expect(host.asked).toEqual([])
  })

  test('is asked for again while SNS does not answer', async () => {
    host.answers.set('/', { status: 500 })
    const { status, headers, body } = await post(confirmation(topicArn))
    expect([status, headers['retry-after'], body.reason]).toEqual([
      503,
      '20',
      'provider_unreachable',
    ])
  })

  test('that ended is not confirmed again', async () => {
    const message = confirmation(topicArn, { Type: 'UnsubscribeConfirmation' })
    expect((await post(message)).body).toEqual({ status: 'ignored', reason: 'unsubscribed' })
    expect(host.asked.filter((url) => url.includes('Action='))).toEqual([])
  })
})

describe('not accepted', () => {
  const refused = async (message: Fields, posting: Posting = {}) => {
    const before = await rows()
    const { status, headers, body } = await post(message, posting)
    expect([status, body]).toEqual([
      401,
      {
        error: 'The message is not proven to be of the topic of this connection',
        code: 'UNAUTHORIZED',
        requestId: headers['x-request-id'],
      },
    ])
    expect(await rows()).toBe(before)
    expect(missed).toEqual([])
  }

  test('a connection without a topic, of another topic, unknown or disconnected', async () => {
    const other = await connectAccount(api.alice, { accountId: '555555555555', region })
    const own = topicOf('555555555555')
    const url = other.connectionId
    await refused(notification(own, event()), { url })
    await setTopic(topicOf('555555555555', 'another'), url)
    await refused(notification(own, event()), { url })
    await refused(notification(topicArn, event()), { url })
    await refused(notification(topicArn, event()), { url: uuidv7() })
    await refused(notification(topicArn, event()), { url: 'no-uuid' })
    await setTopic(own, url)
    // One that was set a moment ago is believed at once.
    const mail = { sendingAccountId: '555555555555' }
    expect((await post(notification(own, event(mail)), { url })).status).toBe(200)
    await setTopic(null, url)
    await sleep(1_000)
    await refused(notification(own, event(mail)), { url })
    await setTopic(own, url)
    expect((await post(notification(own, event(mail)), { url })).status).toBe(200)
    await api.alice.delete(`/v1/connections/${url}`)
    await sleep(1_000)
    await refused(notification(own, event(mail)), { url })
  })

  test('a topic of the same name that another organization has set for its own account', async () => {
    const { connectionId: his } = await connectAccount(api.charlie, { accountId, region })
    await refused(notification(topicArn, event()), { url: his })
    await setTopic(topicArn, his, api.charlie)
    const message = notification(topicArn, event())
    expect((await post(message, { url: his })).body).toEqual({ status: 'processed' })
    expect(await stored(message['MessageId'] ?? '')).toMatchObject([
      { organizationId: api.charlie.organizationId, connectionId: his },
    ])
  })

  test('a message that is older than an hour, or of the future', async () => {
    const at = (ms: number) => notification(topicArn, event(), {}, Date.now() + ms)
    expect((await post(at(-60 * MINUTE_MS))).status).toBe(200)
    expect((await post(at(4 * MINUTE_MS))).status).toBe(200)
    await refused(at(-66 * MINUTE_MS))
    await refused(at(6 * MINUTE_MS))
    await refused(notification(topicArn, event(), { Timestamp: 'yesterday' }))
  })

  test.each([
    ['expired', expiredCertificate],
    ['not valid yet', futureCertificate],
    ['somebody else’s', strangersCertificate],
    ['none', '<html>'],
  ])('what a certificate has signed that is %s', async (name, body) => {
    const path = `/${name.replaceAll(/[^a-z]/g, '-')}.pem`
    host.answers.set(path, { status: 200, body })
    await refused(notification(topicArn, event(), { SigningCertURL: `${SNS_ORIGIN}${path}` }))
    expect(host.asked).toEqual([`${SNS_ORIGIN}${path}`])
    // It is remembered that it is none.
    await refused(notification(topicArn, event(), { SigningCertURL: `${SNS_ORIGIN}${path}` }))
    expect(host.asked).toHaveLength(1)
  })

  test('nothing is fetched for a caller who does not know the topic', async () => {
    const SigningCertURL = `${SNS_ORIGIN}/unknown.pem`
    await refused(notification(topicOf(accountId, 'guess'), event(), { SigningCertURL }))
    await refused(notification(topicArn, event(), { SigningCertURL }), { url: uuidv7() })
    expect(host.asked).toEqual([])
  })

  test('raw delivery, which has no signature, with an explanation', async () => {
    const headers = { 'x-amz-sns-rawdelivery': 'true' }
    const { status, body } = await post(JSON.stringify(event()), { headers })
    expect([status, body.code, body.reason]).toEqual([400, 'BAD_REQUEST', 'raw_delivery'])
    expect(body.error).toContain('Raw message delivery has no signature')
  })

  test('a body that is no message, larger than 256 KiB or encoded', async () => {
    const message = text(notification(topicArn, event()))
    const large = text(notification(topicArn, 'x'.repeat(262_144)))
    const encoded = { headers: { 'content-encoding': 'gzip' } }
    const answers = [
      await post(''),
      await post('{'),
      await post('null'),
      await post('{"Type":"Notification"}'),
      await post(large),
      await post(gzipSync(message), encoded),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 422, 422, 413, 415])
    const whole = notification(topicArn, { ...event(), more: 'x'.repeat(200_000) })
    expect((await post(whole)).status).toBe(200)
  })
})

test('unproven messages count against their address, and proven ones never do', async () => {
  const remoteAddress = '203.0.113.9'
  const forged = { ...notification(topicArn, event()), Message: '{}' }
  const answers = []
  for (let n = 0; n < 12; n++) answers.push(await post(forged, { remoteAddress }))
  expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 10, 429: 2 })
  expect((await post('{', { remoteAddress })).status).toBe(429)
  for (let n = 0; n < 20; n++) {
    expect((await post(notification(topicArn, event()), { remoteAddress })).status).toBe(200)
  }
})

describe('the certificate', () => {
  const send = (SigningCertURL = CERTIFICATE_URL) =>
    post(notification(topicArn, event(), { SigningCertURL }, Date.now() + later))

  test('is fetched once for concurrent messages, and again after a day', async () => {
    later = 2 * DAY_MS
    const answers = await Promise.all(Array.from({ length: 30 }, () => send()))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 30 })
    expect(host.asked).toEqual([CERTIFICATE_URL])
    later += DAY_MS - MINUTE_MS
    await send()
    expect(host.asked).toHaveLength(1)
    later += 2 * MINUTE_MS
    expect((await send()).status).toBe(200)
    expect(host.asked).toHaveLength(2)
  })

  test('that cannot be fetched makes SNS try again, and marks a missed event', async () => {
    host.answers.set('/busy.pem', { status: 500 })
    const { status, headers } = await send(`${SNS_ORIGIN}/busy.pem`)
    expect([status, headers['retry-after']]).toEqual([503, '20'])
    expect(missed).toEqual([connectionId])
    host.answers.set('/busy.pem', host.answers.get(CERTIFICATE_PATH) ?? { status: 500 })
    expect((await send(`${SNS_ORIGIN}/busy.pem`)).status).toBe(200)
  })

  test('is fetched at most ten times a minute for a connection', async () => {
    // A minute begins.
    later = 10 * DAY_MS - (Date.now() % MINUTE_MS)
    const answers = []
    for (let n = 0; n < 13; n++) answers.push(await send(`${SNS_ORIGIN}/no-${n}.pem`))
    expect(tally(answers.map(({ status }) => status))).toEqual({ 401: 10, 503: 3 })
    expect(host.asked).toHaveLength(10)
    later += MINUTE_MS
    expect((await send()).status).toBe(200)
  })
})
