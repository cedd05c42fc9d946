import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Uuid, uuidv7 } from '../../src/runtime/ids.ts'
import { newKeyringText, newWebhookSecret, parseKeyring } from '../../src/keys/tokens.ts'
import { type Api, connectAccount, inject, startApi, wasVerified } from '../support/api.ts'
import { guarantee } from '../support/guarantee.ts'
import { sized } from '../support/size.ts'
import {
  CERTIFICATE_URL,
  confirmation,
  type Fields,
  notification,
  signedBySns,
  SNS_ORIGIN,
  SNS_REGION as region,
  type SnsHost,
  startSnsHost,
  topicOf,
} from '../support/sns.ts'
import { testCertificate } from '../support/certificates.ts'
import { strangersCertificate } from '../support/sns-certificates.ts'

/**
 * Changed messages of SNS and requests of EventBridge: none is taken for one of the provider, and
 * nothing but the provider is reached for any.
 */
const RUNS = sized(50, 10_000)
const TIMEOUT_MS = sized(240_000, 900_000)
const accountId = '123456789012'
const topicArn = topicOf(accountId)
const MINUTE_MS = 60_000

let api: Api
let host: SnsHost
let connectionId: Uuid
let secret: string
/** Connection of another organization to the same account, with a topic of its own. */
let strangersId: Uuid
/** Good secrets, of other accounts and organizations. */
let otherSecrets: string[]
let rowsBefore = 0

beforeAll(async () => {
  host = await startSnsHost()
  api = await startApi({ fetcher: host.fetcher })
  const hers = await connectAccount(api.alice, { accountId, region })
  const his = await connectAccount(api.charlie, { accountId, region })
  const third = await connectAccount(api.charlie, { accountId: '999999999999', region })
  for (const each of [hers, his, third]) await wasVerified(api.sql, each.connectionId)
  ;[connectionId, strangersId] = [hers.connectionId, his.connectionId]
  secret = hers.webhookSecret
  otherSecrets = [third.webhookSecret]
  await api.alice.patch(`/v1/connections/${connectionId}`, { snsTopicArn: topicArn })
  const strangers = topicOf(accountId, 'his-events')
  await api.charlie.patch(`/v1/connections/${strangersId}`, { snsTopicArn: strangers })
})
beforeEach(async () => {
  host.reset()
  host.answers.set('/stranger.pem', { status: 200, body: strangersCertificate })
  rowsBefore = await rows()
})
afterAll(async () => {
  await api.close()
  await host.close()
})

async function rows(): Promise<number> {
  const [row] = await api.sql<{ count: number }[]>`select count(*) as count from inbound_events`
  return row?.count ?? 0
}

const detail = {
  eventType: 'Bounce',
  mail: {
    messageId: 'm',
    timestamp: '2026-11-21T10:00:00Z',
    sendingAccountId: accountId,
    destination: ['ada@example.com'],
    commonHeaders: { subject: 'Ünïcode \u{1f600}' },
  },
  bounce: { bounceType: 'Permanent', timestamp: '2026-11-21T10:00:05Z' },
}

/** A request that is not what the provider sent. */
interface Forged {
  payload: string | Buffer
  headers?: Record<string, string>
  url?: string
}
type Change<T> = (genuine: T, dice: Dice) => Forged

/** Random numbers that decide a change. */
interface Dice {
  n: number
  character: string
  words: string
}
const dice = fc.record({
  n: fc.nat(1_000_000),
  character: fc.constantFrom(...Array.from('aZ09-_.:/@#?%\\\n\t \u0000é')),
  words: fc.string({ minLength: 1, maxLength: 20 }),
})

/** The same text with one character more, less or instead. */
function mutated(text: string, { n, character }: Dice): string {
  const at = n % (text.length + 1)
  const kind = n % 3
  const rest = text.slice(kind === 0 ? at : at + 1)
  const changed = text.slice(0, at) + (kind === 1 ? '' : character) + rest
  return changed === text ? `${text}${character}` : changed
}

const flipped = (signature: string, n: number): string => {
  const bytes = Buffer.from(signature, 'base64')
  const at = n % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (n % 8))
  return bytes.toString('base64')
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!

const json = (fields: object): Forged => ({ payload: JSON.stringify(fields) })

