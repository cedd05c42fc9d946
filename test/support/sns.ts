import { randomBytes, sign } from 'node:crypto'
import { uuidv7 } from '../../src/runtime/ids.ts'
import { createFetcher, type Fetcher } from '../../src/net/fetch.ts'
import { createServers } from './servers.ts'
import { snsCertificate, snsKey } from './sns-certificates.ts'

export const SNS_REGION = 'eu-central-1'
export const SNS_ORIGIN = `https://sns.${SNS_REGION}.amazonaws.com`
export const CERTIFICATE_PATH = '/SimpleNotificationService-7ff5318490ec183fbaddaa2a969abfda.pem'
export const CERTIFICATE_URL = `${SNS_ORIGIN}${CERTIFICATE_PATH}`

/** Fields of a message, as SNS spells them. */
export type Fields = Record<string, string>

/** In the order of their names, those that are there (SNS developer guide). */
const SIGNED = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token'].concat([
  'TopicArn',
  'Type',
])

/** A message as SNS signs it. */
export function signedBySns(fields: Fields, key: string = snsKey): Fields {
  const text = SIGNED.flatMap((name) =>
    fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`],
  ).join('')
  const digest = fields['SignatureVersion'] === '1' ? 'sha1' : 'sha256'
  return { ...fields, Signature: sign(digest, Buffer.from(text), key).toString('base64') }
}

export const topicOf = (accountId: string, name = 'mail-events'): string =>
  `arn:aws:sns:${SNS_REGION}:${accountId}:${name}`

const envelope = (topicArn: string, now: number): Fields => ({
  MessageId: uuidv7(),
  TopicArn: topicArn,
  Timestamp: new Date(now).toISOString(),
  SignatureVersion: '2',
  SigningCertURL: CERTIFICATE_URL,
})

/** What a topic sends of an event of SES. */
export const notification = (
  topicArn: string,
  event: object | string,
  changes: Fields = {},
  now = Date.now(),
): Fields =>
  signedBySns({
    ...envelope(topicArn, now),
    Type: 'Notification',
    Message: typeof event === 'string' ? event : JSON.stringify(event),
    UnsubscribeURL: `${SNS_ORIGIN}/?Action=Unsubscribe&SubscriptionArn=${topicArn}:1`,
    ...changes,
  })

/** What an endpoint is sent that is to be subscribed, or is no more. */
export function confirmation(topicArn: string, changes: Fields = {}): Fields {
  const token = randomBytes(96).toString('hex')
  return signedBySns({
    ...envelope(topicArn, Date.now()),
    Type: 'SubscriptionConfirmation',
    Token: token,
    Message: `You have chosen to subscribe to the topic ${topicArn}.\nTo confirm, visit the URL.`,
    SubscribeURL: `${SNS_ORIGIN}/?Action=ConfirmSubscription&TopicArn=${topicArn}&Token=${token}`,
    ...changes,
  })
}

interface Answer {
  status: number
  body?: string
}

/**
 * SNS's own host, on loopback: what is asked of it, whoever is meant, is noted with the whole
 * address. Other hosts are not there.
 */
export async function startSnsHost() {
  const servers = createServers()
  const answers = new Map<string, Answer>()
  const requests: string[] = []
  const askedPaths: string[] = []
  const port = await servers.http((request, response) => {
    const { url = '' } = request
    requests.push(`${request.method} ${url}`)
    const isConfirming = url.startsWith('/?Action=ConfirmSubscription&')
    const fallback: Answer = isConfirming ? { status: 200 } : { status: 403 }
    const { status, body = '' } = answers.get(isConfirming ? '/' : url) ?? fallback
    response.writeHead(status).end(body)
  })
  const loopback = createFetcher({ allowed: ['127.0.0.1'] })
  const fetcher: Fetcher = {
    send: async (request) => {
      askedPaths.push(request.url)
      const { origin, pathname, search } = new URL(request.url)
      if (origin !== SNS_ORIGIN) throw new Error(`${origin} is not SNS`)
      return loopback.send({ ...request, url: `http://127.0.0.1:${port}${pathname}${search}` })
    },
  }
  const reset = (): void => {
    answers.clear()
    answers.set(CERTIFICATE_PATH, { status: 200, body: snsCertificate })
    askedPaths.length = 0
    requests.length = 0
  }
  reset()
  return {
    fetcher,
    /** Addresses that were asked for, in full. */
    asked: askedPaths,
    /** What reached the host. */
    requests,
    /** What the host answers, by path; `/` is what confirms. */
    answers,
    reset,
    close: servers.close,
  }
}
export type SnsHost = Awaited<ReturnType<typeof startSnsHost>>
