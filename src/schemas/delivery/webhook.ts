import { type Static, Type } from 'typebox'
import { SNS_TYPES } from '../../domain/delivery/sns-message.ts'
import { oneOf, strict } from '../common.ts'

export const AccountNumberParams = strict({
  accountNumber: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The 12 digits of the AWS account.',
  }),
})

/** EventBridge's envelope of a delivery event. Fields that we do not use are kept as they are. */
export const EventEnvelope = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255 }),
    account: Type.String({ maxLength: 64 }),
    region: Type.String({ maxLength: 64 }),
    detail: Type.Record(Type.String(), Type.Unknown()),
  },
  {
    title: 'EventEnvelope',
    additionalProperties: true,
    examples: [
      {
        version: '0',
        id: '3c0bb9a5-6a1f-b2a5-8a47-0a9c3a8f3c1d',
        'detail-type': 'Email Delivered',
        source: 'aws.ses',
        account: '123456789012',
        time: '2026-11-21T10:56:09Z',
        region: 'eu-central-1',
        resources: [],
        detail: { eventType: 'Delivery', mail: {} },
      },
    ],
  },
)
export type EventEnvelope = Static<typeof EventEnvelope>

export const ConnectionParams = strict({
  connectionId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The connection whose `snsTopicArn` is the topic.',
  }),
})

const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) })

/** A message of SNS: a delivery event in `Message`, or a confirmation. */
export const SnsMessage = Type.Object(
  {
    Type: oneOf(SNS_TYPES),
    MessageId: text(100, 'The same one again is the same event.'),
    TopicArn: text(400),
    Subject: Type.Optional(Type.String({ maxLength: 1_000 })),
    Message: Type.String({
      maxLength: 262_144,
      description: 'For a notification, the SES event as JSON.',
    }),
    Timestamp: text(40, 'Refused when older than an hour.'),
    SignatureVersion: text(10, '`1` (SHA-1) or `2` (SHA-256).'),
    Signature: text(2_000, 'Base64.'),
    SigningCertURL: text(1_000, 'At the provider’s own host of the topic’s region.'),
    SubscribeURL: Type.Optional(text(4_000, 'Is never called.')),
    Token: Type.Optional(text(1_000)),
  },
  {
    title: 'SnsMessage',
    additionalProperties: true,
    examples: [
      {
        Type: 'Notification',
        MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
        TopicArn: 'arn:aws:sns:eu-central-1:123456789012:mail-events',
        Message: '{"eventType":"Delivery","mail":{}}',
        Timestamp: '2026-11-21T10:56:09.120Z',
        SignatureVersion: '2',
        Signature: 'RXhhbXBsZQ==',
        SigningCertURL: 'https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0.pem',
      },
    ],
  },
)

export const WebhookAnswer = Type.Object(
  {
    status: oneOf(['processed', 'duplicate', 'ignored']),
    reason: Type.Optional(Type.String()),
  },
  { title: 'WebhookAnswer', examples: [{ status: 'processed' }] },
)
export type WebhookAnswer = Static<typeof WebhookAnswer>