/** Addresses that look like the provider's and are not, or are no certificate's. */
const CERTIFICATES = [
  'http://sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com.example.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com@example.com/a.pem',
  'https://example.com/https://sns.eu-central-1.amazonaws.com/a.pem',
  'https://example.com#sns.eu-central-1.amazonaws.com/a.pem',
  'https://example.com\\@sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com:8443/a.pem',
  'https://sns.eu-central-1.amazonaws.com./a.pem',
  'https://user@sns.eu-central-1.amazonaws.com/a.pem',
  'https://SNS.eu-central-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com/../a.pem',
  'https://sns.eu-central-1.amazonaws.com//example.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com/?Action=Subscribe&Endpoint=.pem',
  'https://sns.eu-central-1.amazonaws.com/a.pem?b',
  'https://sns.eu-central-1.amazonaws.com/a.pem#b',
  'https://sns.eu-central-1.amazonaws.com/a.crt',
  'https://sns.s3-eu-central-1.amazonaws.com/a.pem',
  'https://sns.us-east-1.amazonaws.com/a.pem',
  'https://sns.eu-central-1.amazonaws.com.cn/a.pem',
  'https://s3.amazonaws.com/sns.eu-central-1.amazonaws.com/a.pem',
  'https://sns-eu-central-1.amazonaws.com/a.pem',
  'https://snsXeu-central-1.amazonaws.com/a.pem',
  'https://127.0.0.1/a.pem',
  'https://169.254.169.254/latest/meta-data/a.pem',
  'file:///etc/ssl/a.pem',
  'data:text/plain,.pem',
  `${SNS_ORIGIN}/stranger.pem`,
  `${SNS_ORIGIN}/missing.pem`,
]

const RSA_STRANGER = `${SNS_ORIGIN}/stranger.pem`

/** Re-encodings of a signature that a lenient reader takes for the same bytes. */
const SPELLINGS: readonly ((signature: string) => string)[] = [
  (text) => text.replaceAll('=', ''),
  (text) => `${text}=`,
  (text) => `${text}\n`,
  (text) => ` ${text}`,
  (text) => text.replace(/(.{76})/g, '$1\r\n'),
  (text) => `${text}AAAA`,
  (text) => Buffer.from(text, 'base64').toString('hex'),
  (text) => encodeURIComponent(`${text}+`),
  () => '',
  () => '====',
]

