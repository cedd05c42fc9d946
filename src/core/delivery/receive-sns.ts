import { type KeyObject, verify } from 'node:crypto'
import {
  confirmationUrl,
  digestOf,
  isOfTopic,
  isTopicNotice,
  messageProblem,
  signedText,
  type SnsMessage,
  type SnsProblem,
  type SnsTopic,
} from '../../domain/delivery/sns-message.ts'
import type { Fetcher } from '../../net/fetch.ts'
import type { Sql } from '../../store/db/sql.ts'
import { rememberedTopics } from './sns-topics.ts'
import { describeUnread, isObject, parseEvent } from './read-event.ts'
import { type ReceivedEvent, toInboundEvent, toUnreadEvent } from './receive-event.ts'
import { createSnsCertificates } from './sns-certificates.ts'

const CONFIRM_TIMEOUT_MS = 3_000
const CONFIRM_BYTES = 16_384

/** `unreachable`: the certificate could not be fetched. SNS must try again. */
type Proof =
  | { kind: 'proven'; topic: SnsTopic }
  | { kind: 'refused'; problem: SnsProblem }
  | { kind: 'unreachable'; topic: SnsTopic }

/** `refused`: SNS does not accept the token. `unreachable`: SNS did not answer. */
type Confirmation = 'confirmed' | 'refused' | 'unreachable'

interface Options {
  sql: Sql
  /** A fetcher that reaches public addresses only. */
  fetcher: Fetcher
  now: () => number
}

/** Checks messages against the topic of their connection, and confirms subscriptions. */
export function createSnsReceiver({ sql, fetcher, now }: Options) {
  const certificates = createSnsCertificates({ fetcher, now })
  const findTopic = rememberedTopics(sql)

  return {
    /**
     * Returns whether a message is of a connection's topic: recent, signed by SNS, and for that
     * topic. A wrong signature is refused before storage is asked if the certificate is cached, and
     * nothing is fetched for a message of another topic.
     */
    async prove(connectionId: string, message: SnsMessage): Promise<Proof> {
      const problem = messageProblem(message, now())
      if (problem) return { kind: 'refused', problem }
      const url = message.SigningCertURL
      const cachedKey = certificates.recall(url)
      if (cachedKey && !isSigned(message, cachedKey))
        return { kind: 'refused', problem: 'other_signature' }
      const topic = await findTopic(connectionId, (each) => isOfTopic(message, each))
      if (!topic) return { kind: 'refused', problem: 'other_topic' }
      const key = cachedKey ?? (await certificates.fetch(url, topic.id))
      if (key === 'unreachable') return { kind: 'unreachable', topic }
      if (cachedKey || isSigned(message, key)) return { kind: 'proven', topic }
      return { kind: 'refused', problem: 'other_signature' }
    },

    /** Calls the provider's own address, never the one in the message. */
    async confirm(message: SnsMessage, topic: SnsTopic): Promise<Confirmation> {
      const url = confirmationUrl(topic, message.Token)
      if (url === undefined) return 'refused'
      const request = { url, timeoutMs: CONFIRM_TIMEOUT_MS, mostBytes: CONFIRM_BYTES }
      const answer = await fetcher.send({ ...request, method: 'GET' }).catch(() => undefined)
      if (!answer || answer.status >= 500 || answer.status === 429) return 'unreachable'
      return answer.status === 200 ? 'confirmed' : 'refused'
    },
  }
}

function isSigned(message: SnsMessage, key: KeyObject | 'absent'): boolean {
  const text = signedText(message)
  const digest = digestOf(message)
  const signature = Buffer.from(message.Signature, 'base64')
  // Node reads base64 that is not quite; one signature has one spelling.
  const isOneSpelling = signature.toString('base64') === message.Signature
  if (text === undefined || digest === undefined || key === 'absent' || !isOneSpelling) return false
  return verify(digest, Buffer.from(text), key, signature)
}

/** Returns the stored form of a proven notification, as if EventBridge had sent its event. */
export function toSnsEvent(message: SnsMessage, topic: SnsTopic): ReceivedEvent {
  const parsed = isTopicNotice(message.Message)
    ? { value: { notice: message.Message } }
    : parseEvent(message.Message)
  const reason = 'reason' in parsed ? parsed.reason : 'no_envelope'
  if (!('value' in parsed) || !isObject(parsed.value)) {
    return toUnreadEvent(describeUnread(reason, Buffer.from(message.Message)), topic)
  }
  const detail = parsed.value
  const envelope = {
    id: message.MessageId,
    source: 'aws.sns',
    // A topic may take the events of another account.
    account: accountOf(detail) ?? topic.accountId,
    time: message.Timestamp,
    region: topic.region,
    detail,
  }
  return toInboundEvent(envelope, topic)
}

function accountOf({ mail }: Record<string, unknown>): string | undefined {
  const account = isObject(mail) ? mail['sendingAccountId'] : undefined
  return typeof account === 'string' ? account : undefined
}
