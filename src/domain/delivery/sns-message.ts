import { partition } from '../accounts/iam-role.ts'

export const SNS_TYPES = [
  'Notification',
  'SubscriptionConfirmation',
  'UnsubscribeConfirmation',
] as const

/** A message of SNS, with SNS' own field names (SNS developer guide, "HTTP/HTTPS"). */
export interface SnsMessage {
  Type: (typeof SNS_TYPES)[number]
  MessageId: string
  TopicArn: string
  Subject?: string
  /** The published text of a notification, which is an SES event. */
  Message: string
  Timestamp: string
  SignatureVersion: string
  /** Base64. */
  Signature: string
  SigningCertURL: string
  /** Only confirmations have it. It is signed and never called. */
  SubscribeURL?: string
  Token?: string
}

/** A topic, and the connection that it belongs to. */
export interface SnsTopic {
  organizationId: string
  /** Id of the connection. */
  id: string
  accountId: string
  region: string
  topicArn: string
}

/** Digests of signatures by their version (SNS developer guide). */
const DIGESTS: Record<string, 'sha1' | 'sha256'> = { '1': 'sha1', '2': 'sha256' }

export const digestOf = ({
  SignatureVersion: version,
}: SnsMessage): 'sha1' | 'sha256' | undefined =>
  Object.hasOwn(DIGESTS, version) ? DIGESTS[version] : undefined

/**
 * Returns the signed text of a message. Undefined: a part is missing, or has a line break where SNS
 * has none. With line breaks two different messages could have the same text.
 */
export function signedText(message: SnsMessage): string | undefined {
  const { Type, MessageId, TopicArn, Subject, Message, Timestamp, SubscribeURL, Token } = message
  const lines =
    Type === 'Notification'
      ? { MessageId, Subject, Timestamp, TopicArn, Type }
      : { MessageId, SubscribeURL, Timestamp, Token, TopicArn, Type }
  let text = `Message\n${Message}\n`
  for (const [name, value] of Object.entries(lines)) {
    if (value === undefined && name === 'Subject') continue
    if (value === undefined || value.includes('\n')) return undefined
    text += `${name}\n${value}\n`
  }
  return text
}

/** Reasons why a message is not of the topic, whoever signed it. */
export type SnsProblem = 'other_topic' | 'other_certificate' | 'other_time' | 'other_signature'

/** SNS gives a message up after an hour (SNS developer guide, "Message delivery retries"). */
const MOST_AGE_MS = 3_600_000
/** Limit of the clock difference to SNS. */
const CLOCKS_MS = 300_000

/** Returns the problem of a message for any topic. `now` is in milliseconds since 1970. */
export function messageProblem(message: SnsMessage, now: number): SnsProblem | undefined {
  const { region } = topicParts(message.TopicArn) ?? {}
  if (region === undefined) return 'other_topic'
  if (!isCertificateOf(region, message.SigningCertURL)) return 'other_certificate'
  if (digestOf(message) === undefined) return 'other_signature'
  const age = TIMESTAMP.test(message.Timestamp) ? now - Date.parse(message.Timestamp) : NaN
  return age <= MOST_AGE_MS + CLOCKS_MS && age >= -CLOCKS_MS ? undefined : 'other_time'
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

/**
 * Returns whether a message names the connection's topic, and that topic is of its account and
 * region.
 */
export function isOfTopic({ TopicArn }: SnsMessage, topic: SnsTopic): boolean {
  const { region, accountId } = topicParts(topic.topicArn) ?? {}
  return TopicArn === topic.topicArn && region === topic.region && accountId === topic.accountId
}

const TOPIC = /^arn:([a-z-]{3,10}):sns:([a-z0-9-]{1,30}):([0-9]{12}):[A-Za-z0-9_-]{1,256}$/

function topicParts(arn: string): { region: string; accountId: string } | undefined {
  const [, itsPartition, region, accountId] = TOPIC.exec(arn) ?? []
  if (region === undefined || accountId === undefined) return undefined
  return itsPartition === partition(region) ? { region, accountId } : undefined
}

/** `https://sns.eu-central-1.amazonaws.com` (AWS General Reference, "Amazon SNS endpoints"). */
const origin = (region: string): string =>
  `https://sns.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

const CERTIFICATE_PATH = /^\/[A-Za-z0-9_-]{1,100}\.pem$/

/** Returns whether the URL is a certificate's at the provider's own host of the region. */
function isCertificateOf(region: string, url: string): boolean {
  const itsOrigin = origin(region)
  return url.startsWith(itsOrigin) && CERTIFICATE_PATH.test(url.slice(itsOrigin.length))
}

/** Names of the provider's signing certificates: one for all regions, or one of the region. */
const CERTIFICATE_NAME = /^sns(?:[.-][a-z0-9]{1,40})*\.amazonaws\.com(?:\.cn)?$/

export const isCertificateName = (name: string): boolean => CERTIFICATE_NAME.test(name)

const TOKEN = /^[A-Za-z0-9_-]{1,1000}$/

/**
 * Returns the URL that confirms a subscription, built from the topic and the token, so that no URL
 * of the message is called. Undefined: the token is invalid.
 */
export function confirmationUrl({ region, topicArn }: SnsTopic, token = ''): string | undefined {
  if (!TOKEN.test(token)) return undefined
  const query = `Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topicArn)}&Token=${token}`
  return `${origin(region)}/?${query}`
}

/** Text that SES publishes when a topic is set (SES developer guide, "Set up an SNS topic"). */
const NOTICE = /^Successfully validated SNS topic for Amazon SES/

export const isTopicNotice = (text: string): boolean => NOTICE.test(text)