/** Changes of a message; each leaves something that SNS has not signed, or not for us. */
const OF_MESSAGES: Record<string, Change<Fields>> = {
  'a bit of the signature': (message, { n }) =>
    json({ ...message, Signature: flipped(message['Signature'] ?? '', n) }),
  'the spelling of the signature': (message, { n }) =>
    json({ ...message, Signature: pick(SPELLINGS, n)(message['Signature'] ?? '') }),
  'the signature of another message': (message, { words }) =>
    json({ ...message, Signature: notification(topicArn, words)['Signature'] }),
  'a signature of another key': (message, { n }) => {
    const { Signature } = signedBySns(message, testCertificate.key)
    return json({ ...message, Signature, SigningCertURL: pick(CERTIFICATES, n) })
  },
  'the version of the signature': (message, { n }) => {
    const versions = ['1', '2', '3', '02', '2 ', '__proto__'].filter(
      (each) => each !== message['SignatureVersion'],
    )
    return json({ ...message, SignatureVersion: pick(versions, n) })
  },
  'the address of the certificate': (message, { n }) =>
    json({ ...message, SigningCertURL: pick(CERTIFICATES, n) }),
  'a character of that address, which then names no certificate': (message, drawn) =>
    json({ ...message, SigningCertURL: mutated(CERTIFICATE_URL, drawn) }),
  'a certificate of somebody else': (message) => json({ ...message, SigningCertURL: RSA_STRANGER }),
  'the topic': (message, { n, words }) => {
    const topics = [
      topicOf('999999999999'),
      topicOf(accountId, 'other'),
      topicOf(accountId, 'MAIL-EVENTS'),
      topicArn.replace(region, 'us-east-1'),
      topicArn.replace('arn:aws:', 'arn:aws-cn:'),
      `${topicArn}:subscription`,
      `${topicArn} `,
      words,
    ]
    return json({ ...message, TopicArn: pick(topics, n) })
  },
  'the topic, signed by SNS for it': (message, { n }) => {
    const topics = [topicOf('999999999999'), topicOf(accountId, 'his-events')]
    return json(signedBySns({ ...message, TopicArn: pick(topics, n) }))
  },
  'the connection': (message, { n }) => ({
    ...json(message),
    url: pick([strangersId, uuidv7(), 'no-uuid', `${connectionId}0`], n),
  }),
  'a character of what is said': (message, drawn) =>
    json({ ...message, Message: mutated(message['Message'] ?? '', drawn) }),
  'the encoding of what is said': (message, { n }) => {
    const { Message = '' } = message
    const again = [
      () => JSON.stringify({ said: Message }, null, 2),
      () => Message.normalize('NFD').concat(' '),
      () => `\\${Message}`,
      () => Buffer.from(Message).toString('base64'),
      () => encodeURIComponent(Message),
      () => `${Message}\n`,
    ]
    return json({ ...message, Message: pick(again, n)() })
  },
  'the encoding of the body': (message, { n }) => {
    const text = JSON.stringify(message)
    const forged: Forged[] = [
      { payload: Buffer.from(text, 'utf16le') },
      { payload: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]) },
      { payload: gzipSync(text), headers: { 'content-encoding': 'gzip' } },
      { payload: Buffer.from(text).toString('base64') },
      { payload: JSON.stringify(text) },
      { payload: JSON.stringify([message]) },
      { payload: `${text}${text}` },
      { payload: text.slice(0, -1) },
      { payload: text, headers: { 'x-amz-sns-rawdelivery': 'true' } },
      { payload: String(message['Message']) },
      { payload: text.slice(0, -1).concat(',"Message":"{}"}') },
      { payload: new URLSearchParams(message).toString() },
    ]
    return pick(forged, n)
  },
  'the type': (message, { n }) => {
    const types = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation', 'Other']
    const others = types.filter((each) => each !== message['Type'])
    return json({
      Token: 'a',
      SubscribeURL: 'https://example.com',
      ...message,
      Type: pick(others, n),
    })
  },
  'what confirms': (message, drawn) => {
    const name =
      message['Type'] === 'Notification' ? 'Message' : pick(['Token', 'SubscribeURL'], drawn.n)
    return json({ ...message, [name]: mutated(message[name] ?? '', drawn) })
  },
  'the id': (message, { words }) => json({ ...message, MessageId: words }),
  'the time': (message, { n }) =>
    json({
      ...message,
      Timestamp: new Date(
        Date.parse(message['Timestamp'] ?? '') - (n % (30 * MINUTE_MS)) - 1,
      ).toISOString(),
    }),
  'the time, signed by SNS long ago': (message, { n }) => {
    const age = (n % 2 === 0 ? 1 : -1) * (66 * MINUTE_MS + n * 1_000)
    return json(signedBySns({ ...message, Timestamp: new Date(Date.now() - age).toISOString() }))
  },
  'a part that is added': (message, { words }) => {
    const name = message['Type'] === 'Notification' ? 'Subject' : 'Message'
    return json({ ...message, [name]: `${words}${message[name] ?? ''}!` })
  },
  'a part that is missing': (message, { n }) => {
    const needed = ['Message', 'MessageId', 'TopicArn', 'Timestamp', 'Type', 'Signature'].concat([
      'SigningCertURL',
      'SignatureVersion',
    ])
    const { [pick(needed, n)]: _, ...rest } = message
    return json(rest)
  },
  'the line at which a part begins': (message, { n }) => {
    const { Message = '', MessageId = '', Timestamp = '' } = message
    const moved: Fields[] = [
      { Message: `${Message}\nMessageId\n${MessageId}`, MessageId: Timestamp },
      { Message: Message.slice(0, 5), MessageId: `${Message.slice(5)}\nMessageId\n${MessageId}` },
      { MessageId: `${MessageId}\nTimestamp\n${Timestamp}` },
      message['Type'] === 'Notification'
        ? { Subject: `a\nTimestamp\n${Timestamp}` }
        : { Token: `a\nTopicArn\n${topicArn}` },
    ]
    return json({ ...message, ...pick(moved, n) })
  },
}

const OF_REQUESTS: Record<string, Change<string>> = {
  'a character of the secret': (good, drawn) => secretly(mutated(good, drawn)),
  'the secret of another account': (_good, { n }) => secretly(pick(otherSecrets, n)),
  'the length of the secret': (good, { n }) =>
    secretly(n % 2 === 0 ? good.slice(0, n % good.length) : good.concat(good)),
  'the case of the secret': (good, { n }) => {
    const others = [good.toUpperCase(), good.toLowerCase()].filter((each) => each !== good)
    return secretly(pick(others, n))
  },
  'the encoding of the secret': (good, { n }) => {
    const encodings = [
      Buffer.from(good).toString('base64'),
      Buffer.from(good, 'base64').toString('hex'),
      `Bearer ${good}`,
      `"${good}"`,
      `${good}=`,
      encodeURIComponent(`${good}%`),
    ]
    return secretly(pick(encodings, n))
  },
  'a secret of another installation': () =>
    secretly(newWebhookSecret(parseKeyring(newKeyringText()), accountId)),
  'a secret that was never given out': () =>
    secretly(newWebhookSecret(api.deps.keyring, accountId)),
  'no secret': () => ({ payload: envelope(), headers: {} }),
  'the secret elsewhere': (good, { n }) => {
    const headers: Record<string, string>[] = [
      { authorization: `Bearer ${good}` },
      { 'webhook-secret': good },
      { cookie: `x-webhook-secret=${good}` },
    ]
    return { payload: JSON.stringify({ ...body(), secret: good }), headers: pick(headers, n) }
  },
  'the account of the path': (good, { n }) => ({
    ...secretly(good),
    url: pick(['999999999999', '123456789013', '12345678901', `${accountId}0`, 'x'], n),
  }),
  'words instead of the secret': (_good, { words }) =>
    secretly(words.replaceAll(/[^\u0021-\u007e]/g, '-')),
}

const body = () => ({ id: uuidv7(), account: accountId, region, source: 'aws.ses', detail })
const envelope = (): string => JSON.stringify(body())
const headerSafe = (text: string): string => text.replaceAll(/[^\u0020-\u007e]/g, '~')
const secretly = (given: string): Forged => ({
  payload: envelope(),
  headers: { 'x-webhook-secret': headerSafe(given) },
})

const send = (path: string, { payload, headers }: Forged) =>
  inject(api.app, {
    method: 'POST',
    url: path,
    headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers },
    payload,
  })

/** 503: no more than ten certificates a minute are fetched for a connection. */
const REFUSED = [400, 401, 413, 415, 422, 503]

/** Addresses that were asked for and are no certificate's at the provider's own host. */
const strange = (): string[] =>
  host.asked.filter(
    (url) => !/^https:\/\/sns\.eu-central-1\.amazonaws\.com\/[\w-]+\.pem$/.test(url),
  )

describe('SNS', () => {
  const genuine = {
    'version 1': () => notification(topicArn, detail, { SignatureVersion: '1' }),
    'version 2': () => notification(topicArn, detail),
    confirmation: () => confirmation(topicArn),
    'end of a subscription': () => confirmation(topicArn, { Type: 'UnsubscribeConfirmation' }),
  }

  test(
    `${RUNS} changed messages: none is accepted, nothing but the provider is asked`,
    async () => {
      // Its certificate is known by then; those that some changes name are not.
      expect(
        (await send(`/webhooks/sns/${connectionId}`, json(genuine['version 2']()))).status,
      ).toBe(200)
      rowsBefore = await rows()
      const kind = fc.constantFrom(...Object.keys(genuine))
      const changes = Object.keys(OF_MESSAGES)
      let tried = 0
      await fc.assert(
        fc.asyncProperty(kind, dice, async (of, drawn) => {
          const what = changes[tried++ % changes.length] ?? ''
          const made = genuine[of as keyof typeof genuine]()
          const forged = OF_MESSAGES[what]!(made, drawn)
          const { status } = await send(`/webhooks/sns/${forged.url ?? connectionId}`, forged)
          guarantee(() => expect(REFUSED, what).toContain(status))
        }),
        { numRuns: RUNS },
      )
      expect(tried).toBeGreaterThanOrEqual(changes.length)
      expect(await rows()).toBe(rowsBefore)
      expect(strange()).toEqual([])
      expect(host.requests.filter((each) => each.includes('Action='))).toEqual([])
    },
    TIMEOUT_MS,
  )

  test('a message in other bytes is the same message', async () => {
    const message = genuine['version 2']()
    const url = `/webhooks/sns/${connectionId}`
    expect((await send(url, json(message))).body).toEqual({ status: 'processed' })
    const escaped = JSON.stringify(message).replaceAll('M', '\\u004d')
    const others = [
      JSON.stringify(message, null, 2),
      JSON.stringify(Object.fromEntries(Object.entries(message).toReversed())),
      escaped,
      JSON.stringify({ ...message, UnsubscribeURL: 'https://example.com', More: '1' }),
    ]
    for (const payload of others) {
      expect((await send(url, { payload })).body).toEqual({ status: 'duplicate' })
    }
    expect(await rows()).toBe(rowsBefore + 1)
  })

  test('a confirmation calls only the provider, whatever its text names', async () => {
    const targets = CERTIFICATES.map((each) => each.replace('a.pem', '?Action=ConfirmSubscription'))
    for (const SubscribeURL of [...targets, 'http://127.0.0.1:1/', 'gopher://127.0.0.1/']) {
      const message = confirmation(topicArn, { SubscribeURL })
      const { status } = await send(`/webhooks/sns/${connectionId}`, json(message))
      expect(status).toBe(200)
      const expected = `/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topicArn)}&Token=${message['Token']}`
      expect(host.asked.pop()).toBe(`${SNS_ORIGIN}${expected}`)
      expect(host.requests.pop()).toBe(`GET ${expected}`)
    }
    expect(strange()).toEqual([])
    expect(await rows()).toBe(rowsBefore)
  })

  test('a token that leads elsewhere is refused', async () => {
    const url = `/webhooks/sns/${connectionId}`
    const tokens = ['a&Action=Publish', '../', 'a#', 'a b', 'é', 'a%26b']
    for (const Token of tokens) {
      const { body: said } = await send(url, json(confirmation(topicArn, { Token })))
      expect(said).toEqual({ status: 'ignored', reason: 'confirmation_refused' })
    }
    expect(host.requests.filter((each) => each.includes('Action='))).toEqual([])
  })
})

describe('EventBridge', () => {
  test(
    `${RUNS} changed secrets: none is accepted`,
    async () => {
      const changes = Object.keys(OF_REQUESTS)
      let tried = 0
      await fc.assert(
        fc.asyncProperty(dice, async (drawn) => {
          const what = changes[tried++ % changes.length] ?? ''
          const forged = OF_REQUESTS[what]!(secret, drawn)
          const { status } = await send(`/webhooks/ses/${forged.url ?? accountId}`, forged)
          guarantee(() => expect(status, what).toBe(401))
        }),
        { numRuns: RUNS },
      )
      expect(tried).toBeGreaterThanOrEqual(changes.length)
      expect(await rows()).toBe(rowsBefore)
      expect(host.asked).toEqual([])
      const right = { payload: envelope(), headers: { 'x-webhook-secret': secret } }
      expect((await send(`/webhooks/ses/${accountId}`, right)).status).toBe(200)
    },
    TIMEOUT_MS,
  )

  test('an event of another account, region or organization changes nothing, even with the right secret', async () => {
    const right = { 'x-webhook-secret': secret }
    const tags = {
      'letterloom-organization': [api.charlie.organizationId],
      'letterloom-message': [`${uuidv7()}_${uuidv7()}`],
    }
    const foreign = [
      { ...body(), account: '999999999999' },
      { ...body(), region: 'us-east-1' },
      { ...body(), detail: { ...detail, mail: { ...detail.mail, tags } } },
    ]
    for (const payload of foreign) {
      const forged = { payload: JSON.stringify(payload), headers: right }
      expect((await send(`/webhooks/ses/${accountId}`, forged)).body.status).toBe('ignored')
    }
    const ids = foreign.map(({ id }) => id)
    const waiting = await api.sql`
      select from inbound_events where applied_at is null and envelope_id = any(${ids}::text[])`
    expect(waiting).toHaveLength(0)
  })
})
